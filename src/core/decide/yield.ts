/**
 * Rather than close a circle of waits: what an agent holds without uncommitted changes is given up
 * in the very step in which it begins to wait for all of it together. Whoever waits for it can have
 * it then, and nobody holds something while waiting for more.
 */
import type { Agent } from '../agent.ts';
import type { Event } from '../event.ts';
import { areHeldAlike, inConflict, type Lease, type Wait } from '../lease.ts';
import { limits } from '../limits.ts';
import type { Refusal } from '../refusal.ts';
import type { State } from '../state.ts';
import { type DecisionContext, isActive, refused } from './decision.ts';
import { changedIn, free, unchangedOf } from './unchanged.ts';

interface Yielded {
  readonly kind: 'yielded';
  readonly wait: Wait;
  readonly state: State;
  readonly events: readonly Event[];
  readonly patterns: readonly string[];
  /** Changed paths in what somebody waits for: they keep it from being given up. */
  readonly uncommitted: readonly string[];
}

type Yielding = Yielded | { readonly kind: 'refused'; readonly refusal: Refusal };

export function yieldFor(
  wait: Wait,
  changed: readonly string[],
  agent: Agent,
  state: State,
  c: DecisionContext,
): Yielding {
  const own = [...state.leases.values()].filter(
    (lease) => lease.agent.id === agent.id && isActive(lease, c),
  );
  // What is held in another mode cannot be asked for in the same breath.
  const same = own.filter((lease) => areHeldAlike(lease, wait));
  const split = unchangedOf(same, changed, c.folding);
  const { leases, freed, events } = free(state.leases, agent, split, { why: 'yielded' });
  const patterns = freed.flatMap((lease) => (lease.kind === 'reservation' ? lease.patterns : []));
  const all = wait.kind === 'reservation' ? [...new Set([...wait.patterns, ...patterns])] : [];
  if (all.length > limits.patternsPerLease) {
    return refused({ kind: 'cap', scope: 'patterns', limit: limits.patternsPerLease });
  }
  return {
    kind: 'yielded',
    state: { ...state, leases },
    events,
    patterns,
    wait: wait.kind === 'reservation' ? { ...wait, patterns: all } : wait,
    uncommitted: changedIn(
      own.map((lease) => awaited(lease, agent, state, c)),
      changed,
      c,
    ),
  };
}

/** Of a lease the patterns that somebody else waits for. */
function awaited(lease: Lease, agent: Agent, state: State, c: DecisionContext): Lease {
  if (lease.kind !== 'reservation') return lease;
  const waits = [...state.waits.values()].filter((wait) => wait.agent.id !== agent.id);
  const isAwaited = (pattern: string): boolean =>
    waits.some((wait) => inConflict(wait, { ...lease, patterns: [pattern] }, c.folding));
  return { ...lease, patterns: lease.patterns.filter(isAwaited) };
}
