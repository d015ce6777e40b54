/**
 * Lock files that a killed git leaves anywhere in the git folder: named by doctor, taken away on
 * request, and never those of a git that lives.
 */
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { canSeeAll, executable, gitGate } from '../support/gate.ts';
import {
  coordProgram,
  eventually,
  type Ran,
  repository,
  run,
  type TestRepository,
} from '../support/repository.ts';
import { checkout, session } from '../support/sessions.ts';

interface Finding {
  readonly check: string;
  readonly standing: string;
  readonly says: string;
  readonly next?: string;
}

function lockFindings(ran: Ran): readonly Finding[] {
  return (ran.json['checks'] as Finding[]).filter(({ check }) => check === 'git locks');
}

/** A git that has come to a hook of this name and waits there, with whatever it has locked. */
async function stoppedIn(
  repo: TestRepository,
  hook: string,
  args: readonly string[],
  { cwd = repo.top, env = repo.env } = {},
): Promise<ChildProcess> {
  const [gate, here] = [join(repo.top, '..', 'gate'), join(repo.top, '..', 'here')];
  execFileSync('mkfifo', [gate]);
  mkdirSync(join(repo.top, '.git/hooks'), { recursive: true });
  executable(
    join(repo.top, '.git/hooks', hook),
    `#!/bin/sh\n[ -e '${here}' ] && exit 0\necho 1 >'${here}'\nexec >/dev/null 2>&1\ncat '${gate}'\n`,
  );
  const child = spawn('git', args, { cwd, env, stdio: 'ignore' });
  onTestFinished(() => {
    child.kill('SIGKILL');
    spawnSync('sh', ['-c', `: <>'${gate}'`]);
  });
  await eventually(`git comes to ${hook}`, () => existsSync(here));
  return child;
}

async function killed(child: ChildProcess): Promise<void> {
  const ended = new Promise((done) => child.once('close', done));
  child.kill('SIGKILL');
  await ended;
}

/** With a change that is not committed. */
function prepared(): TestRepository {
  const repo = checkout({ guarded: false });
  repo.coord('ann', 'reserve', 'src/b');
  repo.write('src/a', 'changed\n');
  return repo;
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
  const fixed = repo.coord(null, 'doctor', '--fix').json['fixed'] as readonly string[];
  const freed = locks.filter(isFreed);
  expect(
    fixed
      .map((line) => /^took away the git lock '([^']+)', \d+s old$/.exec(line)?.[1] ?? line)
      .toSorted(),
  ).toEqual(freed.toSorted());
  expect(locks.filter((lock) => !existsSync(lock)).toSorted()).toEqual(freed.toSorted());
}

describe('B7: a git was killed', () => {
  test('in a commit: doctor names index.lock with its age, --fix takes it away, and the commit works again', {
    timeout: 60_000,
  }, async () => {
    const repo = prepared();
    await killed(await stoppedIn(repo, 'pre-commit', ['commit', '-qam', 'x']));
    const lock = join(repo.top, '.git/index.lock');
    const commit = (): number | null =>
      spawnSync('git', ['commit', '-qam', 'y'], { cwd: repo.top, env: repo.env }).status;
    expect(commit()).toBe(128);
    doctorFrees(repo, [lock]);
    expect(commit()).toBe(canSeeAll ? 0 : 128);
  });

  test('in the update of a branch: HEAD.lock and refs/heads/main.lock go too', {
    timeout: 60_000,
  }, async () => {
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
      spawnSync('git', ['update-ref', 'refs/heads/main', commit], { cwd: repo.top, env: repo.env })
        .status,
    ).toBe(canSeeAll ? 0 : 128);
  });

  test('anywhere: each kind of lock is named and taken away, and nothing else is', {
    timeout: 60_000,
  }, () => {
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
  });
});

describe('B7: a lock of a git that lives', () => {
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
    expect(fixed.json['fixed']).toEqual([]);
    expect(lockFindings(fixed)).toEqual([
      expect.objectContaining({ says: expect.stringMatching(whose) }),
    ]);
    if (canSeeAll) expect(fixed.code, fixed.stdout).toBe(0);
  }

  test('is left while it is stopped, and its commit goes through afterwards', {
    timeout: 60_000,
  }, async () => {
    const repo = prepared();
    const git = await stoppedIn(repo, 'pre-commit', ['commit', '-qam', 'x']);
    git.kill('SIGSTOP');
    isLeft(join(repo.top, '.git/index.lock'), repo.coord(null, 'doctor', '--fix'), git.pid);
    git.kill('SIGCONT');
    const ended = new Promise((done) => git.once('close', done));
    writeFileSync(join(repo.top, '../gate'), '');
    expect(await ended).toBe(0);
    expect(repo.git('log', '-1', '--format=%s').trim()).toBe('x');
  });

  test('is left where coord is called by another name of the repository', {
    timeout: 60_000,
  }, async () => {
    const repo = prepared();
    const { PWD: _, ...env } = { PWD: '', ...repo.env };
    const git = await stoppedIn(repo, 'pre-commit', ['commit', '-qam', 'x'], { env });
    const link = join(repo.top, '../link');
    symlinkSync(repo.top, link);
    const fixed = run(join(repo.top, '..'), repo.env, ['--json', '-C', 'link', 'doctor', '--fix']);
    isLeft(join(repo.top, '.git/index.lock'), fixed, git.pid);
  });

  test('is left where the git stands elsewhere and was told the repository by a relative path', {
    timeout: 60_000,
  }, async () => {
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
  });

  test('is left where the git has the repository mounted elsewhere, as in a container', {
    timeout: 60_000,
  }, async () => {
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
  });

  test('of an index is left while a git status is at work, which never holds that of a ref', {
    timeout: 60_000,
  }, async () => {
    const repo = prepared();
    const file = join(repo.top, '../git');
    copyFileSync('/bin/sh', file);
    const child = spawned(file, ['-c', 'echo >here; read line', 'status'], repo.top);
    await eventually('it is at work', () => existsSync(join(repo.top, 'here')));
    writeFileSync(join(repo.top, '.git/index.lock'), '');
    isLeft(join(repo.top, '.git/index.lock'), repo.coord(null, 'doctor', '--fix'), child.pid);
    writeFileSync(join(repo.top, '.git/refs/coord/log.lock'), '');
    expect(repo.coord('ann', 'reserve', 'src/c').code).toBe(canSeeAll ? 0 : 75);
  });

  test('is left where it is coord that holds it, stopped in the middle', {
    timeout: 60_000,
  }, async () => {
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
  });

  test('is left where processes are hidden; that of the log goes, because somebody has asked for it', {
    timeout: 60_000,
  }, () => {
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
    expect(inside('doctor', '--fix').json['fixed']).toEqual([expect.stringContaining(`'${log}'`)]);
    expect(existsSync(index ?? '')).toBe(true);
    expect(existsSync(log ?? '')).toBe(false);
  });
});

test('B7: doctor names the lock of a submodule as that of another repository', () => {
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
