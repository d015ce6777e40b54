/**
 * `git commit -a` takes what is changed in a work tree that several share. What another session has
 * staged, and the one that commits has not, is that session's: it is left out, and stays as it is.
 */
import type { RealWorld } from '../agent/world.ts';
import type { Oid } from '../core/ids.ts';
import { stagedByOthers } from '../draft/saved-work.ts';
import { baseOf } from '../draft/stage-base.ts';
import { putEntries, stagedSince } from '../git/index-file.ts';
import type { Observation } from '../log/log-store.ts';
import type { HookCaller } from './caller.ts';
import type { Problem } from './evaluate.ts';
import { optionsOf } from './options.ts';

type LeftOut = Extract<Problem, { readonly kind: 'unsaved' }>;

/** Takes it out of the index that git is about to commit. */
export function leaveOut(
  world: RealWorld,
  at: Observation,
  { agent, stage, command }: HookCaller,
  used: string,
  head: Oid | null,
): readonly LeftOut[] {
  const asked = command();
  const isOfAll = asked?.verb === 'commit' && optionsOf('commit', asked.words).has('a', 'all');
  const base = baseOf(world.repository, stage);
  if (
    !isOfAll ||
    agent === null ||
    used !== `${stage.index}.lock` ||
    head === null ||
    base === null
  )
    return [];
  const theirs = stagedByOthers(world, at);
  if (theirs.size === 0) return [];
  const { repository } = world;
  const own = new Set(stagedSince(repository, stage.index, base).map(({ path }) => path));
  const swept = stagedSince(repository, used, head).filter(
    ({ path }) => theirs.has(path) && !own.has(path),
  );
  const asInHead = swept.map(({ path, before, after }) => ({ path, before: after, after: before }));
  if (swept.length === 0 || !putEntries(repository, used, asInHead)) return [];
  return swept.map(({ path }) => ({ kind: 'unsaved', path, by: theirs.get(path) ?? '' }));
}
