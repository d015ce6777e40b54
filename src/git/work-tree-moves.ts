/** Work trees are made by git, and their branches go with them. */
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { CoordError } from '../core/errors.ts';
import type { Oid } from '../core/ids.ts';
import { commitAt } from './commits.ts';
import type { Repository } from './repository.ts';
import { porcelain, runGit } from './run-git.ts';
import { type WorkTree, workTreesOf } from './work-trees.ts';

interface NewWorkTree {
  readonly path: string;
  /** Without `refs/heads/`; null for a HEAD of its own. */
  readonly branch: string | null;
  readonly from: Oid;
  /** Its files are put there by somebody else. */
  readonly isEmpty?: boolean;
}

/** On a new branch, or on one that stands there already. */
export async function addWorkTree(
  repository: Repository,
  { path, branch, from, isEmpty = false }: NewWorkTree,
): Promise<WorkTree> {
  if (existsSync(path) && readdirSync(path).length > 0)
    throw new CoordError('not_writable', `'${path}' is there already`, 'git worktree list');
  mkdirSync(dirname(path), { recursive: true });
  const there = branch === null ? null : commitAt(repository, `refs/heads/${branch}`);
  const how =
    branch === null
      ? ['--detach', path, from]
      : there === null
        ? ['-b', branch, path, from]
        : [path, branch];
  const simple = await porcelain(repository.git, repository.commonDir);
  try {
    await simple.raw(['worktree', 'add', '--quiet', ...(isEmpty ? ['--no-checkout'] : []), ...how]);
  } catch (error) {
    const said = error instanceof Error ? error.message.trim().split('\n').at(-1) : String(error);
    throw new CoordError(
      'git_failed',
      `git worktree add failed: ${said ?? ''}`,
      'coord doctor --fix',
    );
  }
  const made = workTreesOf(repository).find((tree) => tree.isThere && tree.path === path);
  if (made === undefined)
    throw new CoordError('git_failed', `git made no work tree at '${path}'`, 'git worktree list');
  return made;
}

/** False where it stays: somebody has moved it meanwhile. */
export function deleteBranch(repository: Repository, branch: string, head: Oid): boolean {
  const { code } = runGit(repository.git, [
    `--git-dir=${repository.commonDir}`,
    'update-ref',
    '-d',
    branch,
    head,
  ]);
  return code === 0;
}
