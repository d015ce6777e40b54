/**
 * A state put together again from what several witnesses of one log know: nobody's live lease is
 * lost, and nothing that had ended comes back. And what was written into it by hand, taken out.
 */

import { type Agent, coordItself } from '../agent.ts';
import type { Event } from '../event.ts';
import { harmless, shorten } from '../harmless.ts';
import { type AgentName, inConflict, type Lease, whyUnfit } from '../lease.ts';
import { limits } from '../limits.ts';
import type { State } from '../state.ts';
import { amend, type Decision, type DecisionContext, facts, isActive } from './decision.ts';
import { clear } from './tidy.ts';

export interface Witness {
  readonly leases: readonly Lease[];
  readonly agents: readonly Agent[];
}

interface United {
  readonly state: State;
  readonly restored: readonly Lease[];
}

/**
 * Puts back every lease that still stands and stands against none that is there; the newer token
 * first.
 */
export function unite(
  start: State,
  baseSeq: number,
  { leases, agents }: Witness,
  c: DecisionContext,
): United {
  let state = start;
  const restored: Lease[] = [];
  // Up to the base the log itself says what was given up; only what came after it may be missing
  // there.
  for (const lease of leases
    .filter(({ token }) => token > baseSeq)
    .toSorted((a, b) => b.token - a.token || b.renewed.at - a.renewed.at)) {
    const present = [...state.leases.values()].filter((other) => isActive(other, c));
    if (
      state.leases.has(lease.id) ||
      !isActive(lease, c) ||
      present.some((other) => inConflict(lease, other, c.folding))
    )
      continue;
    state = { ...state, leases: amend(state.leases, [[lease.id, lease]]) };
    restored.push(lease);
  }
  const names = new Set([...state.agents.values()].map(({ name }) => name));
  const missing = agents.filter(
    (agent) =>
      !state.agents.has(agent.id) &&
      !names.has(agent.name) &&
      [...state.leases.values()].some((lease) => lease.agent.id === agent.id),
  );
  state = {
    ...state,
    agents: amend(
      state.agents,
      missing.map((agent) => [agent.id, agent] as const),
    ),
  };
  return {
    state: clear(state, { leases: [], waits: [...state.waits.values()], agents: [] }, coordItself)
      .state,
    restored,
  };
}

/**
 * A log that goes on from `seq` without what `ours` saw after it: what had ended there is not there
 * again, what was granted is.
 */
export function rejoin(
  there: State,
  ours: State,
  seq: number,
  c: DecisionContext,
): United & { readonly ended: readonly Lease[] } {
  const ended = [...there.leases.values()].filter(
    ({ id, token }) => token <= seq && !ours.leases.has(id),
  );
  const start = {
    ...there,
    leases: amend(
      there.leases,
      ended.map(({ id }) => [id, null] as const),
    ),
  };
  return {
    ...unite(
      start,
      seq,
      { leases: [...ours.leases.values()], agents: [...ours.agents.values()] },
      c,
    ),
    ended,
  };
}

/** Ends each lease that no coord can have granted, and says why. */
export function decideEndUnfit(
  by: AgentName,
  state: State,
): Decision<{ readonly leases: readonly Lease[] }> {
  const unfit = [...state.leases.values()].flatMap((lease) => {
    const why = whyUnfit(lease);
    return why === null ? [] : [{ lease, why }];
  });
  const leases = unfit.map(({ lease }) => lease);
  if (leases.length === 0) return { kind: 'same', result: { leases } };
  const events = unfit.map(
    ({ lease, why }): Event => ({
      event: 'broken',
      agent: lease.agent,
      by,
      ...facts(shortened(lease)),
      token: lease.token,
      reason: `no coord grants it: ${why}`,
    }),
  );
  const next = {
    ...state,
    leases: amend(
      state.leases,
      leases.map(({ id }) => [id, null] as const),
    ),
  };
  return { kind: 'change', actor: by, state: next, events, result: { leases } };
}

/** The log keeps what it is told, so it is not told all that was too long. */
function shortened(lease: Lease): Lease {
  if (lease.kind !== 'reservation') return lease;
  return {
    ...lease,
    patterns: lease.patterns
      .slice(0, limits.patternsPerLease)
      .map((pattern) => shorten(harmless(pattern), 200)),
  };
}
