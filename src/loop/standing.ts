/** What keeps others out at this moment. */
import { phaseOf, type Reservation } from '../core/lease.ts';
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
