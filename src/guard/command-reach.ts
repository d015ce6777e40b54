/** Which unsaved files of others a git command would overwrite. */

import { join } from 'node:path';
import type { RealWorld } from '../agent/world.ts';
import type { Unsaved } from '../draft/saved-work.ts';
import { statOf } from '../draft/vanished.ts';
import { changesBetween, changesByMerge, changesIn } from '../git/changes.ts';
import { commitAt } from '../git/commits.ts';
import { existsAt, takenInHead } from '../git/files-at.ts';
import type { GitCommand } from '../git/git-command.ts';
import { headOf, mergedWith } from '../git/head.ts';
import { stagedSince } from '../git/index-file.ts';
import { cleanedFiles, namedFiles } from '../git/pathspec.ts';
import type { Repository } from '../git/repository.ts';
import type { Observation } from '../log/log-store.ts';
import { sharedFiles } from '../shim/files.ts';
import { sharedPath } from '../shim/shared-file.ts';
import type { HookCaller } from './caller.ts';
import type { Effect } from './effects.ts';
import { optionsOf } from './options.ts';

/** Which unsaved files the command may overwrite. */
export function reachOf(
  place: CommandPlace,
  command: GitCommand,
  effect: Effect,
  unsaved: readonly Unsaved[],
): (unsaved: Unsaved) => boolean {
  const {
    world: { repository },
    caller,
    cwd,
  } = place;
  const stagedHere = stagedPaths(place);
  const names = command.words.filter((word) => !word.startsWith('-'));
  /** A commit that the command names holds a file of this path, and git puts it in place. */
  const isBrought = (path: string): boolean =>
    names.some((name) => existsAt(repository, name, path));
  let known: ReadonlyMap<string, string> | null = null;
  const isTaken = (path: string): boolean =>
    (known ??= takenInHead(
      repository,
      unsaved.map((one) => one.path),
    )).has(path);
  const mayReach = ({ path, isTracked }: Unsaved, untracked: boolean): boolean =>
    isTracked || untracked || stagedHere.has(path) || isTaken(path) || isBrought(path);
  switch (effect.kind) {
    case 'unknown':
      return () => true;
    case 'all':
      return (unsaved) => mayReach(unsaved, effect.untracked === true);
    case 'staged':
      return ({ path }) => stagedHere.has(path);
    case 'paths': {
      const named = namedFiles(repository, cwd, effect.paths);
      return (unsaved) =>
        (named === null || named.has(unsaved.path)) && mayReach(unsaved, effect.untracked === true);
    }
    case 'cleans': {
      const gone = cleanedFiles(repository, caller.stage.index, cwd, command.words);
      const isIn = (path: string, name: string): boolean =>
        path === name || (name.endsWith('/') && path.startsWith(name));
      return ({ path }) => gone === null || gone.some((name) => isIn(path, name));
    }
    case 'merges':
    case 'switches': {
      const differs = effect.kind === 'merges' ? differingThere(repository, command) : () => false;
      // Where HEAD has a folder, git takes a file for nothing.
      return ({ path, isIgnored, isTracked }) =>
        isIgnored ? isBrought(path) : isTracked ? differs(path) : isTaken(path);
    }
    case 'nothing':
      return () => false;
  }
}

/** Paths that are not as in HEAD where this command switches to; in doubt all of them. */
function differingThere(
  repository: Repository,
  { verb, words }: GitCommand,
): (path: string) => boolean {
  const [said = 'HEAD'] = optionsOf(verb, words).free;
  const there = commitAt(repository, said === '-' ? '@{-1}' : said);
  const { oid } = headOf(repository);
  if (there === null || oid === null) return () => true;
  const changed = new Set(changesBetween(repository, oid, there).map(({ path }) => path));
  return (path) => changed.has(path);
}

/**
 * What the caller's own merge, rebase or the like has put into the files before it stopped is taken
 * back with it, whoever holds them: nobody has changed them since.
 */
export function writtenByOperation(
  place: CommandPlace,
  { verb, words }: GitCommand,
): (path: string) => boolean {
  const { repository } = place.world;
  const ends = optionsOf(verb, words).has(null, 'abort', 'skip');
  const stopped = ends ? statOf(sharedPath(repository, sharedFiles.operation)) : undefined;
  if (stopped === undefined) return () => false;
  const brought = broughtByOperation(repository);
  return (path) => {
    const file = statOf(join(repository.top, path));
    return brought.has(path) && file !== undefined && file.mtimeMs < stopped.mtimeMs;
  };
}

/** git does not begin where one of these has unsaved changes, so what is in them is its own. */
function broughtByOperation(repository: Repository): ReadonlySet<string> {
  const { oid } = headOf(repository);
  const sides = oid === null ? [] : mergedWith(repository, {});
  const picked = ['CHERRY_PICK_HEAD', 'REVERT_HEAD', 'REBASE_HEAD'].flatMap(
    (name) => commitAt(repository, name) ?? [],
  );
  return new Set([
    ...sides.flatMap((side) => changesByMerge(repository, oid ?? side, side)),
    ...picked.flatMap((one) => changesIn(repository, one).map(({ path }) => path)),
  ]);
}

/** What the caller's index has otherwise than HEAD. */
function stagedPaths({ world: { repository }, caller }: CommandPlace): ReadonlySet<string> {
  const { oid } = headOf(repository);
  const staged = oid === null ? [] : stagedSince(repository, caller.stage.index, oid);
  return new Set(staged.map(({ path }) => path));
}

export interface CommandPlace {
  readonly world: RealWorld;
  readonly at: Observation;
  readonly caller: HookCaller;
  readonly cwd: string;
  /** A setting lets the command do more than its words say. */
  readonly isWider: boolean;
}
