/** What keeps others out at this moment. */
import { type Hold, phaseOf, type Reservation } from '../core/lease.ts';
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

/** Lines in this very work tree: others may have lines beside them. */
export function isSharedHere(world: World, { mode, workTree }: Hold): boolean {
  return mode === 'lines' && workTree !== undefined && workTree === world.workTree?.();
}
