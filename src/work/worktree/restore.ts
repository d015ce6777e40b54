/** What was kept of a work tree or a branch, back where it was and byte for byte. */
import { existsSync, lstatSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import type { RealWorld } from '../../agent/world.ts';
import { CoordError } from '../../core/errors.ts';
import type { Oid } from '../../core/ids.ts';
import { forget, type Kept, keptOfGone } from '../../draft/quarantine.ts';
import { emptyTree } from '../../draft/stage-base.ts';
import { commitAt } from '../../git/commits.ts';
import { treeOf } from '../../git/files-at.ts';
import { putBack } from '../../git/kept-files.ts';
import { bringAdmin, putTree, refreshIndex, reviveTree } from '../../git/put-tree.ts';
import { shortBranch, updateRefs, zeroOid } from '../../git/refs.ts';
import type { Repository } from '../../git/repository.ts';
import { addWorkTree } from '../../git/work-tree-moves.ts';
import { seenFrom, type WorkTree, workTreesOf } from '../../git/work-trees.ts';
import { settledTrees } from './remove.ts';

export interface Restored {
  readonly kept: Kept;
  /** Null where it was a branch alone. */
  readonly tree: WorkTree | null;
  /** The branch it is on: another one where its own has gone on since. */
  readonly branch: string | null;
  /** What git ignores, brought back too. */
  readonly files: readonly string[];
}

/** By its id, where it was, or its branch. */
export function keptMeant(world: RealWorld, said: string): Kept {
  const all = keptOfGone(world.repository, settledTrees(world.repository));
  const isBranch = ({ branch }: Kept): boolean =>
    branch === said || branch === `refs/heads/${said}`;
  // A branch alone, before a work tree that was on it.
  const found =
    all.find(({ id, path }) => id === said || path === said) ??
    all.find((one) => one.path === null && isBranch(one)) ??
    all.find(isBranch);
  if (found !== undefined) return found;
  throw new CoordError('usage', `nothing is kept under '${said}'`, 'coord rescue list');
}

export async function restoreWork(
  world: RealWorld,
  kept: Kept,
  to: string | undefined,
): Promise<Restored> {
  const { repository } = world;
  if (kept.path === null) {
    const branch = freeBranch(world, kept);
    setBranch(repository, branch, kept.head ?? kept.commit);
    forget(repository, [kept]);
    return { kept, tree: null, branch, files: [] };
  }
  const path = to ?? kept.path;
  if (existsSync(path) && (!lstatSync(path).isDirectory() || readdirSync(path).length > 0))
    throw new CoordError(
      'not_writable',
      `'${path}' is there already`,
      `coord work restore ${kept.id} --to <new folder>`,
    );
  if (kept.head === null) return filesAlone(world, kept, path);
  const gone = workTreesOf(repository).find(({ id, isThere }) => id === kept.id && !isThere);
  return gone === undefined
    ? anew(world, kept, kept.head, path)
    : revived(world, kept, kept.head, gone, path);
}

/** On a branch without a commit: its files come back into a folder that git does not know. */
function filesAlone({ repository }: RealWorld, kept: Kept, path: string): Restored {
  mkdirSync(path, { recursive: true });
  putTree(
    { ...repository, top: path },
    { head: emptyTree(repository.hash), files: kept.tree, index: null },
  );
  const files = putBack(repository.commonDir, kept.id, 'files', path);
  forget(repository, [kept]);
  return { kept, tree: null, branch: null, files };
}

/** git has the rest of it still: only the files come back, and its index is what it was. */
function revived(
  { repository }: RealWorld,
  kept: Kept,
  head: Oid,
  gone: WorkTree,
  path: string,
): Restored {
  // The folder is filled under another name: half of it is never taken for the whole.
  const draft = `${path}.restoring-${process.pid}`;
  rmSync(draft, { recursive: true, force: true });
  mkdirSync(draft, { recursive: true });
  const own = shortBranch(gone.head.branch);
  const isMoved = gone.head.oid !== head;
  const branch = own === null || !isMoved ? own : freeName(repository, own);
  putTree(seenFrom(repository, { ...gone, path: draft }), { head, files: kept.tree, index: null });
  const files = putBack(repository.commonDir, kept.id, 'files', draft);
  if (isMoved && branch !== null) setBranch(repository, branch, head);
  const tree = reviveTree({ ...gone, path: draft }, path, isMoved ? (branch ?? head) : null);
  refreshIndex(seenFrom(repository, tree));
  forget(repository, [kept]);
  return { kept, tree, branch, files };
}

async function anew(world: RealWorld, kept: Kept, head: Oid, path: string): Promise<Restored> {
  const { repository } = world;
  const { tree, branch } = await newTree(world, kept, head, path);
  const place = seenFrom(repository, tree);
  const staged = kept.staged === null ? head : treeOf(repository, kept.staged);
  putTree(place, { head, files: kept.tree, index: staged });
  const files = putBack(repository.commonDir, kept.id, 'files', tree.path);
  bringAdmin(repository, kept.id, tree);
  refreshIndex(place);
  forget(repository, [kept]);
  return { kept, tree, branch, files };
}

async function newTree(
  world: RealWorld,
  kept: Kept,
  from: Oid,
  path: string,
): Promise<{ readonly tree: WorkTree; readonly branch: string | null }> {
  const own = shortBranch(kept.branch);
  const branch = own === null ? null : branchFor(world, own, from);
  const tree = await addWorkTree(world.repository, { path, branch, from, isEmpty: true });
  return { tree, branch };
}

/** Its own where that stands where it stood, or is gone; else another name. */
function branchFor(world: RealWorld, own: string, head: Oid): string {
  const { repository } = world;
  const there = commitAt(repository, `refs/heads/${own}`);
  const isTaken = workTreesOf(repository).some((tree) => tree.head.branch === `refs/heads/${own}`);
  return (there === null || there === head) && !isTaken ? own : freeName(repository, own);
}

function freeBranch({ repository }: RealWorld, { branch }: Kept): string {
  const own = shortBranch(branch) ?? '';
  return commitAt(repository, `refs/heads/${own}`) === null ? own : freeName(repository, own);
}

function freeName(repository: Repository, own: string): string {
  for (let n = 1; ; n += 1) {
    const name = `${own}-restored${n === 1 ? '' : `-${n}`}`;
    if (commitAt(repository, `refs/heads/${name}`) === null) return name;
  }
}

function setBranch(repository: Repository, branch: string, head: Oid): void {
  const ref = `refs/heads/${branch}`;
  const { code, stderr } = updateRefs(repository, [
    { ref, value: head, expected: zeroOid(repository) },
  ]);
  if (code !== 0)
    throw new CoordError('git_failed', `branch '${branch}' could not be made: ${stderr}`);
}
