/**
 * An index as a file of its own, beside the repository's: born from a copy, brought from the commit
 * it is based on to another one, and always replaced whole.
 */
import {
  closeSync,
  copyFileSync,
  existsSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
} from 'node:fs';
import { join } from 'node:path';
import type { Oid } from '../core/ids.ts';
import { localDraft } from './local.ts';
import { isBelow, type PathChange, parseRaw, withSubmodules } from './path-changes.ts';
import type { Repository } from './repository.ts';
import { type GitResult, noIndexHook, runGit, runPlain } from './run-git.ts';

/** git with this index, in this work tree. */
export function gitWithIndex(
  repository: Repository,
  file: string,
  args: readonly string[],
  input: string | Buffer = '',
): GitResult {
  const { git, gitDir, top } = repository;
  return runGit(
    { ...git, env: { ...git.env, GIT_INDEX_FILE: file } },
    [`--git-dir=${gitDir}`, `--work-tree=${top}`, ...args],
    input,
    top,
  );
}

/**
 * git takes a file for unchanged only if it is older than the index, so the copy may not look
 * younger.
 */
export function copyWithTime(from: string, to: string): void {
  const { atimeMs, mtimeMs } = statSync(from);
  copyFileSync(from, to);
  utimesSync(to, atimeMs / 1_000, Math.floor(mtimeMs) / 1_000);
}

/**
 * With git's own lock of the index held, like every git that writes it; null where somebody else
 * holds it. Where nobody may write, nobody does.
 */
export function withIndexLock<T>(file: string, work: () => T): T | null {
  const lock = `${file}.lock`;
  let descriptor: number;
  try {
    descriptor = openSync(lock, 'wx');
  } catch (error) {
    if (/^(EROFS|EACCES|EPERM)$/.test((error as NodeJS.ErrnoException).code ?? '')) throw error;
    return null;
  }
  try {
    return work();
  } finally {
    // It stays open so long, so that whoever looks for orphans sees whose it is.
    rmSync(lock, { force: true });
    closeSync(descriptor);
  }
}

/** Works on a copy, and puts it in place only if the work came out right. */
export function rewrite(
  { gitDir }: Repository,
  file: string,
  from: string,
  work: (draft: string) => boolean,
): boolean {
  const draft = localDraft(gitDir);
  try {
    if (existsSync(from)) copyWithTime(from, draft);
    if (!work(draft) || !existsSync(draft)) return false;
    renameSync(draft, file);
    return true;
  } finally {
    rmSync(draft, { force: true });
    rmSync(`${draft}.lock`, { force: true });
  }
}

/**
 * A new index that holds exactly what `head` does, with what `seed` knows of the files in the work
 * tree.
 */
export function bornFrom(
  repository: Repository,
  file: string,
  seed: string,
  head: Oid | null,
): boolean {
  return rewrite(
    repository,
    file,
    seed,
    (draft) =>
      gitWithIndex(
        repository,
        draft,
        head === null ? ['read-tree', '--empty'] : ['read-tree', '--reset', head],
      ).code === 0,
  );
}

/**
 * From `base` to `head`, keeping what is staged: what is staged and changed there too stops it, and
 * nothing is done.
 */
export function carryForward(
  repository: Repository,
  file: string,
  base: Oid,
  head: Oid,
  changes: readonly PathChange[] = [],
): boolean {
  return base === head || carryAside(repository, file, file, base, head, changes);
}

/**
 * The same into another file, which is made from `from`. Few known changes are cheaper than two
 * trees.
 */
export function carryAside(
  repository: Repository,
  file: string,
  from: string,
  base: Oid,
  head: Oid,
  changes: readonly PathChange[] = [],
): boolean {
  const added = changes.flatMap(({ path, before, after }) =>
    before === null && after !== null ? [path] : [],
  );
  if (added.length > 0 && isInTheWay(repository, from, base, added)) return false;
  const isFew =
    changes.length > 0 &&
    changes.length <= fewChanges &&
    added.length === 0 &&
    !existsSync(join(repository.gitDir, 'info', 'sparse-checkout'));
  return rewrite(
    repository,
    file,
    from,
    (draft) =>
      (isFew && putIn(repository, draft, changes)) ||
      gitWithIndex(repository, draft, ['read-tree', '-i', '-m', base, head]).code === 0,
  );
}

const fewChanges = 50;

/**
 * Is a file staged where a folder comes, or in a folder where a file does? git would drop it
 * without a word.
 */
function isInTheWay(
  repository: Repository,
  file: string,
  base: Oid,
  added: readonly string[],
): boolean {
  return stagedSince(repository, file, base).some(
    ({ path, after }) =>
      after !== null && added.some((other) => isBelow(path, other) || isBelow(other, path)),
  );
}

/**
 * Only where the index holds of these paths just what they were before, and nothing where they were
 * not.
 */
function putIn(repository: Repository, draft: string, changes: readonly PathChange[]): boolean {
  const { stdout } = gitWithIndex(repository, draft, [
    'ls-files',
    '--stage',
    '-v',
    '-z',
    '--',
    ...changes.map(({ path }) => path),
  ]);
  // `H`: no mark of its own that a new entry would lose.
  const held = new Set(stdout.toString('utf8').split('\0'));
  const before = changes.flatMap(({ path, before: entry }) =>
    entry === null ? [] : `H ${entry} 0\t${path}`,
  );
  return (
    held.size === before.length + 1 &&
    before.every((line) => held.has(line)) &&
    stageIn(repository, draft, changes)
  );
}

function stageIn(repository: Repository, draft: string, changes: readonly PathChange[]): boolean {
  // A name that is no text would become another one.
  if (changes.some(({ path }) => path.includes('\ufffd'))) return false;
  const nothing = `0 ${'0'.repeat(repository.hash === 'sha1' ? 40 : 64)}`;
  const lines = changes.map(({ path, after }) => `${after ?? nothing}\t${path}\0`).join('');
  return gitWithIndex(repository, draft, ['update-index', '-z', '--index-info'], lines).code === 0;
}

/** Puts these entries into it, whatever else it holds. */
export function putEntries(
  repository: Repository,
  file: string,
  changes: readonly PathChange[],
): boolean {
  return rewrite(repository, file, file, (draft) => stageIn(repository, draft, changes));
}

/** Made anew from `seed`: what `head` holds, and what is staged beyond it. */
export function rebuild(
  repository: Repository,
  file: string,
  seed: string,
  head: Oid,
  staged: readonly PathChange[],
): boolean {
  return rewrite(
    repository,
    file,
    seed,
    (draft) =>
      gitWithIndex(repository, draft, ['read-tree', '--reset', head]).code === 0 &&
      stageIn(repository, draft, staged),
  );
}

/** What the index holds other than that commit does. */
export function stagedSince(
  repository: Repository,
  file: string,
  commit: Oid,
): readonly PathChange[] {
  const { code, stdout } = gitWithIndex(repository, file, [
    'diff-index',
    '--cached',
    withSubmodules,
    '--raw',
    '--no-abbrev',
    '--no-renames',
    '-z',
    commit,
    '--',
  ]);
  return code === 0 ? parseRaw(stdout.toString('utf8')) : [];
}

/**
 * The tree that a commit of it would have; null while it is unmerged. Its objects are written as
 * their user has it.
 */
export function treeOfIndex({ git, gitDir, top }: Repository, file: string): Oid | null {
  const { code, stdout } = runPlain(
    { ...git, env: { ...git.env, GIT_INDEX_FILE: file } },
    [...noIndexHook, `--git-dir=${gitDir}`, `--work-tree=${top}`, 'write-tree'],
    '',
    top,
  );
  return code === 0 ? stdout.toString('utf8').trim() : null;
}

export function unmerged(repository: Repository, file: string): boolean {
  return gitWithIndex(repository, file, ['ls-files', '--unmerged', '-z']).stdout.length > 0;
}

function firstBytes(file: string, count: number): Buffer {
  const descriptor = openSync(file, 'r');
  try {
    const bytes = Buffer.alloc(count);
    return bytes.subarray(0, readSync(descriptor, bytes));
  } finally {
    closeSync(descriptor);
  }
}

/** A header of twelve bytes, and the checksum behind it. */
const leastIndexBytes = 32;

/** Is it an index at all? One that holds nothing is: its user may have taken out everything. */
export function isSound(file: string): boolean {
  try {
    return (
      firstBytes(file, 4).toString('latin1') === 'DIRC' && statSync(file).size >= leastIndexBytes
    );
  } catch {
    return false;
  }
}

export function isLocked(file: string): boolean {
  return statSync(`${file}.lock`, { throwIfNoEntry: false }) !== undefined;
}
