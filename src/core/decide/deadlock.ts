/**
 * A circle of waits: I wait for what somebody holds who waits, directly or through others, for what
 * I hold. Nobody in it can ever go on, so whoever would close it is told at once. Leases of all
 * kinds count together: a lock and a file can block each other.
 */
import { areKin } from '../ids.ts';
import { type AgentName, describe, inConflict, type Wait } from '../lease.ts';
import type { WaitEdge } from '../refusal.ts';
import type { State } from '../state.ts';
import { type DecisionContext, isActive, isWaiting } from './decision.ts';

export function findCycle(
  mine: Wait,
  state: State,
  c: DecisionContext,
): readonly WaitEdge[] | null {
  const standing = [...state.waits.values()].filter(
    (wait) => wait.id !== mine.id && isWaiting(wait, c),
  );
  const visited = new Set<string>();
  const search = (wait: Wait, trail: readonly WaitEdge[]): readonly WaitEdge[] | null => {
    for (const holder of holdersBefore(wait, [...standing, mine], state, c)) {
      const edges = [
        ...trail,
        { agent: wait.agent, kind: wait.kind, waitsFor: describe(wait), heldBy: holder },
      ];
      if (holder.id === mine.agent.id) return edges;
      if (visited.has(holder.id) || areKin(holder.name, mine.agent.name)) continue;
      visited.add(holder.id);
      for (const next of standing.filter(({ agent }) => agent.id === holder.id)) {
        const cycle = search(next, edges);
        if (cycle !== null) return cycle;
      }
    }
    return null;
  };
  return search(mine, []);
}

/** Whoever this wait waits for: holders in conflict, and those who asked earlier. */
function holdersBefore(
  wait: Wait,
  standing: readonly Wait[],
  state: State,
  c: DecisionContext,
): readonly AgentName[] {
  const holders = [...state.leases.values()].filter(
    (lease) => inConflict(wait, lease, c.folding) && isActive(lease, c),
  );
  const earlier = standing.filter(
    (other) => other.since < wait.since && inConflict(wait, other, c.folding),
  );
  return [...new Map([...holders, ...earlier].map(({ agent }) => [agent.id, agent])).values()];
}
