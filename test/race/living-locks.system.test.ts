/**
 * The lock of a git that lives is left alone.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { canSeeAll, gitGate } from '../support/gate.ts';
import { coordProgram, eventually, type Ran, run } from '../support/repository.ts';
import { checkout, session } from '../support/sessions.ts';
import { lockFindings, mendedIn, prepared, stoppedIn } from './stopped-git.ts';

describe('a lock of a git that lives [B7]', () => {
  const spawned = (file: string, args: readonly string[], cwd: string, env = {}): ChildProcess => {
    const child = spawn(file, args, {
      cwd,
      env: { ...process.env, ...env },
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    return child;
  };

  /** Where it could be told that nobody holds it, it is told that this one may. */
  function isLeft(lock: string, fixed: Ran, pid?: number): void {
    const whose = canSeeAll ? `git with process id ${pid ?? '\\d+'} may hold it` : 'cannot be told';
    expect(existsSync(lock)).toBe(true);
    expect(mendedIn(fixed)).toEqual([]);
    expect(lockFindings(fixed)).toEqual([
      expect.objectContaining({ says: expect.stringMatching(whose) }),
    ]);
    if (canSeeAll) expect(fixed.code, fixed.stdout).toBe(0);
  }

  test(
    'is left while it is stopped, and its commit goes through afterwards',
    { timeout: 60_000 },
    async () => {
      const repo = prepared();
      const git = await stoppedIn(repo, 'pre-commit', ['commit', '-qam', 'x']);
      git.kill('SIGSTOP');
      isLeft(join(repo.top, '.git/index.lock'), repo.coord(null, 'doctor', '--fix'), git.pid);
      git.kill('SIGCONT');
      const ended = new Promise((done) => git.once('close', done));
      writeFileSync(join(repo.top, '../gate'), '');
      expect(await ended).toBe(0);
      expect(repo.git('log', '-1', '--format=%s').trim()).toBe('x');
    },
  );

  test(
    'is left where coord is called by another name of the repository',
    { timeout: 60_000 },
    async () => {
      const repo = prepared();
      const { PWD: _, ...env } = { PWD: '', ...repo.env };
      const git = await stoppedIn(repo, 'pre-commit', ['commit', '-qam', 'x'], { env });
      const link = join(repo.top, '../link');
      symlinkSync(repo.top, link);
      const fixed = run(join(repo.top, '..'), repo.env, [
        '--json',
        '-C',
        'link',
        'doctor',
        '--fix',
      ]);
      isLeft(join(repo.top, '.git/index.lock'), fixed, git.pid);
    },
  );

  test(
    'is left where the git stands elsewhere and was told the repository by a relative path',
    { timeout: 60_000 },
    async () => {
      const repo = prepared();
      const elsewhere = join(repo.top, '../elsewhere');
      mkdirSync(elsewhere);
      const git = await stoppedIn(
        repo,
        'pre-commit',
        ['--git-dir=../repo/.git', '--work-tree=.', 'commit', '-qam', 'x'],
        { cwd: elsewhere, env: { ...repo.env, PWD: elsewhere } },
      );
      isLeft(join(repo.top, '.git/index.lock'), repo.coord(null, 'doctor', '--fix'), git.pid);
    },
  );

  test(
    'is left where the git has the repository mounted elsewhere, as in a container',
    { timeout: 60_000 },
    async () => {
      const repo = prepared();
      const inside = join(repo.top, '../inside');
      mkdirSync(inside);
      const lock = join(repo.top, '.git/index.lock');
      const file = join(repo.top, '../git');
      copyFileSync('/bin/sh', file);
      // A name of its own for the same place, in whose file system the name that coord knows means
      // nothing.
      const script = `mount --bind '${repo.top}' '${inside}' && cd '${inside}' && exec env -i ../git -c ': >.git/index.lock; read line' commit`;
      const child = spawned('unshare', ['-rm', 'sh', '-c', script], repo.top);
      await eventually('it is there', () => existsSync(lock));
      isLeft(lock, repo.coord(null, 'doctor', '--fix'));
      child.stdin?.end();
    },
  );

  test(
    'of an index is left while a git status is at work, which never holds that of a ref',
    { timeout: 60_000 },
    async () => {
      const repo = prepared();
      const file = join(repo.top, '../git');
      copyFileSync('/bin/sh', file);
      const child = spawned(file, ['-c', 'echo >here; read line', 'status'], repo.top);
      await eventually('it is at work', () => existsSync(join(repo.top, 'here')));
      writeFileSync(join(repo.top, '.git/index.lock'), '');
      isLeft(join(repo.top, '.git/index.lock'), repo.coord(null, 'doctor', '--fix'), child.pid);
      writeFileSync(join(repo.top, '.git/refs/coord/log.lock'), '');
      expect(repo.coord('ann', 'reserve', 'src/c').code).toBe(canSeeAll ? 0 : 75);
    },
  );

  test(
    'is left where it is coord that holds it, stopped in the middle',
    { timeout: 60_000 },
    async () => {
      const repo = checkout();
      const ann = session(repo, 'ann');
      repo.write('src/b', 'by hand\n');
      repo.git('commit', '-qam', 'moves HEAD');
      const gate = gitGate({ ...repo, env: ann.env }, 'before', false, 'update-index');
      const env = { ...ann.env, PATH: `${gate.env['PATH'] ?? ''}` };
      const { ended } = repo.start(null, ['stage', 'refresh'], env);
      await gate.reached();
      const lock = `${ann.env['COORD_STAGE'] ?? ''}.lock`;
      expect(existsSync(lock)).toBe(true);
      isLeft(lock, repo.coord(null, 'doctor', '--fix'));
      gate.open();
      expect((await ended).code).toBe(0);
    },
  );

  test(
    'is left where processes are hidden; that of the log goes, because somebody has asked for it',
    { timeout: 60_000 },
    () => {
      const repo = prepared();
      const [index, log] = ['index.lock', 'refs/coord/log.lock'].map((name) =>
        join(repo.top, '.git', name),
      );
      for (const file of [index, log]) writeFileSync(file ?? '', '');
      const inside = (...args: readonly string[]): Ran => {
        const child = spawnSync(
          'unshare',
          ['-rpf', '--mount-proc', process.execPath, coordProgram, '--json', ...args],
          { cwd: repo.top, env: repo.env, encoding: 'utf8' },
        );
        return {
          code: child.status ?? -1,
          stdout: child.stdout,
          stderr: child.stderr,
          json: JSON.parse(child.stdout) as Ran['json'],
        };
      };
      const before = inside('doctor');
      expect(before.code).toBe(1);
      expect(
        lockFindings(before).map(({ says, next }) => [says.includes('in a container'), next]),
      ).toEqual([
        [true, `once no git is at work here: rm '${index}'`],
        [true, 'coord doctor --fix, once no git is at work here'],
      ]);
      expect(mendedIn(inside('doctor', '--fix'))).toEqual([expect.stringContaining(`'${log}'`)]);
      expect(existsSync(index ?? '')).toBe(true);
      expect(existsSync(log ?? '')).toBe(false);
    },
  );
});
