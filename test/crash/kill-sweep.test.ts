/**
 * kill -9 at every system call that changes the repository, of coord and of its git: the state is as
 * before or as after, the next command works by itself, and nothing is left that cannot be mended.
 * A seeded sample each time; COORD_FULL_SWEEP=1 takes every one.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { aftermath, commands, endsOf, sampled, template } from '../support/aftermath.ts';
import { commonDir, logLock } from '../support/gate.ts';
import type { TestRepository } from '../support/repository.ts';
import { copyOf, inCopyOf, inTurn, record, runWithFault, type Point, type Program } from '../support/strace.ts';
import { seeded } from '../support/world.ts';

const full = process.env['COORD_FULL_SWEEP'] === '1';
const seed = Number(process.env['COORD_SEED'] ?? 20260101);
const pointsEach = 5;

interface Kill extends Point {
  readonly andCoord: boolean;
}

function told({ program, andCoord, call, nth, line }: Kill, fault: string): string {
  return `${program}${andCoord ? ' and coord' : ''} killed at ${call} ${nth}, ${line}: ${fault}`;
}

/** Every place to kill at. Objects are synced in threads beside the main one, which no recording numbers. */
async function killsIn(repo: TestRepository, args: readonly string[], program: Program): Promise<readonly Kill[]> {
  const points = await record(copyOf(repo), 'alice', args, program);
  if (program === 'git') return points.flatMap((point) => [false, true].map((andCoord) => ({ ...point, andCoord })));
  return [...points, { program, call: 'fsync', nth: 1, line: 'of an object' } as const].map((point) => ({ ...point, andCoord: false }));
}

describe.each(Object.entries(commands))(`kill -9 in coord %s, seed ${seed}`, (name, args) => {
  test.for(['coord', 'git'] as const)('P9 at calls of %s that change the repository: state before or after, and all goes on', { timeout: 1_800_000 }, async (program) => {
    const repo = await template();
    const ends = endsOf(repo, args);
    const kills = await killsIn(repo, args, program);
    expect(kills.length).toBeGreaterThan(pointsEach);
    const found = await inTurn(full ? kills : sampled(kills, pointsEach, seeded(seed + name.length)), 5, (kill) => inCopyOf(repo, async (copy) => {
      const ran = await runWithFault(copy, 'alice', args, { ...kill, when: String(kill.nth), effect: 'signal=KILL' });
      // Whether an object's folder has to be made depends on its id, and where the disk is slow all syncs but the first are in threads: such a call may not come.
      const isCertain = kill.call !== 'mkdir' && kill.call !== 'openat' && (kill.call !== 'fsync' || kill.nth === 1);
      const escaped = !isCertain || (ran.hit && (program === 'git' || ran.code === -1)) ? [] : ['it was not killed'];
      return [...escaped, ...await aftermath({ repo: copy, ...ends }, ran.code === -1 ? null : ran)].map((fault) => told(kill, fault));
    }));
    expect(found.flat()).toEqual([]);
  });
});

describe('planted bug: the check of what a crash leaves behind finds', () => {
  const timeout = 60_000;

  test('a release of which half took effect', { timeout }, async () => {
    const repo = await template();
    const ends = endsOf(repo, commands.release);
    repo.coord('alice', 'release', 'src/a.ts');
    expect(await aftermath({ repo, ...ends }, null)).toEqual([expect.stringContaining('the state is neither before nor after')]);
  });

  test('a success that was told and did not happen, and an end as a bug', { timeout }, async () => {
    const repo = await template();
    const ends = endsOf(repo, commands.release);
    const other = copyOf(repo);
    expect(await aftermath({ repo, ...ends }, { code: 0, stdout: 'released', stderr: '', json: {} })).toEqual(['it was told that all is done: released']);
    expect(await aftermath({ repo: other, ...ends }, { code: 70, stdout: 'bug', stderr: '', json: {} })).toEqual(['it ended with exit 70: bug']);
  });

  test('a lock that blocks the next command', { timeout }, async () => {
    const repo = await template();
    const ends = endsOf(repo, commands.release);
    const git = spawn('git', ['hash-object', '--stdin'], { cwd: repo.top, env: repo.env, stdio: ['pipe', 'ignore', 'ignore'] });
    writeFileSync(logLock(repo), '');
    const found = await aftermath({ repo, ...ends }, null);
    expect(found).toEqual(expect.arrayContaining([expect.stringContaining('the next command failed: exit 75'), 'refs/coord/log.lock is left over']));
    const ended = once(git, 'close');
    git.stdin.end();
    await ended;
  });

  test('an object that is lost', { timeout }, async () => {
    const repo = await template();
    const ends = endsOf(repo, commands.release);
    repo.write('work.txt', 'work');
    repo.git('add', 'work.txt');
    repo.git('commit', '-qm', 'work');
    const blob = repo.git('rev-parse', 'HEAD:work.txt').trim();
    rmSync(join(commonDir(repo), 'objects', blob.slice(0, 2), blob.slice(2)));
    expect(await aftermath({ repo, ...ends }, null)).toEqual([expect.stringContaining('git fsck')]);
  });
});
