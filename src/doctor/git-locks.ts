/**
 * Every lock file that a git may have left in the repository's git folder: named with its age and
 * with what is known of its owner, and taken away on request where that is provably nobody. The
 * proofs are those of ref-lock.ts and live-git.ts.
 */
import { type Dirent, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { formatDuration } from '../core/instant.ts';
import { limits } from '../core/limits.ts';
import { localPath, wallAge } from '../git/local.ts';
import type { Repository } from '../git/repository.ts';
import { liveGit } from '../log/live-git.ts';
import {
  type HeldLock,
  heldLocks,
  isSameLock,
  lockAt,
  removeLock,
  whyDoubtful,
} from '../log/ref-lock.ts';
import { type Finding, fail, note, ok } from './findings.ts';

/**
 * What git locks beside refs, logs and the like; `next-index-<pid>` is of a commit of some paths.
 */
const lockedNames =
  /^([A-Z][A-Z_]*|index|config|config\.worktree|packed-refs|shallow|gc\.pid|next-index-\d+)(\.orphan-\d+)?\.lock$/;

/** Folders of a git folder in which any lock is git's. */
const lockedFolders: readonly string[] = [
  'refs',
  'logs',
  'info',
  'reftable',
  'sequencer',
  'rebase-merge',
  'rebase-apply',
  'objects/info',
];
const isLock = (name: string): boolean => name.endsWith('.lock');

/**
 * Those of this repository: of all its work trees, of private indexes, of coord's copy of a remote
 * log.
 */
function gitLocks(repository: Repository): readonly HeldLock[] {
  const { commonDir } = repository;
  return [...locksOf(commonDir), ...locksOf(localPath(commonDir, 'remote/copy.git'))].flatMap(
    (file) => lockAt(file) ?? [],
  );
}

/** Those of submodules, which are repositories of their own. */
function submoduleLocks({ commonDir }: Repository): readonly HeldLock[] {
  return gitFoldersBelow(join(commonDir, 'modules'))
    .flatMap(locksOf)
    .flatMap((file) => lockAt(file) ?? []);
}

function locksOf(gitFolder: string): readonly string[] {
  const stages = localPath(gitFolder, 'stages');
  return [
    ...filesIn(gitFolder, (name) => lockedNames.test(name)),
    ...lockedFolders.flatMap((name) => filesBelow(join(gitFolder, name))),
    ...['objects', 'objects/pack'].flatMap((name) => filesIn(join(gitFolder, name), isLock)),
    ...foldersIn(stages).flatMap((name) => filesIn(join(stages, name), isLock)),
    // Of an index that coord was making anew.
    ...filesIn(localPath(gitFolder, '.'), (name) => /^draft-.*\.lock$/.test(name)),
    ...foldersIn(join(gitFolder, 'worktrees')).flatMap((name) =>
      locksOf(join(gitFolder, 'worktrees', name)),
    ),
  ];
}

/** A submodule may have slashes in its name. */
function gitFoldersBelow(folder: string): readonly string[] {
  return foldersIn(folder).flatMap((name) => {
    const inner = join(folder, name);
    const isGitFolder = lockAt(join(inner, 'HEAD')) !== null;
    return isGitFolder
      ? [inner, ...gitFoldersBelow(join(inner, 'modules'))]
      : gitFoldersBelow(inner);
  });
}

function entriesOf(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

function filesIn(folder: string, wanted: (name: string) => boolean): readonly string[] {
  return entriesOf(folder)
    .filter((entry) => entry.isFile() && wanted(entry.name))
    .map(({ name }) => join(folder, name));
}

function foldersIn(folder: string): readonly string[] {
  return entriesOf(folder)
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);
}

function filesBelow(folder: string): readonly string[] {
  return [
    ...filesIn(folder, isLock),
    ...foldersIn(folder).flatMap((name) => filesBelow(join(folder, name))),
  ];
}

interface Judged {
  readonly lock: HeldLock;
  /** Why it is left: nothing where it is provably nobody's. */
  readonly left: { readonly why: string; readonly pid?: number } | null;
}

const pollMs = 50;

/**
 * What stays the very same for a second is judged; whatever is gone by then was somebody's, and in
 * order.
 */
async function judged(
  repository: Repository,
  sleep: (ms: number) => Promise<void>,
): Promise<readonly Judged[]> {
  let same = gitLocks(repository);
  for (let waitedMs = 0; same.length > 0 && waitedMs < limits.orphanLockMs; waitedMs += pollMs) {
    await sleep(pollMs);
    same = same.filter((lock) => isSameLock(lock, lockAt(lock.file)));
  }
  if (same.length === 0) return [];
  const doubt = whyDoubtful(repository);
  if (doubt !== null)
    return same.map((lock) => ({
      lock,
      left: { why: `whether a git holds it cannot be told: ${doubt}` },
    }));
  const pid = liveGit(repository);
  const me = process.getuid?.() ?? 0;
  return same.map((lock): Judged => {
    if (pid !== null) return { lock, left: { why: `git with process id ${pid} may hold it`, pid } };
    const isForeign = me !== 0 && lock.owner !== me;
    return {
      lock,
      left: isForeign
        ? { why: 'it belongs to another user, whose processes are not all seen from here' }
        : null,
    };
  });
}

/**
 * Takes away what is provably nobody's; of coord's own refs also where that cannot be told, since
 * somebody has asked for it.
 */
export async function clearLocks(
  repository: Repository,
  sleep: (ms: number) => Promise<void>,
): Promise<readonly string[]> {
  const found = await judged(repository, sleep);
  const isDoubtful = whyDoubtful(repository) !== null;
  const isPlainlyAtWork =
    isDoubtful && process.platform === 'linux' && found.length > 0 && liveGit(repository) !== null;
  const asked = isDoubtful && !isPlainlyAtWork ? heldLocks(repository) : [];
  return found
    .filter(
      ({ lock, left }) =>
        (left === null || asked.some((other) => isSameLock(lock, other))) && removeLock(lock),
    )
    .map(({ lock }) => `took away the git lock '${lock.file}', ${ageOf(lock)} old`);
}

export async function lockFindings(
  repository: Repository,
  sleep: (ms: number) => Promise<void>,
): Promise<readonly Finding[]> {
  const found = await judged(repository, sleep);
  const doubt = whyDoubtful(repository);
  const own = heldLocks(repository);
  // One that its git has given back meanwhile is nobody's trouble.
  const still = found.filter(({ lock }) => {
    const now = lockAt(lock.file);
    return now !== null && isSameLock(lock, now);
  });
  const told = still.map(({ lock, left }) =>
    findingOf(
      lock,
      left,
      own.some((other) => isSameLock(lock, other)),
    ),
  );
  const elsewhere = submoduleLocks(repository).map((lock) =>
    note(
      'git locks',
      `'${lock.file}', ${ageOf(lock)} old, is of a submodule, which is a repository of its own`,
      'coord doctor, in the submodule',
    ),
  );
  return [
    ...(told.length + elsewhere.length === 0
      ? [ok('git locks', 'none is held')]
      : [...told, ...elsewhere]),
    doubt === null
      ? ok('recovery', 'the lock of a killed git on the log is taken away after a second')
      : note(
          'recovery',
          `the lock of a killed git is not taken away by itself, because ${doubt}`,
          'coord doctor --fix, when it happens and no git is at work',
        ),
  ];
}

function findingOf(lock: HeldLock, left: Judged['left'], isOwn: boolean): Finding {
  const what = `'${lock.file}' is ${ageOf(lock)} old`;
  if (left === null)
    return fail(
      'git locks',
      `${what}, and no git is at work in this repository`,
      'coord doctor --fix',
    );
  if (left.pid !== undefined)
    return note('git locks', `${what}: ${left.why}`, `ps -o pid,etime,args -p ${left.pid}`);
  const next = isOwn
    ? 'coord doctor --fix, once no git is at work here'
    : `once no git is at work here: rm '${lock.file.replaceAll("'", "'\\''")}'`;
  return fail('git locks', `${what}; ${left.why}`, next);
}

function ageOf({ written }: HeldLock): string {
  return formatDuration(Math.max(0, wallAge(Number(written / 1_000_000n))));
}
