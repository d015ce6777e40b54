/**
 * kill -9 at a seeded sample of system calls; and what a crash leaves behind is noticed. Needs:
 * strace.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { aftermath, commands, endsOf, template } from '../support/aftermath.ts';
import { copyOf } from '../support/copies.ts';
import { commonDir, logLock } from '../support/gate.ts';
import { sweepKills } from './kill-points.ts';

sweepKills(5);

describe('planted bug: the check of what a crash leaves behind finds', () => {
  const timeout = 60_000;

  test('a release of which half took effect', { timeout }, async () => {
    const repo = await template();
    const ends = endsOf(repo, commands.release);
    repo.coord('alice', 'release', 'src/a.ts');
    expect(await aftermath({ repo, ...ends }, null)).toEqual([
      expect.stringContaining('the state is neither before nor after'),
    ]);
  });

  test('a success that was told and did not happen, and an end as a bug', { timeout }, async () => {
    const repo = await template();
    const ends = endsOf(repo, commands.release);
    const other = copyOf(repo);
    expect(
      await aftermath({ repo, ...ends }, { code: 0, stdout: 'released', stderr: '', json: {} }),
    ).toEqual(['it was told that all is done: released']);
    expect(
      await aftermath({ repo: other, ...ends }, { code: 70, stdout: 'bug', stderr: '', json: {} }),
    ).toEqual(['it ended with exit 70: bug']);
  });

  test('a lock that blocks the next command', { timeout }, async () => {
    const repo = await template();
    const ends = endsOf(repo, commands.release);
    const git = spawn('git', ['hash-object', '--stdin'], {
      cwd: repo.top,
      env: repo.env,
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    writeFileSync(logLock(repo), '');
    const found = await aftermath({ repo, ...ends }, null);
    expect(found).toEqual(
      expect.arrayContaining([
        expect.stringContaining('the next command failed: exit 75'),
        'refs/coord/log.lock is left over',
      ]),
    );
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
