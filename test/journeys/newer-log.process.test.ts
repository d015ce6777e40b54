/**
 * Two versions of coord in one repository: what a newer one has added survives the older one's writes,
 * and a log whose format was raised is named in one clear error, and nobody repairs it away.
 */
import { describe, expect, test } from 'vitest';
import { forge } from '../support/forgery.ts';
import { repository, type TestRepository } from '../support/repository.ts';

const recordOf = (repo: TestRepository, file: string): Record<string, any> => (
  JSON.parse(repo.git('show', `refs/coord/log:${file}`).split('\n')[0] ?? '') as Record<string, any>);

describe('a log in which a newer coord has written', () => {
  test.for([
    ['leases', ['reserve', 'mine', '--ttl', '2h']], ['agents', ['reserve', 'other']], ['leases', ['renew']],
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

describe('a log whose format was raised', () => {
  const verbs: readonly (readonly string[])[] = [
    ['whoami'], ['reserve', 'b'], ['check', 'b'], ['renew'], ['release', '--all'], ['status'], ['who'],
    ['claim', 'bd-1'], ['unclaim', 'bd-1'], ['done', 'bd-1'], ['next'], ['lock', 'x'], ['unlock', 'x'],
    ['log'], ['stats'], ['inbox'], ['sweep'], ['session', 'list'], ['run', '--lock', 'x', '--', 'true'],
    ['commit', '-m', 'x'], ['hook', 'git', 'pre-commit'], ['hook', 'git', 'post-commit'],
    ['hook', 'git', 'pre-push'], ['rescue', 'list'], ['stage', 'status'],
  ];

  function raised(): { readonly repo: TestRepository; readonly tip: string } {
    const repo = repository();
    repo.coord('ann', 'reserve', 'mine');
    forge(repo, { file: 'meta', content: (text) => text.replace('"version":1', '"version":2') });
    return { repo, tip: repo.git('rev-parse', 'refs/coord/log').trim() };
  }

  test('every verb and hook says so in one error, with what to install, and writes nothing', () => {
    const { repo, tip } = raised();
    const said = verbs.map((args) => {
      const { code, json, stderr } = repo.coord('bob', ...args);
      return [args.join(' '), code, json['error']?.code ?? stderr.trim(), json['error']?.hint];
    });
    const hint = 'npm install --global git-coord@latest';
    expect(said).toEqual(verbs.map((args) => [args.join(' '), 69, 'log_newer', hint]));
    expect(repo.git('rev-parse', 'refs/coord/log').trim()).toBe(tip);
  });

  test('doctor --fix names it and rolls nothing back', () => {
    const { repo, tip } = raised();
    const { code, stdout } = repo.coord(null, 'doctor', '--fix');
    expect([code === 0, stdout]).toEqual([false, expect.stringContaining('newer coord')]);
    expect(repo.git('rev-parse', 'refs/coord/log').trim()).toBe(tip);
  });
});
