/**
 * The packed release 0.1.0 and this coord in one repository, through every verb and hook: they
 * share a log of the first format, which is raised on request alone, and only once nobody of 0.1.0
 * is at work.
 */
import { beforeAll, describe, expect, test } from 'vitest';
import { released } from '../support/released.ts';
import { type Ran, repository, run, type TestRepository } from '../support/repository.ts';
import { checkout } from '../support/sessions.ts';

let program = '';
beforeAll(() => {
  program = released('0.1.0');
});

/** A command of the older coord. */
function older(repo: TestRepository, agent: string, ...args: string[]): Ran {
  return run(repo.top, repo.env, ['--agent', agent, '--json', ...args], [], program);
}

function versionOf(repo: TestRepository): unknown {
  return (
    JSON.parse(repo.git('show', 'refs/coord/log:meta').split('\n')[0] ?? '') as Record<
      string,
      unknown
    >
  )['version'];
}

/** Each verb and hook that reads the log, as somebody who is refused nothing. */
const verbs: readonly (readonly string[])[] = [
  ['whoami'],
  ['reserve', 'mine'],
  ['check', 'mine'],
  ['renew'],
  ['status'],
  ['who'],
  ['log'],
  ['stats'],
  ['claim', 'bd-1'],
  ['unclaim', 'bd-1'],
  ['lock', 'x'],
  ['unlock', 'x'],
  ['inbox'],
  ['next'],
  ['session', 'list'],
  ['run', '--lock', 'x', '--', 'true'],
  ['rescue', 'list'],
  ['hook', 'git', 'pre-commit'],
  ['hook', 'git', 'post-commit'],
  ['release', '--all'],
  ['sweep'],
];

/** All that a newer coord writes into a log of the first format. */
function writeWithNewer(repo: TestRepository): void {
  const said = [
    repo.coord('ann', '-c', 'coord.grace=10m', 'reserve', 'src/a', '--reason', 'mine'),
    repo.coord('ann', 'claim', 'bd-9'),
    repo.coord('eve', 'reserve', 'src/a'),
    repo.coord('eve', 'ask', 'src/a', '--reason', 'please'),
    repo.coord('eve', 'pause', '--for', '1m', '--reason', 'a release'),
    repo.coord('eve', 'pause', '--end'),
  ];
  expect(said.map(({ code }) => code)).toEqual([0, 0, 1, 0, 0, 0]);
}

describe('coord 0.1.0 beside this one', () => {
  test('reads and writes on, by every verb and hook, in the log that this one has written', () => {
    const repo = checkout({ guarded: false });
    expect(older(repo, 'bob', 'reserve', 'theirs').code).toBe(0);
    writeWithNewer(repo);
    for (const args of verbs) {
      const { code, stdout, stderr } = older(repo, 'bob', ...args);
      expect(code, `${args.join(' ')}: ${stdout}${stderr}`).toBe(0);
    }
    expect(versionOf(repo)).toBe(1);
    expect(repo.coord(null, 'doctor').code).toBe(0);
  });

  test('each refuses what the other has granted, and what protects a holder stays with a lease that 0.1.0 leaves alone', () => {
    const repo = repository();
    expect(repo.coord('ann', '-c', 'coord.grace=10m', 'reserve', 'a').code).toBe(0);
    expect(older(repo, 'bob', 'reserve', 'a').code).toBe(1);
    expect(older(repo, 'bob', 'reserve', 'b').code).toBe(0);
    expect(repo.coord('ann', 'reserve', 'b').code).toBe(1);
    expect(
      JSON.parse(
        repo
          .git('show', 'refs/coord/log:leases')
          .split('\n')
          .find((row) => row.includes('"ann"')) ?? '',
      ),
    ).toMatchObject({ protection: { grace: 600 } });
  });
});

describe('raising the log to the newest format', () => {
  test('waits for an agent at work with 0.1.0, and says for whom', () => {
    const repo = repository();
    expect(older(repo, 'bob', 'reserve', 'b').code).toBe(0);
    expect(repo.coord('ann', 'reserve', 'a').code).toBe(0);
    const { json, code } = repo.coord(null, 'doctor', '--fix');
    expect(code).toBe(0);
    expect(json['checks']).toContainEqual(
      expect.objectContaining({
        check: 'format',
        standing: 'note',
        says: expect.stringMatching(/while bob \(\w{8}\) may be at work with an older coord/),
      }),
    );
    expect(versionOf(repo)).toBe(1);
  });

  test('is done once, by doctor --fix alone, and 0.1.0 is told what to install and repairs nothing', () => {
    const repo = repository();
    expect(repo.coord('ann', 'reserve', 'a').code).toBe(0);
    expect(repo.coord(null, 'doctor').json['checks']).toContainEqual(
      expect.objectContaining({ check: 'format', standing: 'note', next: 'coord doctor --fix' }),
    );
    expect(versionOf(repo)).toBe(1);
    expect(repo.text(null, 'doctor', '--fix').stdout).toContain(
      'fixed: raised the log from format 1 to 2',
    );
    expect(versionOf(repo)).toBe(2);
    // Also while the raise itself is the newest operation.
    expect(older(repo, 'bob', 'status').json['error']?.code).toBe('log_newer');
    expect(repo.coord(null, 'doctor', '--fix').json['fixed']).toEqual([]);
    expect(repo.coord('ann', 'reserve', 'b').code).toBe(0);
    expect(repo.text(null, 'log').stdout).toMatch(/raised the log to format 2/);
    const tip = repo.git('rev-parse', 'refs/coord/log');
    for (const args of verbs) {
      const { code, json } = older(repo, 'bob', ...args);
      expect(code, args.join(' ')).toBe(69);
      expect(json['error']?.code, args.join(' ')).toBe('log_newer');
    }
    expect(older(repo, 'bob', 'doctor', '--fix').code).toBe(69);
    expect(repo.git('rev-parse', 'refs/coord/log')).toBe(tip);
  });

  test('an agent that has moved on to this coord no longer keeps the log as it was', () => {
    const repo = repository();
    expect(older(repo, 'bob', 'reserve', 'b').code).toBe(0);
    expect(repo.coord('bob', 'reserve', 'c').code).toBe(0);
    expect(repo.coord(null, 'doctor', '--fix').json['fixed']).toEqual([
      expect.stringContaining('raised the log'),
    ]);
  });

  test('an agent that has gone back to 0.1.0 keeps the log as it is', () => {
    const repo = repository();
    expect(repo.coord('bob', 'reserve', 'b').code).toBe(0);
    expect(older(repo, 'bob', 'renew').code).toBe(0);
    const { json } = repo.coord(null, 'doctor', '--fix');
    expect(json['fixed']).toEqual([]);
    expect(json['checks']).toContainEqual(
      expect.objectContaining({
        check: 'format',
        says: expect.stringMatching(/while bob \(\w{8}\) may be at work with an older coord/),
      }),
    );
    expect(versionOf(repo)).toBe(1);
  });
});
