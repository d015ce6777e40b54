/**
 * Taking something, at once or in line: a wait is looked at again until it is granted, over or
 * given up.
 */

import { decideAcquire } from '../core/decide/acquire.ts';
import type { Acquired, Acquisition } from '../core/decide/acquisition.ts';
import type { Decide } from '../core/decide/decision.ts';
import { decideLeaveLine } from '../core/decide/release.ts';
import { type Lease, type Resource, resourceOf } from '../core/lease.ts';
import { limits } from '../core/limits.ts';
import type { Refusal } from '../core/refusal.ts';
import type { Found, Observation } from '../log/log-store.ts';
import { operate } from './operate.ts';
import type { Outcome, Replayed } from './operation.ts';
import type { World } from './world.ts';

export interface AcquireOptions {
  /** For a request that does not wait. */
  readonly nonce?: string | undefined;
  /** How long to stand in line; 0 takes it now or not at all. */
  readonly waitMs: number;
  /** Told once, when the wait begins. */
  readonly onWaiting?: (refusal: Refusal, yielded?: readonly string[]) => void;
  readonly signal?: AbortSignal | undefined;
}

export type Granted = Extract<Acquired, { kind: 'granted' }>;

/** Takes something, standing in line for it if asked to. */
export async function acquire(
  world: World,
  request: Omit<Acquisition, 'wait' | 'waitId'>,
  options: AcquireOptions,
): Promise<Outcome<Granted>> {
  const untilMs = world.clock.now().uptimeMs + options.waitMs;
  await world.store.mayGrant?.();
  let waitId: string | null = null;
  let [want, yielded]: [Resource, readonly string[]] = [request.want, []];
  for (;;) {
    const place: string | null = waitId;
    const wish = { ...request, want, wait: options.waitMs > 0, waitId: place };
    const decide: Decide<Acquired> = (state, c) => decideAcquire(wish, state, c);
    const outcome: Outcome<Acquired> = await operate<Acquired>(world, decide, {
      nonce: options.waitMs === 0 ? options.nonce : undefined,
      replay: replayAcquired,
      isAdvisable: true,
    });
    if (outcome.kind === 'refused') {
      if (place !== null) await leaveLine(world, request, place, outcome.refusal.kind);
      return { ...outcome, refusal: withYielded(outcome.refusal, yielded) };
    }
    const result: Acquired = outcome.result;
    if (result.kind === 'granted') return { kind: 'done', result, at: outcome.at };
    yielded = [...yielded, ...result.yielded];
    if (place === null) options.onWaiting?.(result.refusal, yielded);
    waitId = result.wait.id;
    // All that it waits for now, should its place be lost.
    want = resourceOf(result.wait);
    const interrupted = options.signal?.aborted === true;
    if (interrupted || world.clock.now().uptimeMs >= untilMs) {
      await leaveLine(world, request, result.wait.id, interrupted ? 'interrupted' : 'timeout');
      const { refusal } = result;
      const came: Refusal = 'ahead' in refusal ? { ...refusal, kind: 'timeout' } : refusal;
      return { kind: 'refused', at: outcome.at, refusal: withYielded(came, yielded) };
    }
    await world.clock.sleep(limits.waitPollMs * (0.75 + world.random.fraction() / 2));
  }
}

/** What was given up for a wait that came to nothing is said. */
function withYielded(refusal: Refusal, yielded: readonly string[]): Refusal {
  return 'ahead' in refusal && yielded.length > 0 ? { ...refusal, yielded } : refusal;
}

async function leaveLine(
  world: World,
  { caller }: Pick<Acquisition, 'caller'>,
  waitId: string,
  why: string,
): Promise<void> {
  await operate(world, (state) => decideLeaveLine(caller, waitId, why, state), {
    isAdvisable: true,
  });
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
