/**
 * A work tree is about to go, by a command or by coord: who is in it says no, and what it holds is
 * kept first.
 */
import { relative, resolve } from 'node:path';
import type { RealWorld } from '../agent/world.ts';
import { agentNamed } from '../core/decide/enrol.ts';
import type { AgentName } from '../core/lease.ts';
import { shellLine } from '../core/shell-line.ts';
import { type KeptNow, keepWorkTree } from '../draft/keep-work-tree.ts';
import type { Keeper, Kept } from '../draft/quarantine.ts';
import { keepStaged } from '../draft/stage-end.ts';
import type { GitCommand } from '../git/git-command.ts';
import { listLocal } from '../git/local.ts';
import { realOf } from '../git/paths.ts';
import { seenFrom, type WorkTree, workTreesOf } from '../git/work-trees.ts';
import type { Observation } from '../log/log-store.ts';
import { isPattern } from './effects.ts';
import { type Occupant, occupantsOf } from './occupied.ts';
import { optionsOf } from './options.ts';
import type { Effects } from './shell-effects.ts';

/** Who is known by a name alone, because no log has it. */
export function keeperOf(world: RealWorld, { state }: Observation): Keeper {
  const { name } = world.caller();
  const known = agentNamed(state, name);
  const agent: AgentName = known === null ? { id: 'unknown0', name } : { id: known.id, name };
  return { agent, atMs: world.clock.now().at };
}

export interface Removal {
  readonly tree: WorkTree;
  readonly occupants: readonly Occupant[];
}

/** Those of these work trees in which somebody is. */
export function occupied(
  world: RealWorld,
  at: Observation,
  trees: readonly WorkTree[],
): readonly Removal[] {
  return trees
    .map((tree) => ({ tree, occupants: occupantsOf(world, at, tree) }))
    .filter(({ occupants }) => occupants.length > 0);
}

/** All that it holds, what sessions have staged in it too. */
export function keepBefore(
  world: RealWorld,
  at: Observation,
  tree: WorkTree,
  why: string,
  path: string = tree.path,
): KeptNow {
  const { repository, settings } = world;
  const place = seenFrom(repository, tree);
  for (const id of listLocal(tree.gitDir, 'stages'))
    keepStaged(place, id, 'its work tree was removed, with this staged');
  return keepWorkTree(repository, tree, { ...keeperOf(world, at), why, path, settings });
}

/** How to get it back. */
export function restoreLine({ id }: Pick<Kept, 'id'>): string {
  return shellLine('coord', 'work', 'restore', id);
}

/** The linked work trees that a git command takes away, or forgets. */
export function removedBy(
  world: RealWorld,
  { verb, words }: GitCommand,
  resolvePath: (path: string) => string,
): readonly WorkTree[] {
  if (verb !== 'worktree' && verb !== 'clean') return [];
  const trees = workTreesOf(world.repository).filter(({ isMain }) => !isMain);
  if (verb === 'clean') {
    // Said twice, it takes repositories too: those below this work tree.
    const top = `${realOf(world.repository.top)}/`;
    const forces = words.flatMap((word) =>
      word === '--force'
        ? ['f']
        : /^-[a-z]+$/i.test(word)
          ? [...word].filter((c) => c === 'f')
          : [],
    );
    return forces.length > 1
      ? trees.filter(({ path, isThere }) => isThere && realOf(path).startsWith(top))
      : [];
  }
  const [sub, target = ''] = optionsOf('worktree', words).free;
  if (sub === 'prune') return trees.filter(({ isThere, locked }) => !isThere && locked === null);
  if (sub !== 'remove' || target === '') return [];
  // As git finds it: by its path, or by the end of it where that is of one alone.
  const exact = trees.filter(({ path }) => realOf(path) === realOf(resolvePath(target)));
  const ending = `/${target.replace(/^\.\/|\/+$/g, '')}`;
  const named = exact.length > 0 ? exact : trees.filter(({ path }) => path.endsWith(ending));
  return named.length === 1 ? named : [];
}

/**
 * The linked work trees that go with these files and folders, which may hold `*`; also another one
 * in which they are.
 */
export function removedWith(world: RealWorld, paths: readonly string[]): readonly WorkTree[] {
  const { repository } = world;
  const trees = workTreesOf(repository).filter(({ isThere, isMain }) => isThere && !isMain);
  return trees.filter((tree) =>
    paths.some((path) => {
      const named = isPattern(path) ? expanded(path, tree.path) : realOf(path);
      if (named === null) return false;
      const isInIt = `${named}/`.startsWith(`${realOf(tree.path)}/`);
      return (
        `${realOf(tree.path)}/`.startsWith(`${named}/`) ||
        // Without its link to git the rest of one's own is none any more.
        named === `${realOf(tree.path)}/.git` ||
        (isInIt && tree.gitDir !== repository.gitDir)
      );
    }),
  );
}

/** What a pattern of a shell means of a work tree: the folder, or something in it. */
function expanded(pattern: string, tree: string): string | null {
  const top = realOf(tree);
  const segments = pattern.split('/');
  const wild = segments.findIndex((segment) => isPattern(segment));
  const begin = realOf(segments.slice(0, wild).join('/') || '/');
  // All that is in it, or in a folder of it.
  if (`${begin}/`.startsWith(`${top}/`)) return begin;
  const below = relative(begin, top).split('/');
  if (below[0] === '..') return null;
  const rest = segments.slice(wild).map(regexOf);
  return rest.slice(0, below.length).every((regex, i) => regex.test(below[i] ?? '')) ? top : null;
}

/** In doubt it means more. */
function regexOf(segment: string): RegExp {
  const text = segment
    .replace(/\[[^\]]*\]/g, '?')
    .replace(/[.+^${}()|[\]\\]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.');
  return new RegExp(`^${text}$`);
}

/** All that a shell command would take away: by git, or by a program for files. */
export function removedByCommand(
  world: RealWorld,
  { commands, writes, git }: Effects,
): readonly WorkTree[] {
  const isRemoval = commands.some(
    ([name = '', ...words]) =>
      /^(.*\/)?rm$/.test(name) && words.some((word) => /^(--r|-[a-zA-Z]*[rR])/.test(word)),
  );
  const byGit = git.flatMap(({ cwd, words: [verb = '', ...words] }) =>
    removedBy(world, { verb, words }, (path) => resolve(cwd, path)),
  );
  return [...new Set([...(isRemoval ? removedWith(world, writes) : []), ...byGit])];
}

/** Does one of these hold the repository itself, or what nobody could keep of it? */
export function takesRepository(world: RealWorld, paths: readonly string[]): string | null {
  const common = realOf(world.repository.commonDir);
  const takes = (path: string): boolean =>
    `${common}/`.startsWith(`${path}/`) ||
    (path.startsWith(`${common}/`) &&
      /^(refs|objects|worktrees)(\/|$)/.test(relative(common, path)));
  return paths.find((path) => takes(realOf(path))) ?? null;
}
