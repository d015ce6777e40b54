/**
 * A circle of waits: I wait for what somebody holds who waits, directly or through others, for what
 * I hold. Nobody in it can ever go on, so whoever would close it is told at once. Leases of all
 * kinds count together: a lock and a file can block each other.
 */
import { areKin } from '../ids.ts';
import { describe, inConflict, type Lease, type Wait } from '../lease.ts';
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
  const byAgent = new Map<string, Wait[]>();
  for (const wait of standing) {
    const own = byAgent.get(wait.agent.id) ?? [];
    own.push(wait);
    byAgent.set(wait.agent.id, own);
  }
  const visited = new Set<string>();
  const search = (wait: Wait, trail: readonly WaitEdge[]): readonly WaitEdge[] | null => {
    for (const before of standsBefore(wait, [...standing, mine], state, c)) {
      const { agent } = before;
      const edges = [
        ...trail,
        { agent: wait.agent, kind: wait.kind, waitsFor: describe(wait), heldBy: agent },
      ];
      if (agent.id === mine.agent.id && !isAnotherRun(before, mine)) return edges;
      if (areKin(agent.name, mine.agent.name)) continue;
      for (const next of byAgent.get(agent.id) ?? []) {
        if (visited.has(next.id) || isAnotherRun(before, next)) continue;
        visited.add(next.id);
        const cycle = search(next, edges);
        if (cycle !== null) return cycle;
      }
    }
    return null;
  };
  return search(mine, []);
}

/** Whatever this wait waits for: leases in conflict, and those who asked earlier. */
function standsBefore(
  wait: Wait,
  standing: readonly Wait[],
  state: State,
  c: DecisionContext,
): readonly (Lease | Wait)[] {
  const leases = [...state.leases.values()].filter(
    (lease) => inConflict(wait, lease, c.folding) && isActive(lease, c),
  );
  const earlier = standing.filter(
    (other) => other.since < wait.since && inConflict(wait, other, c.folding),
  );
  return [...leases, ...earlier];
}

/**
 * An agent that waits for a lock which it has, or has asked for already, runs several commands
 * under it: the one goes on whatever the other waits for.
 */
function isAnotherRun(one: Lease | Wait, other: Wait): boolean {
  const isOneLock = one.kind === 'lock' && other.kind === 'lock' && one.name === other.name;
  return isOneLock && one.id !== other.id;
}
