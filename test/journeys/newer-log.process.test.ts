/**
 * Two versions of coord in one repository: what a newer one has added survives the older one's
 * writes, and a log whose format was raised is named in one clear error, and nobody repairs it
 * away.
 */
import { describe, expect, test } from 'vitest';
import type { ByVersion } from '../support/by-version.ts';
import { forge } from '../support/forgery.ts';
import {
  everyHarness,
  type Newer,
  saidBy,
  workOnRaised,
  wrongHooksOnNewer,
  wrongOnNewer,
} from '../support/newer-log.ts';
import { ordinaryCalls } from '../support/ordinary-calls.ts';
import { gitHooks } from '../support/ordinary-hooks.ts';
import {
  type Environment,
  type Ran,
  repository,
  type TestRepository,
} from '../support/repository.ts';
import { ranIn } from '../support/sessions.ts';

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
  const newer: Newer = {
    message: 'the log has format 3, and this coord reads up to 2',
    hint: 'npm install --global git-coord@^0.7.1',
  };
  const raised = (): ByVersion => workOnRaised({}, 3, '0.7.1');
  const tipOf = ({ repo }: ByVersion): string => repo.git('rev-parse', 'refs/coord/log').trim();

  test('every verb says so in one error, with what to install, or does what needs no log; none writes to it', async () => {
    const here = raised();
    const tip = tipOf(here);
    const apart = ordinaryCalls
      .filter(({ isApart }) => isApart === true)
      .map(({ args }) => ({ args, started: here.repo.start('bob', args) }));
    const others = ordinaryCalls.filter(({ isApart }) => isApart !== true);
    expect(wrongOnNewer(here, others, newer)).toEqual([]);
    for (const { args, started } of apart) {
      const ran = await started.ended;
      expect(ran.code, saidBy(args.join(' '), ran)).toBe(0);
    }
    expect(tipOf(here)).toBe(tip);
  });

  test('every hook says so too, denies an edit, and lets all else of a harness through with a line', () => {
    const here = raised();
    const tip = tipOf(here);
    expect(wrongHooksOnNewer(here, Object.keys(gitHooks), everyHarness, newer)).toEqual([]);
    expect(tipOf(here)).toBe(tip);
  });

  test("an agent's commit is blocked, and a person's goes through, both with what to install", () => {
    const here = raised();
    const commit = (env: Environment): Ran =>
      ranIn(here.repo.top, env, 'git', ['commit', '--allow-empty', '-m', 'x']);
    const [agents, persons] = [commit(here.env), commit(here.repo.env)];
    expect(saidBy('', agents)).toMatch(
      /exit 1 .*could not be checked \(exit 69\), so it is blocked/s,
    );
    expect(saidBy('', persons)).toMatch(/exit 0 .*is let through/s);
    for (const { stderr } of [agents, persons]) expect(stderr).toContain(newer.hint);
  });

  test('a server says to whoever pushes it what is to be installed there', () => {
    const { repo } = raised();
    const pushed = ranIn(repo.top, repo.env, 'git', ['push', 'origin', 'refs/coord/log']);
    expect(saidBy('', pushed)).toMatch(/exit 1 /);
    expect(pushed.stderr).toContain(`${newer.message}; on this server: ${newer.hint}`);
    expect(repo.git('ls-remote', 'origin', 'refs/coord/log')).toBe('');
  });

  test('uninstall --purge does not take what nobody can count for empty', () => {
    const here = raised();
    expect(here.call('uninstall', '--purge').json['error']).toMatchObject({
      code: 'log_newer',
      hint: newer.hint,
    });
    expect(here.call('uninstall', '--purge', '--force').code).toBe(0);
  });
});
