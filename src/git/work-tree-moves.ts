/** Work trees are made and taken away: by git where it can, and never half. */
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
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
      'git worktree list',
    );
  }
  const made = workTreesOf(repository).find((tree) => tree.isThere && tree.path === path);
  if (made === undefined)
    throw new CoordError('git_failed', `git made no work tree at '${path}'`, 'git worktree list');
  return made;
}

/** Of one whose folder is gone git still has the rest: the folder gets its link to that again. */
export function reviveTree(tree: WorkTree, path: string): WorkTree {
  mkdirSync(path, { recursive: true });
  writeFileSync(join(path, '.git'), `gitdir: ${tree.gitDir}\n`);
  writeFileSync(join(tree.gitDir, 'gitdir'), `${join(path, '.git')}\n`);
  return { ...tree, path, isThere: true };
}

const removing = 'coord is removing it: ';

/**
 * Out of the way under another name, so that nobody comes into it by its path; git is told to leave
 * it alone meanwhile.
 */
export function setAside(tree: WorkTree): WorkTree {
  const aside = join(dirname(tree.path), `.${basename(tree.path)}.removing-${tree.id.slice(-8)}`);
  writeFileSync(join(tree.gitDir, 'locked'), `${removing}${aside}\n`);
  try {
    renameSync(tree.path, aside);
  } catch (error) {
    rmSync(join(tree.gitDir, 'locked'), { force: true });
    throw new CoordError(
      'not_writable',
      `'${tree.path}' cannot be moved: ${error instanceof Error ? error.message : String(error)}`,
      'coord work list',
      error,
    );
  }
  return { ...tree, path: aside };
}

export function putWhereItWas(tree: WorkTree, aside: string): void {
  if (existsSync(aside) && !existsSync(tree.path)) renameSync(aside, tree.path);
  rmSync(join(tree.gitDir, 'locked'), { force: true });
}

/** What git knows of it. */
export function forgetTree({ commonDir }: Repository, { gitDir }: WorkTree): void {
  rmSync(gitDir, { recursive: true, force: true });
  const folder = join(commonDir, 'worktrees');
  if (existsSync(folder) && readdirSync(folder).length === 0) rmSync(folder, { recursive: true });
}

/** A link in it is taken away itself, never what it leads to. */
export function takeAway(aside: string): void {
  rmSync(aside, { recursive: true, force: true, maxRetries: 3 });
}

/** Whoever was removing it was killed: it is where it was again. */
export function undoneRemovals(trees: readonly WorkTree[]): readonly WorkTree[] {
  return trees.filter(({ locked, isThere, isMain, path }) => {
    const aside = locked?.startsWith(removing) === true ? locked.slice(removing.length) : null;
    return !isMain && !isThere && aside !== null && existsSync(aside) && !existsSync(path);
  });
}

export function asideOf({ locked }: WorkTree): string {
  return locked?.startsWith(removing) === true ? locked.slice(removing.length) : '';
}

export function deleteBranch(repository: Repository, branch: string, head: Oid): void {
  runGit(repository.git, [`--git-dir=${repository.commonDir}`, 'update-ref', '-d', branch, head]);
}
