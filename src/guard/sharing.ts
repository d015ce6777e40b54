/**
 * Files that several change at once, at a commit: of what is staged only its author's lines are
 * taken, and a lease of lines is in the way only of a change that has lines of its holder.
 */
import type { RealWorld } from '../agent/world.ts';
import { type Agent, showAgent } from '../core/agent.ts';
import type { Oid } from '../core/ids.ts';
import type { Reservation } from '../core/lease.ts';
import { nobodyKnown, type Owner } from '../core/lines/record.ts';
import { collide, covers } from '../core/overlap.ts';
import { literal } from '../core/pattern.ts';
import { lineFileAt, sharesLines } from '../draft/line-store.ts';
import { candidates } from '../draft/maybe-by.ts';
import { othersIn, ownPart } from '../draft/own-part.ts';
import { anyOperation, isRebasing } from '../git/head.ts';
import { putEntries, stagedSince } from '../git/index-file.ts';
import type { PathChange } from '../git/path-changes.ts';
import type { Observation } from '../log/log-store.ts';
import { isSharedHere, reservationsHere, standingReservations } from '../loop/standing.ts';
import type { HookCaller } from './caller.ts';
import type { Problem } from './evaluate.ts';

type Author = Pick<HookCaller, 'agent'>;

/** An agent's own lines; a person's are those that no agent is known to have written. */
function isOf({ agent }: Author): (owner: Owner) => boolean {
  const mine = agent === null ? nobodyKnown : agent.id;
  return (owner) => owner === mine;
}

/** A merge or the like moves whole files: until it is over lines are not told apart. */
function isWithoutOperation({ repository }: RealWorld): boolean {
  return anyOperation(repository) === null && !isRebasing(repository);
}

interface Taken {
  readonly problems: readonly Problem[];
  /** Files of which only others have lines. */
  readonly leftOut: readonly Problem[];
  /** Files with lines that nobody is known to have written. */
  readonly unknownIn: readonly string[];
}

/**
 * Takes out of these indexes what others have in the files that are staged there. A person has to
 * ask for it: git would say that it has committed all of them.
 */
export function takeOwnLines(
  world: RealWorld,
  at: Observation,
  caller: HookCaller,
  indexes: readonly string[],
  head: Oid | null,
  isAskedFor = false,
): Taken {
  const { repository } = world;
  const { agent } = caller;
  const isTaken = (agent !== null || isAskedFor) && sharesLines(repository);
  if (!isTaken || head === null || !isWithoutOperation(world))
    return { problems: [], leftOut: [], unknownIn: [] };
  const problems: Problem[] = [];
  const leftOut: Problem[] = [];
  const unknownIn = new Set<string>();
  const isMine = isOf(caller);
  const holds = exclusively(world, at, agent);
  for (const [i, index] of indexes.entries()) {
    const parts: PathChange[] = [];
    for (const { path, before, after } of stagedSince(repository, index, head)) {
      const [mode = '', blob = ''] = after?.split(' ') ?? [];
      if (!mode.startsWith('100') || holds(path)) continue;
      const part = ownPart(repository, path, blob, isMine);
      if (part.kind === 'whole') continue;
      const by = part.others.map((owner) => shown(at, owner)).join(' and ');
      if (part.kind === 'mixed') problems.push({ kind: 'lines', path, by });
      else {
        const own = `${mode} ${part.blob}`;
        parts.push({ path, before: after, after: own });
        const isNobodys = part.others.some((owner) => !at.state.agents.has(owner));
        if (isNobodys) unknownIn.add(path);
        if (own === before && i === 0) leftOut.push({ kind: 'unsaved', path, by, isNobodys });
      }
    }
    if (parts.length > 0 && !putEntries(repository, index, parts))
      problems.push(...parts.map(({ path }): Problem => ({ kind: 'lines', path, by: 'others' })));
  }
  return { problems, leftOut, unknownIn: [...unknownIn] };
}

/** All of a file is its exclusive holder's to commit. */
export function exclusively(
  world: RealWorld,
  at: Observation,
  agent: Agent | null,
): (path: string) => boolean {
  if (agent === null) return () => false;
  const { folding } = world.settings;
  const own = standingReservations(world, at).filter(
    (lease) => lease.agent.id === agent.id && lease.mode === 'exclusive',
  );
  return (path) =>
    own.some(({ patterns }) => patterns.some((held) => covers(held, literal(path), folding)));
}

function shown({ state }: Observation, owner: Owner): string {
  const agent = state.agents.get(owner);
  if (agent !== undefined) return showAgent(agent);
  return candidates(owner).length > 0 ? 'a command that is under way' : 'somebody unknown';
}

/** The leases that these changes are judged by. */
export function leasesAgainst(
  world: RealWorld,
  at: Observation,
  caller: Author,
  changes: readonly PathChange[],
): readonly Reservation[] {
  const leases = reservationsHere(world, at);
  const { repository, settings } = world;
  const isHere = (lease: Reservation): boolean => isSharedHere(world, lease);
  if (!leases.some(isHere) || !isWithoutOperation(world)) return leases;
  const isMine = isOf(caller);
  const judged = new Map<string, boolean>();
  const isOwn = ({ path, after }: PathChange): boolean => {
    const [mode = '', blob = ''] = after?.split(' ') ?? [];
    const known =
      judged.get(path) ??
      (mode.startsWith('100') && othersIn(repository, path, blob, isMine).length === 0);
    judged.set(path, known);
    return known;
  };
  return leases.filter(
    (lease) =>
      !isHere(lease) ||
      changes.some(
        (change) =>
          lease.patterns.some((held) => collide(held, literal(change.path), settings.folding)) &&
          !isOwn(change),
      ),
  );
}

/**
 * Lines of others that an agent's commit on top of HEAD would hold, whether or not they have a lease
 * on the file: those of nobody that is known go with no agent.
 */
export function foreignLines(
  world: RealWorld,
  at: Observation,
  caller: Author,
  changes: readonly PathChange[],
): readonly Problem[] {
  const { repository } = world;
  const { agent } = caller;
  if (agent === null || !sharesLines(repository) || !isWithoutOperation(world)) return [];
  const holds = exclusively(world, at, agent);
  return changes.flatMap(({ path, after }): readonly Problem[] => {
    const [mode = '', blob = ''] = after?.split(' ') ?? [];
    if (!mode.startsWith('100') || lineFileAt(repository, path) === null || holds(path)) return [];
    const others = othersIn(repository, path, blob, isOf(caller));
    const by = others.map((owner) => shown(at, owner)).join(' and ');
    return others.length === 0 ? [] : [{ kind: 'lines', path, by }];
  });
}
