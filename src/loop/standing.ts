/** What keeps others out at this moment. */
import { type Hold, phaseOf, type Reservation } from '../core/lease.ts';
import { collide } from '../core/overlap.ts';
import { literal } from '../core/pattern.ts';
import type { Observation } from '../log/log-store.ts';
import type { World } from './world.ts';

/** Reservations that keep others out now. */
export function standingReservations(world: World, { state }: Observation): readonly Reservation[] {
  const now = world.clock.now();
  return [...state.leases.values()].filter(
    (lease): lease is Reservation =>
      lease.kind === 'reservation' && phaseOf(lease, now, world.settings.graceMs) !== 'expired',
  );
}

/** Those that a change here has to wait for. */
export function reservationsHere(world: World, at: Observation): readonly Reservation[] {
  return world.isApart?.() === true ? [] : standingReservations(world, at);
}

/** Does this agent hold the path, or some of it, at this moment? */
export function isHeldBy(world: World, at: Observation, path: string, agentId: string): boolean {
  const key = literal(path);
  return standingReservations(world, at).some(
    ({ agent, patterns }) =>
      agent.id === agentId && patterns.some((held) => collide(held, key, world.settings.folding)),
  );
}

/** Lines in this very work tree: others may have lines beside them. */
export function isSharedHere(world: World, { mode, workTree }: Hold): boolean {
  return mode === 'lines' && workTree !== undefined && workTree === world.workTree?.();
}
