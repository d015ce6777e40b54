/**
 * The off switch that a team sees: a lock by this name. While it is held the guards let everything
 * pass and note it; it is over when its time is, whatever its holder does.
 */
import { showAgent } from './agent.ts';
import { pauseLock } from './ids.ts';
import type { Now } from './instant.ts';
import { type Lease, phaseOf } from './lease.ts';
import type { State } from './state.ts';

export function isPause(lease: Lease): boolean {
  return lease.kind === 'lock' && lease.name === pauseLock;
}

/** Live, and not in the grace that a lock has after its time. */
export function pauseIn(state: State, now: Now): Lease | null {
  return (
    [...state.leases.values()].find(
      (lease) => isPause(lease) && phaseOf(lease, now, 0) === 'live',
    ) ?? null
  );
}

/** As the reason of whatever the guards let pass. */
export function pauseReason(lease: Lease): string {
  return `paused by ${showAgent(lease.agent)}: ${lease.reason}`;
}
