/**
 * Where a command is verified: the work tree itself, or a folder of its own with a commit or with
 * the caller's own work in it.
 */

import { realpathSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { RealWorld } from '../agent/world.ts';
import { counted, few } from '../core/counted.ts';
import { CoordError } from '../core/errors.ts';
import { harmless } from '../core/harmless.ts';
import type { Oid } from '../core/ids.ts';
import { matches } from '../core/overlap.ts';
import { canonical } from '../core/pattern.ts';
import { shellLine } from '../core/shell-line.ts';
import { type OwnTree, ownTree } from '../draft/own-tree.ts';
import { elsewhere } from '../git/environment.ts';
import { treeOf } from '../git/files-at.ts';
import { type Head, headOf } from '../git/head.ts';
import { argumentOf } from '../git/paths.ts';
import { testedTree } from '../git/tested-tree.ts';
import { TreeCopy } from '../git/tree-copy.ts';
import type { FolderFacts, Since, Where } from './recorded.ts';

interface PlaceWish {
  readonly world: RealWorld;
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly links: readonly string[];
  tell(line: string): void;
}

/** What is tested: a tree, and the commit that HEAD is. */
interface Tested {
  readonly tree: Oid;
  readonly head: Head;
}

export interface VerifyPlace {
  /** What would be tested there now. */
  look(): Promise<Tested>;
  /** Made ready, as it was last looked at. */
  open(): Promise<void>;
  where(): Where;
  facts(): FolderFacts | null;
  isUnchanged(): boolean;
  since(): Promise<Since>;
  leave(): void;
}

/** Where in the work tree its caller stands; empty for the top. */
export function folderOf({ world, cwd }: Pick<PlaceWish, 'world' | 'cwd'>): string {
  return relative(world.repository.top, realpathSync(cwd));
}

export function workTree({ world, cwd, env }: PlaceWish): VerifyPlace {
  const { repository } = world;
  let tree = '';
  return {
    look: async () => {
      tree = testedTree(repository);
      return { tree, head: headOf(repository) };
    },
    open: async () => undefined,
    where: () => ({ cwd, env }),
    facts: () => null,
    isUnchanged: () => testedTree(repository) === tree,
    since: async () => null,
    leave: () => undefined,
  };
}

export function commitPlace(wish: PlaceWish, oid: Oid): VerifyPlace {
  const { repository } = wish.world;
  const tested = { tree: treeOf(repository, oid), head: { oid, branch: null, name: null } };
  return copyPlace(wish, { look: async () => tested, own: () => null, since: async () => null });
}

/** HEAD and what of the changes in the work tree is the caller's own. */
export function ownPlace(wish: PlaceWish): VerifyPlace {
  const { world } = wish;
  const look = async (): Promise<OwnTree> => ownTree(world, await world.store.observe());
  let tested: OwnTree | null = null;
  return copyPlace(wish, {
    look: async () => (tested = await look()),
    own: () => tested,
    since: async () => {
      const now = await look();
      if (now.tree === tested?.tree) return null;
      return now.head.oid === tested?.head.oid ? 'work' : 'head';
    },
  });
}

interface Source extends Pick<VerifyPlace, 'look' | 'since'> {
  own(): OwnTree | null;
}

/** Taken out once the lock is held, so that those who wait for it do not each hold a copy. */
function copyPlace(wish: PlaceWish, source: Source): VerifyPlace {
  const { repository, settings } = wish.world;
  const wanted = settings.verifyLinks.map(canonical);
  let tested: Tested | null = null;
  let copy: TreeCopy | null = null;
  let facts: FolderFacts | null = null;
  return {
    look: async () => (tested = await source.look()),
    open: async () => {
      if (tested === null) return;
      const isLinked = (path: string): boolean =>
        wanted.some((pattern) => matches(pattern, path, settings.folding));
      copy = await TreeCopy.of(repository, { ...tested, links: wish.links, isLinked }, () =>
        wish.tell('coord: writing the files to a folder of their own'),
      );
      checkFolder(join(copy.folder, folderOf(wish)), folderOf(wish));
      facts = { own: source.own(), submodules: copy.submodules(), ...copy.brought };
      for (const line of linesOf(wish, facts)) wish.tell(line);
    },
    where: () => {
      const cwd = join(copy?.folder ?? '', folderOf(wish));
      return { cwd, env: { ...elsewhere(wish.env), PWD: cwd } };
    },
    facts: () => facts,
    isUnchanged: () => copy?.isUnchanged() === true,
    since: () => source.since(),
    leave: () => copy?.remove(),
  };
}

function checkFolder(cwd: string, folder: string): void {
  if (statSync(cwd, { throwIfNoEntry: false })?.isDirectory() !== true)
    throw new CoordError(
      'usage',
      `'${folder}' is not in what would be tested`,
      'run it from the top of the repository',
    );
}

/** What people are told of it before the command speaks. */
function linesOf(wish: PlaceWish, facts: FolderFacts): readonly string[] {
  const { own, linked, copied, notLinked, submodules } = facts;
  const words = [
    ...(linked.length === 0 ? [] : [`linked ${few(linked)}`]),
    ...(copied.length === 0 ? [] : [`copied ${few(copied)}`]),
    ...notLinked.map(({ path, why }) => `not linked: '${harmless(path)}' ${why}`),
    ...(submodules.length === 0 ? [] : [`submodules are empty: ${few(submodules)}`]),
  ];
  return [
    ...(own === null ? [] : ownLines(wish, own)),
    ...(words.length === 0 ? [] : [`coord: ${words.join('; ')}`]),
  ];
}

function ownLines(
  { world: { repository, self }, cwd }: PlaceWish,
  { paths, leftOut }: NonNullable<FolderFacts['own']>,
): readonly string[] {
  const others = leftOut.flatMap(({ path, agent }) =>
    agent === null ? [] : [`${path} (${agent.name})`],
  );
  const unknown = leftOut.flatMap(({ path, agent }) => (agent === null ? [path] : []));
  const named = unknown.slice(0, 3).map((path) => argumentOf({ repository, cwd }, path));
  return [
    paths.length === 0
      ? 'coord: no uncommitted change here is yours, so it runs on HEAD alone'
      : `coord: on HEAD with ${counted(paths.length, 'changed file')} of yours: ${few(paths)}`,
    ...(others.length === 0 ? [] : [`coord: left out: ${few(others)}`]),
    ...(unknown.length === 0
      ? []
      : [
          `coord: left out, because nobody is known to have changed it: ${few(unknown)}`,
          `  if it is yours: ${shellLine('coord', 'reserve', ...named, ...(self ?? []))}`,
        ]),
  ];
}
