/** Where coord makes work trees, and what they and their branches are called. */
import { existsSync } from 'node:fs';
import { basename, dirname, isAbsolute, join } from 'node:path';
import { CoordError } from '../../core/errors.ts';
import { keptIn } from '../../draft/quarantine.ts';
import { realOf } from '../../git/paths.ts';
import { listRefs } from '../../git/refs.ts';
import type { Repository } from '../../git/repository.ts';
import { type WorkTree, workTreeAround } from '../../git/work-trees.ts';
import { noteOf } from './note.ts';

/** The main work tree, or where the repository is bare the folder that it is in. */
function mainFolder({ commonDir }: Repository): string {
  return basename(commonDir) === '.git' ? dirname(commonDir) : commonDir;
}

export function rootOf(repository: Repository, setting: string): string {
  const main = mainFolder(repository);
  if (setting === '') return `${realOf(main)}.work`;
  return isAbsolute(setting) ? setting : join(realOf(main), setting);
}

/** What git takes for a name, and a folder for one of its own. */
function nameFor(bead: string): string {
  return bead
    .replace(/[^A-Za-z0-9._-]+/g, '-')
    .replace(/\.{2,}|\.lock$|\.$/g, '-')
    .replace(/^[.-]+/, '');
}

export function branchFor(bead: string, attempt: number): string {
  return `coord/${nameFor(bead)}/${attempt}`;
}

export function pathFor(root: string, bead: string, attempt: number): string {
  return join(root, `${nameFor(bead)}-${attempt}`);
}

/**
 * Attempts are counted over all branches that are there, here or elsewhere, or were deleted, and
 * over folders that somebody has put there.
 */
export function nextAttempt(repository: Repository, root: string, bead: string): number {
  const prefix = `coord/${nameFor(bead)}/`;
  const branches = [
    ...listRefs(repository, `refs/heads/${prefix}`).keys(),
    ...[...listRefs(repository, 'refs/remotes/').keys()].filter((ref) =>
      ref.includes(`/${prefix}`),
    ),
    ...keptIn(repository).flatMap(({ branch }) => branch ?? []),
  ].filter((ref) => ref.includes(`/${prefix}`));
  const numbers = branches.map((ref) => Number(/\/(\d{1,6})$/.exec(ref)?.[1] ?? 0));
  let attempt = Math.max(0, ...numbers) + 1;
  while (existsSync(pathFor(root, bead, attempt))) attempt += 1;
  return attempt;
}

/** The linked work tree that is meant: by its bead, by its path, or the one that is stood in. */
export function treeMeant(
  trees: readonly WorkTree[],
  said: string | undefined,
  cwd: string,
): WorkTree {
  const linked = trees.filter(({ isMain }) => !isMain);
  const found =
    said === undefined
      ? workTreeAround(trees, cwd)
      : (linked.findLast((tree) => noteOf(tree)?.bead === said) ??
        linked.find((tree) => tree.id === said || basename(tree.path) === said) ??
        workTreeAround(linked, join(isAbsolute(said) ? '/' : cwd, said)));
  if (found !== null && !found.isMain) return found;
  throw new CoordError(
    'usage',
    said === undefined ? 'this is not a linked work tree' : `there is no work tree of '${said}'`,
    'coord work list',
  );
}
