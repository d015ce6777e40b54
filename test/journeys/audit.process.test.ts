/** The log is an audit: who was refused, committed or overrode what, when, whoever writes next. */

import { spawnSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { gitGate } from '../support/gate.ts';
import { eventually, repository, type TestRepository } from '../support/repository.ts';

type Told = Record<string, any>;

function team(): TestRepository {
  const repo = repository();
  repo.git('config', 'user.email', 'pat@example.com');
  for (const path of ['src/a', 'src/b']) repo.write(path, 'begin\n');
  repo.git('add', '.');
  repo.git('commit', '-q', '-m', 'begin');
  repo.coord(null, 'install');
  repo.coord('ann', 'reserve', 'src/a');
  return repo;
}

function events(repo: TestRepository, name: string): readonly Told[] {
  return repo
    .coord(null, 'log')
    .stdout.trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Told)
    .filter(({ event }) => event === name);
}

function commit(
  repo: TestRepository,
  env: Readonly<Record<string, string>>,
  ...args: readonly string[]
): number | null {
  repo.write('src/a', `${args.join(' ')} ${JSON.stringify(env)}\n`);
  repo.git('add', 'src/a');
  return spawnSync('git', ['commit', '-q', '-m', 'x', ...args], {
    cwd: repo.top,
    env: { ...repo.env, ...env },
  }).status;
}

const heldByAnn = {
  why: 'held',
  paths: ['src/a'],
  holders: [expect.objectContaining({ name: 'ann' })],
  leases: [expect.any(String)],
};

describe("the next writer of any kind carries everybody's notes [U9]", () => {
  test('a commit that was refused, with its own time, object and paths', () => {
    const repo = team();
    const before = Date.now();
    expect(commit(repo, { COORD_AGENT: 'bob' })).toBe(1);
    const after = Date.now();
    repo.coord('eve', 'reserve', 'elsewhere');
    const [told, ...others] = events(repo, 'blocked');
    expect({ told, others }).toMatchObject({
      told: { agent: { name: 'bob' }, ...heldByAnn },
      others: [],
    });
    expect(Date.parse(told?.['at'])).toBeGreaterThanOrEqual(before - 1_000);
    expect(Date.parse(told?.['at'])).toBeLessThanOrEqual(after);
  });

  test('a reservation that was refused, by the operation of somebody else', () => {
    const repo = team();
    repo.coord('bob', 'whoami');
    repo.coord('bob', 'reserve', 'src/a');
    repo.coord('ann', 'reserve', 'src/b');
    expect(events(repo, 'conflict')).toMatchObject([
      { agent: { name: 'bob' }, patterns: ['src/a'], blockers: [{ agent: { name: 'ann' } }] },
    ]);
  });

  test.for<'before' | 'after'>([
    'before',
    'after',
  ])('a writer that is killed %s it has moved the log loses none and tells none twice', async (when) => {
    const repo = team();
    commit(repo, { COORD_AGENT: 'bob' });
    const gate = gitGate(repo, when);
    const writer = repo.start('eve', ['reserve', 'of-eve'], gate.env);
    await gate.reached();
    writer.child.kill('SIGKILL');
    gate.open();
    await writer.ended;
    // Whoever was killed is known to be gone after a moment.
    await eventually('its notes are in the log', () => {
      repo.coord('ann', 'reserve', 'of-ann', '--ttl', `${10 + events(repo, 'renewed').length}s`);
      return events(repo, 'blocked').length > 0;
    });
    repo.coord('zoe', 'reserve', 'of-zoe');
    expect(events(repo, 'blocked')).toHaveLength(1);
  });

  test('each is told once', () => {
    const repo = team();
    repo.coord('bob', 'whoami');
    commit(repo, { COORD_AGENT: 'bob' });
    for (const who of ['eve', 'bob', 'ann']) repo.coord(who, 'reserve', `of-${who}`);
    expect(events(repo, 'blocked')).toHaveLength(1);
  });
});

describe('an override [U9]', () => {
  test("is in the log with its commit, without any further command, and in the holder's inbox", () => {
    const repo = team();
    expect(commit(repo, { COORD_OVERRIDE: 'I know' })).toBe(0);
    expect(events(repo, 'overridden')).toMatchObject([
      { agent: { name: expect.stringMatching(/^pat\./) }, reason: 'I know', ...heldByAnn },
    ]);
    expect(repo.coord('ann', 'inbox').stdout).toMatch(
      /pat\.[0-9a-f]{4} \([0-9a-z]{8}\) overrode your lease on src\/a: \\"I know\\"/,
    );
  });

  test("past the commit's own hooks it is carried by whoever writes next", () => {
    const repo = team();
    expect(commit(repo, { COORD_OVERRIDE: 'no time' }, '--no-verify')).toBe(0);
    repo.coord('eve', 'reserve', 'elsewhere');
    expect(events(repo, 'overridden')).toMatchObject([{ reason: 'no time', ...heldByAnn }]);
    expect(repo.text('ann', 'inbox').stdout).toContain('overrode your lease on src/a: "no time"');
  });
});
