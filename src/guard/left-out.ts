/**
 * A commit of all takes what is changed in a work tree that several share. What another session
 * holds or has staged, and the one that commits has not, is that session's: it is left out, and
 * stays as it is.
 */
import type { RealWorld } from '../agent/world.ts';
import { showAgent } from '../core/agent.ts';
import type { Oid } from '../core/ids.ts';
import type { Reservation } from '../core/lease.ts';
import { lineFileAt } from '../draft/line-store.ts';
import { stagedByOthers } from '../draft/saved-work.ts';
import { baseOf } from '../draft/stage-base.ts';
import { putEntries, stagedSince } from '../git/index-file.ts';
import type { Observation } from '../log/log-store.ts';
import { reservationsHere } from '../loop/standing.ts';
import type { HookCaller } from './caller.ts';
import { heldPaths, type Problem } from './evaluate.ts';
import { optionsOf } from './options.ts';
import { exclusively } from './sharing.ts';

function isAlone({ mode }: Reservation): boolean {
  return mode !== 'lines';
}

type LeftOut = Extract<Problem, { readonly kind: 'unsaved' }>;

/** `git commit -a` has put it into the lock of the index. */
export function leaveOutOfAll(
  world: RealWorld,
  at: Observation,
  caller: HookCaller,
  used: string,
  head: Oid | null,
): readonly LeftOut[] {
  const { agent, stage } = caller;
  const asked = caller.command();
  const isOfAll = asked?.verb === 'commit' && optionsOf('commit', asked.words).has('a', 'all');
  const base = baseOf(world.repository, stage);
  if (!isOfAll || agent === null || used !== `${stage.index}.lock` || base === null) return [];
  const own = stagedSince(world.repository, stage.index, base).map(({ path }) => path);
  return leaveOut(world, at, caller, { file: used, head, own: new Set(own) });
}

interface All {
  /** The index that all was put into. */
  readonly file: string;
  readonly head: Oid | null;
  /** What its author had staged before. */
  readonly own: ReadonlySet<string>;
}

export function leaveOut(
  world: RealWorld,
  at: Observation,
  { agent, who }: HookCaller,
  { file, head, own }: All,
): readonly LeftOut[] {
  if (head === null) return [];
  const { repository, settings } = world;
  const staged = stagedByOthers(world, at);
  const leases = reservationsHere(world, at).filter(isAlone);
  if (staged.size === 0 && leases.length === 0) return [];
  const holder = (path: string): string | undefined => {
    const [held] = heldPaths([path], { leases, folding: settings.folding, who });
    return held?.kind === 'held' ? showAgent(held.lease.agent) : undefined;
  };
  const holds = exclusively(world, at, agent);
  const theirs = new Map<string, string>();
  const swept = stagedSince(repository, file, head).filter(({ path }) => {
    // Of a file that is shared by lines the author's part is taken instead.
    const isOwn = own.has(path) || holds(path) || lineFileAt(repository, path) !== null;
    const by = isOwn ? undefined : (staged.get(path) ?? holder(path));
    if (by !== undefined) theirs.set(path, by);
    return by !== undefined;
  });
  const asInHead = swept.map(({ path, before, after }) => ({ path, before: after, after: before }));
  if (swept.length === 0 || !putEntries(repository, file, asInHead)) return [];
  return swept.map(({ path }) => ({ kind: 'unsaved', path, by: theirs.get(path) ?? '' }));
}
