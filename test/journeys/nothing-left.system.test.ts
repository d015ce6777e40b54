/** What an operation or a session does beside the log, and leaves behind: nothing. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { repository } from '../support/repository.ts';

const source = join(import.meta.dirname, '../../src');

describe('an operation and a session', () => {
  test('an operation of one agent starts no process for the others [SYS-1]', () => {
    const repo = repository();
    for (const name of ['ann', 'bob', 'cid']) repo.coord(name, 'session', 'start');
    const trace = join(repo.top, '../trace');
    const traced = { ...repo.env, COORD_TRACE: trace };
    execFileSync(
      process.execPath,
      [join(source, '../dist/coord.cjs'), 'reserve', 'mine', '--agent', 'dan'],
      { cwd: repo.top, env: traced },
    );
    repo.git('commit', '-q', '--allow-empty', '-m', 'moved');
    const lines = readFileSync(trace, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, any>);
    expect(new Set(lines.map((line) => line['pid'])).size).toBe(1);
    expect(
      lines
        .filter((line) => line['what'] === 'git')
        .map((line) => line['args'].find((arg: string) => /^[a-z-]+$/.test(arg))),
    ).toEqual(['update-ref']);
  });

  test('what a session leaves in the repository ends with it [SYS-2]', () => {
    const repo = repository();
    const started = repo.coord(null, 'session', 'start', 'ann').json;
    const env = { COORD_AGENT: 'ann', COORD_SESSION: started['token'] as string };
    const session = { coord: (...args: string[]) => repo.start(null, args, env).ended };
    return session.coord('reserve', 'a').then(async (ran) => {
      expect(ran.code, ran.stdout).toBe(0);
      expect((await session.coord('session', 'end')).json['leases']).toHaveLength(1);
      expect(repo.git('for-each-ref', '--format=%(refname)', 'refs/coord').trim()).toBe(
        'refs/coord/log',
      );
      expect(repo.coord(null, 'status').json).toMatchObject({ agents: [], leases: [], waits: [] });
    });
  });

  test('coord moves no branch, index or work tree, and writes no commit on a branch [SYS-4]', () => {
    const repo = repository();
    repo.write('f', 'text');
    repo.git('add', 'f');
    const look = (): string =>
      [
        'rev-parse HEAD',
        'status --porcelain',
        'reflog',
        'stash list',
        'config --list --local',
        'branch -a',
        'tag',
      ]
        .map((line) => repo.git(...line.split(' ')))
        .join('\n');
    const before = look();
    for (const args of [
      ['reserve', 'f'],
      ['claim', 'bd-1'],
      ['lock', 'x'],
      ['release', '--all'],
      ['sweep'],
      ['doctor', '--fix'],
      ['session', 'end'],
    ])
      repo.coord('ann', ...args);
    expect(look()).toBe(before);
    expect(repo.git('fsck', '--strict')).not.toMatch(/error|missing/);
  });
});
