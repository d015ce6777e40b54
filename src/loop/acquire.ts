/**
 * Taking something, at once or in line: a wait is looked at again until it is granted, over or
 * given up.
 */

import { decideAcquire } from '../core/decide/acquire.ts';
import type { Acquired, Acquisition } from '../core/decide/acquisition.ts';
import type { Decide } from '../core/decide/decision.ts';
import { decideLeaveLine } from '../core/decide/release.ts';
import { type Lease, resourceOf, type Wait } from '../core/lease.ts';
import { limits } from '../core/limits.ts';
import type { Refusal } from '../core/refusal.ts';
import type { Found, Observation } from '../log/log-store.ts';
import { operate } from './operate.ts';
import type { Outcome, Replayed } from './operation.ts';
import { lookUntil } from './waiting.ts';
import type { World } from './world.ts';

export interface AcquireOptions {
  /** For a request that does not wait. */
  readonly nonce?: string | undefined;
  /** How long to stand in line; 0 takes it now or not at all. */
  readonly waitMs: number;
  /** Told once, when the wait begins. */
  readonly onWaiting?: (refusal: Refusal, yielded?: readonly string[]) => void;
  /** Told at every look, as long as it lasts. */
  readonly onLook?: (refusal: Refusal) => void;
  readonly signal?: AbortSignal | undefined;
}

export type Granted = Extract<Acquired, { kind: 'granted' }>;

type Wish = Omit<Acquisition, 'wait' | 'waitId'>;

/** One look: what came of it, and all that was given up for the wait so far. */
interface Step {
  readonly outcome: Outcome<Acquired>;
  readonly yielded: readonly string[];
}

/** Takes something, standing in line for it if asked to. */
export async function acquire(
  world: World,
  wish: Wish,
  options: AcquireOptions,
): Promise<Outcome<Granted>> {
  await world.store.mayGrant?.();
  const { last, why } = await lookUntil<Step>(
    world,
    options,
    limits.waitPollMs,
    (before) => step(world, wish, options, before),
    (seen) => waitIn(seen) !== null,
  );
  const { outcome, yielded } = last;
  if (outcome.kind === 'refused')
    return { ...outcome, refusal: withYielded(outcome.refusal, yielded) };
  const { result, at } = outcome;
  if (result.kind === 'granted') return { kind: 'done', result, at };
  const { refusal, wait } = result;
  await leaveLine(world, wish, wait, why);
  const came: Refusal = 'ahead' in refusal ? { ...refusal, kind: 'timeout' } : refusal;
  return { kind: 'refused', at, refusal: withYielded(came, yielded) };
}

async function step(
  world: World,
  wish: Wish,
  { waitMs, nonce, onWaiting, onLook }: AcquireOptions,
  before: Step | null,
): Promise<Step> {
  const place = waitIn(before);
  const request: Acquisition = {
    ...wish,
    // All that it waits for now, should its place be lost.
    want: place === null ? wish.want : resourceOf(place),
    wait: waitMs > 0,
    waitId: place?.id ?? null,
  };
  const decide: Decide<Acquired> = (state, c) => decideAcquire(request, state, c);
  const outcome = await operate<Acquired>(world, decide, {
    nonce: waitMs === 0 ? nonce : undefined,
    replay: replayAcquired,
    isAdvisable: true,
  });
  const yielded = before?.yielded ?? [];
  if (outcome.kind === 'refused') {
    if (place !== null) await leaveLine(world, wish, place, outcome.refusal.kind);
    return { outcome, yielded };
  }
  const { result } = outcome;
  if (result.kind === 'granted') return { outcome, yielded };
  const all = [...yielded, ...result.yielded];
  if (place === null) onWaiting?.(result.refusal, all);
  onLook?.(result.refusal);
  return { outcome, yielded: all };
}

/** The place in line that it has. */
function waitIn(seen: Step | null): Wait | null {
  const { outcome } = seen ?? {};
  return outcome?.kind === 'done' && outcome.result.kind === 'waiting' ? outcome.result.wait : null;
}

/** What was given up for a wait that came to nothing is said. */
function withYielded(refusal: Refusal, yielded: readonly string[]): Refusal {
  return 'ahead' in refusal && yielded.length > 0 ? { ...refusal, yielded } : refusal;
}

async function leaveLine(world: World, { caller }: Wish, { id }: Wait, why: string): Promise<void> {
  await operate(world, (state) => decideLeaveLine(caller, id, why, state), { isAdvisable: true });
}

function replayAcquired(found: Found, at: Observation): Replayed<Acquired> {
  const leases = replayLeases(found, at);
  return leases.kind === 'replayed'
    ? { kind: 'replayed', result: { kind: 'granted', leases: leases.result, waitedMs: 0 } }
    : leases;
}

/** The leases of an operation that took effect before, if all of them still stand. */
export function replayLeases({ entry }: Found, { state }: Observation): Replayed<readonly Lease[]> {
  const told = (entry?.events ?? [])
    .filter(({ event }) => event === 'acquired' || event === 'renewed')
    .map(({ lease }) => lease)
    .filter((id) => id !== undefined);
  const leases = told
    .flatMap((id) => state.leases.get(id) ?? [])
    .filter(({ agent }) => agent.id === entry?.agent.id);
  return leases.length > 0 && leases.length === told.length
    ? { kind: 'replayed', result: leases }
    : { kind: 'expired', leases: [] };
}
