/**
 * Claiming a unit of work: one by its id, or the next that is ready. coord's claim is the lock; the
 * tracker is told under it, and it is given back where the tracker will not have it.
 */
import type { RealWorld } from '../agent/world.ts';
import type { BeadRecord } from '../core/bead.ts';
import { few } from '../core/counted.ts';
import { claimOf, decideClaimNext } from '../core/decide/work.ts';
import { CoordError } from '../core/errors.ts';
import { parseBead, parseReason } from '../core/ids.ts';
import type { Lease } from '../core/lease.ts';
import { shellLine } from '../core/shell-line.ts';
import { type LeftLines, leftFor, noteClaimant } from '../draft/claimants.ts';
import { headOf } from '../git/head.ts';
import type { Observation } from '../log/log-store.ts';
import { release } from '../loop/hold.ts';
import { decisionContext, operate } from '../loop/operate.ts';
import { type Outcome, refusedWith, seen } from '../loop/outcome.ts';
import { type AcquireRequest, claim } from '../loop/take.ts';
import { lookUntil } from '../loop/waiting.ts';
import type { Tracker } from './issue.ts';

export interface BeadClaimed {
  readonly leases: readonly Lease[];
  readonly waitedMs: number;
  /** What is on record of it: failures before, and what the gate missed. */
  readonly records: readonly BeadRecord[];
  /** What those who had it before have not committed. */
  readonly left: readonly LeftLines[];
  /** Where coord has chosen it. */
  readonly chosen: { readonly bead: string; readonly title: string } | null;
}

export function agentsKnown({ state }: Observation): ReadonlySet<string> {
  return new Set(
    [...state.agents.values(), ...[...state.beads.records.values()].map(({ by }) => by)].map(
      ({ name }) => name,
    ),
  );
}

/** Agents whose work on this bead is known to have ended. */
function formerly(at: Observation, bead: string, me: string): readonly string[] {
  const record = at.state.beads.records.get(bead);
  return [
    ...[...at.state.agents.values()].map(({ name }) => name),
    ...(record === undefined ? [] : [record.by.name]),
  ].filter((name) => name !== me);
}

interface Granted {
  readonly bead: string;
  readonly claimed: Omit<BeadClaimed, 'records' | 'left'>;
  readonly isNew: boolean;
  readonly again: boolean;
}

/** Under coord's claim the tracker is told; where it will not have it, the claim is given back. */
async function tellTracker(
  world: RealWorld,
  tracker: Tracker,
  { bead, claimed, isNew, again }: Granted,
): Promise<Outcome<BeadClaimed>> {
  const at = await world.store.observe();
  const { name } = world.caller();
  let said: string | null;
  try {
    if (again && isNew && tracker.find(bead)?.status === 'closed') tracker.reopen(bead, name);
    said = tracker.claim(bead, name, formerly(at, bead, name));
  } catch (error) {
    if (isNew) await release(world, { by: 'bead', bead });
    throw error;
  }
  if (said === null) {
    const record = at.state.beads.records.get(bead);
    const records = record === undefined ? [] : [record];
    const left = leftFor(world, at, bead);
    for (const { agent } of claimed.leases) noteClaimant(world, bead, agent);
    return { ...seen(world, at), kind: 'done', result: { ...claimed, records, left } };
  }
  if (isNew) await release(world, { by: 'bead', bead });
  return refusedWith(world, at, { kind: 'tracker', bead, tracker: tracker.kind, said });
}

/** It is not there, or not to be begun yet. */
function whyNot(tracker: Tracker, bead: string, { state }: Observation): string | null {
  if (tracker.kind === 'none') return null;
  const issue = tracker.find(bead);
  if (issue === null) return 'it knows no such bead';
  const waits = issue.status === 'closed' ? [] : tracker.waitsFor(issue, state.beads.records);
  return waits.length === 0 ? null : `it waits for ${few(waits)}`;
}

export async function claimBead(
  world: RealWorld,
  tracker: Tracker,
  bead: string,
  wish: AcquireRequest,
  isForced = false,
): Promise<Outcome<BeadClaimed>> {
  const at = await world.store.observe();
  const held = claimOf(at.state, parseBead(bead), decisionContext(world, at));
  const isNew = held?.agent.name !== world.caller().name;
  // Where one claim stands at a time another bead is not to be had either.
  const hasTracker = tracker.kind !== 'none' && world.settings.mode !== 'sequential';
  const base = headOf(world.repository).oid ?? undefined;
  const why = held === null && !isForced ? whyNot(tracker, bead, at) : null;
  if (why !== null) {
    const said = `${why}; ${shellLine('coord', 'claim', bead, '--force')} takes it all the same`;
    return refusedWith(world, at, { kind: 'tracker', bead, tracker: tracker.kind, said });
  }
  const granted = await claim(world, bead, { ...wish, hasTracker, base });
  if (granted.kind === 'refused') return granted;
  const claimed = { ...granted.result, chosen: null };
  return tellTracker(world, tracker, { bead, claimed, isNew, again: wish.again === true });
}

const readyPollMs = 500;

/** The next that is ready; with patience, once something is: when somebody is done. */
export async function claimNext(
  world: RealWorld,
  tracker: Tracker,
  tags: readonly string[],
  wish: AcquireRequest,
): Promise<Outcome<BeadClaimed>> {
  const patience = { waitMs: wish.waitMs ?? 0, signal: wish.signal };
  const passed = new Set<string>();
  const { last, why } = await lookUntil<Outcome<BeadClaimed>>(
    world,
    patience,
    readyPollMs,
    () => takeNext(world, tracker, tags, wish, passed),
    (came) => came.kind === 'refused' && came.refusal.kind === 'nothing_ready',
  );
  return last.kind === 'refused' ? { ...last, isInterrupted: why === 'interrupted' } : last;
}

/**
 * One step from what is ready to its claim; where the tracker knows better by then, the next one,
 * and this one is passed over.
 */
async function takeNext(
  world: RealWorld,
  tracker: Tracker,
  tags: readonly string[],
  wish: AcquireRequest,
  passed: Set<string>,
): Promise<Outcome<BeadClaimed>> {
  for (;;) {
    const observed = await world.store.observe();
    const ready = tracker
      .ready(observed.state.beads.records, agentsKnown(observed))
      .filter(({ id }) => !passed.has(id));
    const request = {
      caller: world.caller(),
      ready,
      tags,
      mode: 'exclusive',
      ttlMs: wish.ttlMs ?? null,
      defaultTtlMs: world.settings.claimTtlMs,
      reason: parseReason(wish.reason ?? ''),
      wait: false,
      waitId: null,
      anew: false,
      sequential: world.settings.mode === 'sequential',
      base: headOf(world.repository).oid ?? undefined,
    } as const;
    const outcome = await operate(world, (state, c) => decideClaimNext(request, state, c));
    if (outcome.kind === 'refused') return refusedWith(world, outcome.at, outcome.refusal);
    if (outcome.result.kind !== 'granted')
      throw new CoordError('bug', 'a claim without a wait is waiting');
    const { leases, waitedMs } = outcome.result;
    const [lease] = leases;
    if (lease?.kind !== 'claim') throw new CoordError('bug', 'a claim was granted without a lease');
    const { bead } = lease;
    const title = ready.find(({ id }) => id === bead)?.title ?? '';
    const claimed = { leases, waitedMs, chosen: { bead, title } };
    const came = await tellTracker(world, tracker, { bead, claimed, isNew: true, again: false });
    if (came.kind === 'done') return came;
    passed.add(bead);
  }
}
