/**
 * Lock files that a killed git leaves anywhere in the git folder: named by doctor, taken away on
 * request, and never those of a git that lives.
 */
import { type ChildProcess, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { canSeeAll } from '../support/gate.ts';
import { repository, type TestRepository } from '../support/repository.ts';
import { session } from '../support/sessions.ts';
import { lockFindings, mendedIn, prepared, stoppedIn } from './stopped-git.ts';

async function killed(child: ChildProcess): Promise<void> {
  const ended = new Promise((done) => child.once('close', done));
  child.kill('SIGKILL');
  await ended;
}

/**
 * Where processes are hidden, whether a git lives cannot be told, and only coord's own refs are
 * freed on request.
 */
const tells = canSeeAll ? 'no git is at work' : 'whether a git holds it cannot be told';

const isFreed = (lock: string): boolean =>
  canSeeAll || /(refs\/coord\/log|packed-refs)\.lock$/.test(lock);

/** Names all of these, and takes away what it may. */
function doctorFrees(repo: TestRepository, locks: readonly string[]): void {
  const ran = repo.coord(null, 'doctor');
  const named = lockFindings(ran).map(({ standing, says }) => [
    standing,
    /^'([^']+)' is \d+s old/.exec(says)?.[1] ?? says,
    says.includes(tells),
  ]);
  expect(ran.code).toBe(1);
  expect(named.toSorted()).toEqual(locks.map((lock) => ['fail', lock, true]).toSorted());
  const fixed = mendedIn(repo.coord(null, 'doctor', '--fix'));
  const freed = locks.filter(isFreed);
  expect(
    fixed
      .map((line) => /^took away the git lock '([^']+)', \d+s old$/.exec(line)?.[1] ?? line)
      .toSorted(),
  ).toEqual(freed.toSorted());
  expect(locks.filter((lock) => !existsSync(lock)).toSorted()).toEqual(freed.toSorted());
}

describe('a git was killed [B7]', () => {
  test(
    'in a commit: doctor names index.lock with its age, --fix takes it away, and the commit works again',
    { timeout: 60_000 },
    async () => {
      const repo = prepared();
      await killed(await stoppedIn(repo, 'pre-commit', ['commit', '-qam', 'x']));
      const lock = join(repo.top, '.git/index.lock');
      const commit = (): number | null =>
        spawnSync('git', ['commit', '-qam', 'y'], { cwd: repo.top, env: repo.env }).status;
      expect(commit()).toBe(128);
      doctorFrees(repo, [lock]);
      expect(commit()).toBe(canSeeAll ? 0 : 128);
    },
  );

  test(
    'in the update of a branch: HEAD.lock and refs/heads/main.lock go too',
    { timeout: 60_000 },
    async () => {
      const repo = prepared();
      const commit = repo.git('commit-tree', 'HEAD^{tree}', '-p', 'HEAD', '-m', 'next').trim();
      await killed(
        await stoppedIn(repo, 'reference-transaction', ['update-ref', 'refs/heads/main', commit]),
      );
      const locks = ['HEAD.lock', 'refs/heads/main.lock']
        .map((name) => join(repo.top, '.git', name))
        .filter(existsSync);
      expect(locks).toContain(join(repo.top, '.git/refs/heads/main.lock'));
      doctorFrees(repo, locks);
      expect(
        spawnSync('git', ['update-ref', 'refs/heads/main', commit], {
          cwd: repo.top,
          env: repo.env,
        }).status,
      ).toBe(canSeeAll ? 0 : 128);
    },
  );

  test(
    'anywhere: each kind of lock is named and taken away, and nothing else is',
    { timeout: 60_000 },
    () => {
      const repo = prepared();
      const ann = session(repo, 'ann');
      repo.git('worktree', 'add', '-q', '-b', 'side', '../side');
      const stage = (ann.env['COORD_STAGE'] ?? '').slice(join(repo.top, '.git/').length);
      const locks = [
        'HEAD',
        'index',
        'config',
        'packed-refs',
        'shallow',
        'ORIG_HEAD',
        'FETCH_HEAD',
        'MERGE_RR',
        'next-index-123',
        'refs/heads/topic/deep',
        'refs/stash',
        'refs/coord/log',
        'logs/refs/heads/main',
        'info/sparse-checkout',
        'objects/maintenance',
        'objects/info/commit-graph',
        'objects/info/commit-graphs/commit-graph-chain',
        'objects/pack/multi-pack-index',
        'sequencer/todo',
        'worktrees/side/HEAD',
        'worktrees/side/index',
        'worktrees/side/logs/HEAD',
        stage,
      ].map((name) => join(repo.top, '.git', `${name}.lock`));
      const others = [
        'poetry.lock',
        'hooks/yarn.lock',
        'lfs/any.lock',
        'coord/edits/a.lock',
        'refs/heads/main',
        'index',
      ].map((name) => join(repo.top, '.git', name));
      for (const file of [...locks, ...others.slice(0, 4)]) {
        mkdirSync(join(file, '..'), { recursive: true });
        writeFileSync(file, '');
      }
      doctorFrees(repo, locks);
      expect(others.filter((file) => !existsSync(file))).toEqual([]);
    },
  );
});

test('doctor names the lock of a submodule as that of another repository [B7]', () => {
  const repo = repository();
  const inner = repository();
  inner.write('f');
  inner.git('add', '.');
  inner.git('commit', '-qm', 'f');
  repo.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', inner.top, 'sub');
  writeFileSync(join(repo.top, '.git/modules/sub/index.lock'), '');
  const ran = repo.coord(null, 'doctor');
  expect(ran.code).toBe(0);
  expect(lockFindings(ran)).toEqual([
    expect.objectContaining({
      standing: 'note',
      says: expect.stringContaining('is of a submodule'),
    }),
  ]);
});
