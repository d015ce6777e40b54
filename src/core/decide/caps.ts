/** How much one agent may hold, and all of them together. */

import type { Agent } from '../agent.ts';
import type { Lease, Resource } from '../lease.ts';
import { limits } from '../limits.ts';
import type { Refusal } from '../refusal.ts';
import type { State } from '../state.ts';
import { type DecisionContext, isActive } from './decision.ts';

export function capOf(
  state: State,
  agent: Agent,
  want: Resource,
  c: DecisionContext,
): Refusal | null {
  const standing = [...state.leases.values()].filter((lease) => isActive(lease, c));
  if (want.kind === 'reservation' && want.patterns.length > limits.patternsPerLease)
    return { kind: 'cap', scope: 'patterns', limit: limits.patternsPerLease };
  const claims = standing.filter((lease) => lease.kind === 'claim' && lease.agent.id === agent.id);
  if (want.kind === 'claim' && claims.length >= limits.claimsPerAgent) {
    const own = claims.toSorted((a, b) => workedAt(a) - workedAt(b));
    return { kind: 'cap', scope: 'claims', limit: limits.claimsPerAgent, own };
  }
  if (standing.filter((lease) => lease.agent.id === agent.id).length >= limits.leasesPerAgent)
    return { kind: 'cap', scope: 'agent', limit: limits.leasesPerAgent };
  return standing.length >= limits.leasesInAll
    ? { kind: 'cap', scope: 'all', limit: limits.leasesInAll }
    : null;
}

function workedAt({ edited, acquiredAt }: Lease): number {
  return edited?.stamp.at ?? acquiredAt;
}
