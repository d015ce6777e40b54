/**
 * Two versions of coord in one repository: what a newer one has added survives the older one's
 * writes, and a log whose format was raised is named in one clear error, and nobody repairs it
 * away.
 */
import { describe, expect, test } from 'vitest';
import { forge } from '../support/forgery.ts';
import { repository, type TestRepository } from '../support/repository.ts';

const recordOf = (repo: TestRepository, file: string): Record<string, any> =>
  JSON.parse(repo.git('show', `refs/coord/log:${file}`).split('\n')[0] ?? '') as Record<
    string,
    any
  >;

describe('a log in which a newer coord has written', () => {
  test.for([
    ['leases', ['reserve', 'mine', '--ttl', '2h']],
    ['agents', ['reserve', 'other']],
    ['leases', ['renew']],
  ] as const)('fields of %s that are not known survive %j', ([file, args]) => {
    const repo = repository();
    repo.coord('ann', 'reserve', 'mine');
    forge(repo, { file, content: (text) => text.replace(/^\{/, '{"later":{"a":[1,"x"]},') });
    forge(repo, { file, content: (text) => text.replace(/\}\n$/, ',"last":null}\n') });
    expect(repo.coord('ann', ...args).code).toBe(0);
    expect(recordOf(repo, file)).toMatchObject({ later: { a: [1, 'x'] }, last: null });
  });

  test('so do those of the log itself, and files that are not known', () => {
    const repo = repository();
    repo.coord('ann', 'reserve', 'mine');
    forge(repo, { file: 'meta', content: (text) => text.replace(/\}\n$/, ',"reads":[1,2]}\n') });
    forge(repo, { file: 'drafts', content: () => '{"id":"x"}\n' });
    expect(repo.coord('bob', 'reserve', 'other').code).toBe(0);
    expect(repo.coord('ann', 'release', '--all').code).toBe(0);
    expect(recordOf(repo, 'meta')['reads']).toEqual([1, 2]);
    expect(repo.git('show', 'refs/coord/log:drafts')).toBe('{"id":"x"}\n');
  });
});

describe('records and events that a newer coord has added', () => {
  test.for([
    'leases',
    'waits',
    'requests',
  ] as const)('a kind of record in %s that is not known survives all that is done', (file) => {
    const repo = repository();
    repo.coord('ann', 'reserve', 'mine');
    const row =
      '{"id":"00000001","kind":"port","agent":{"id":"xxxxxxxx","name":"eve"},"port":8080}';
    forge(repo, { file, content: (text) => `${row}\n${text}` });
    for (const args of [['reserve', 'other'], ['renew'], ['release', '--all'], ['sweep']]) {
      expect(repo.coord('ann', ...args).code).toBe(0);
    }
    expect(repo.git('show', `refs/coord/log:${file}`)).toBe(`${row}\n`);
    expect(repo.coord(null, 'doctor').code).toBe(0);
  });

  test('an event that is not known is told by its name', () => {
    const repo = repository();
    repo.coord('ann', 'reserve', 'mine');
    forge(repo, {
      commit: (text) =>
        text.replace(
          /^Event: .*$/m,
          'Event: {"event":"rebased","agent":{"id":"xxxxxxxx","name":"eve"},"paths":["src/a"]}',
        ),
    });
    expect(repo.text(null, 'log').stdout).toContain('eve (xxxxxxxx) rebased src/a');
    expect(repo.coord('ann', 'reserve', 'other').code).toBe(0);
  });
});

describe('a log whose format was raised', () => {
  const verbs: readonly (readonly string[])[] = [
    ['whoami'],
    ['reserve', 'b'],
    ['check', 'b'],
    ['renew'],
    ['release', '--all'],
    ['status'],
    ['who'],
    ['claim', 'bd-1'],
    ['unclaim', 'bd-1'],
    ['done', 'bd-1'],
    ['next'],
    ['lock', 'x'],
    ['unlock', 'x'],
    ['log'],
    ['stats'],
    ['inbox'],
    ['sweep'],
    ['session', 'list'],
    ['run', '--lock', 'x', '--', 'true'],
    ['commit', '-m', 'x'],
    ['hook', 'git', 'pre-commit'],
    ['hook', 'git', 'post-commit'],
    ['hook', 'git', 'pre-push'],
    ['rescue', 'list'],
    ['stage', 'status'],
  ];

  function raised(): { readonly repo: TestRepository; readonly tip: string } {
    const repo = repository();
    repo.coord('ann', 'reserve', 'mine');
    forge(repo, {
      file: 'meta',
      content: (text) => text.replace('"version":1', '"version":3,"needs":"0.7.1"'),
    });
    return { repo, tip: repo.git('rev-parse', 'refs/coord/log').trim() };
  }

  test('every verb and hook says so in one error, with what to install, and writes nothing', () => {
    const { repo, tip } = raised();
    const said = verbs.map((args) => {
      const { code, json, stderr } = repo.coord('bob', ...args);
      return [args.join(' '), code, json['error']?.code ?? stderr.trim(), json['error']?.hint];
    });
    const hint = 'npm install --global git-coord@^0.7.1';
    expect(said).toEqual(verbs.map((args) => [args.join(' '), 69, 'log_newer', hint]));
    expect(repo.git('rev-parse', 'refs/coord/log').trim()).toBe(tip);
  });

  test('doctor --fix names it and rolls nothing back', () => {
    const { repo, tip } = raised();
    const { code, stdout } = repo.coord(null, 'doctor', '--fix');
    expect(code).toBe(69);
    expect(stdout).toContain('the log has format 3');
    expect(repo.git('rev-parse', 'refs/coord/log').trim()).toBe(tip);
  });
});
