/**
 * A sparse checkout: git keeps its patterns for the work tree, but marks the files that are left
 * out in the index that it works with alone. In other indexes of the work tree they would look
 * deleted, or, once they are back, as if nobody had changed them.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { gitWithIndex, rewrite } from './index-file.ts';
import type { Repository } from './repository.ts';
import { runGit } from './run-git.ts';

function hasPatterns({ gitDir }: Repository): boolean {
  return existsSync(join(gitDir, 'info', 'sparse-checkout'));
}

function isSparse(repository: Repository): boolean {
  if (!hasPatterns(repository)) return false;
  const asked = ['config', '--type=bool', '--get', 'core.sparseCheckout'];
  const { stdout } = runGit(repository.git, [`--git-dir=${repository.gitDir}`, ...asked]);
  return stdout.toString('utf8').trim() === 'true';
}

/** By path, whether the index marks it as left out. */
function marksIn(repository: Repository, index: string): ReadonlyMap<string, boolean> {
  const { stdout } = gitWithIndex(repository, index, ['ls-files', '-t', '-z']);
  const lines = stdout.toString('utf8').split('\0');
  return new Map(
    lines.flatMap((line) => (line === '' ? [] : [[line.slice(2), line.startsWith('S ')] as const])),
  );
}

function mark(
  repository: Repository,
  index: string,
  paths: readonly string[],
  isLeftOut: boolean,
): void {
  if (paths.length === 0) return;
  const flag = isLeftOut ? '--skip-worktree' : '--no-skip-worktree';
  const lines = paths.map((path) => `${path}\0`).join('');
  const args = ['update-index', flag, '-z', '--stdin'];
  rewrite(
    repository,
    index,
    index,
    (draft) => gitWithIndex(repository, draft, args, lines).code === 0,
  );
}

function isAbsent({ top }: Repository, path: string): boolean {
  return !existsSync(join(top, path));
}

/** Marks what came into an index from HEAD, and was left out of the work tree. */
export function leaveOutAbsent(
  repository: Repository,
  index: string,
  brought: () => readonly string[],
): void {
  if (!isSparse(repository)) return;
  const marks = marksIn(repository, index);
  const absent = brought().filter(
    (path) => marks.get(path) === false && isAbsent(repository, path),
  );
  mark(repository, index, absent, true);
}

/** Marks in one index what git has marked in another one, as far as the files are as it says. */
export function followMarks(repository: Repository, index: string, from: string): void {
  if (!hasPatterns(repository)) return;
  const theirs = marksIn(repository, from);
  const differing = [...marksIn(repository, index)].filter(
    ([path, isLeftOut]) => theirs.get(path) === !isLeftOut,
  );
  // Only where the file is as the mark says: else git has still to take it away, or to bring it.
  const asItIs = differing.filter(([path, isLeftOut]) => isAbsent(repository, path) === !isLeftOut);
  for (const isLeftOut of [true, false]) {
    const paths = asItIs.flatMap(([path, wasLeftOut]) => (wasLeftOut === isLeftOut ? [] : [path]));
    mark(repository, index, paths, isLeftOut);
  }
}
