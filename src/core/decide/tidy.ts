/**
 * What has run out is cleared away: expired leases and abandoned waits, agents not seen for a day.
 * `sweep` does it on request; every other operation takes along what has been lying about for long,
 * so that nothing stays for ever in a repository where nobody sweeps.
 */
import { type Agent, idleMs, nameOf } from '../agent.ts';
import type { Event } from '../event.ts';
import { elapsedMs } from '../instant.ts';
import { type AgentName, freeInMs, type Lease, type Wait } from '../lease.ts';
import { limits } from '../limits.ts';
import type { State } from '../state.ts';
import { amend, type DecisionContext, facts, waitTtlMs } from './decision.ts';

export interface Leftovers {
  readonly leases: readonly Lease[];
  readonly waits: readonly Wait[];
  readonly agents: readonly Agent[];
}

export function leftovers(state: State, c: DecisionContext, olderThanMs: number): Leftovers {
  const leases = [...state.leases.values()].filter(
    (lease) => freeInMs(lease, c.now, c.graceMs) < -olderThanMs,
  );
  const waits = [...state.waits.values()].filter(
    (wait) => elapsedMs(wait.id, wait.renewed, c.now) > waitTtlMs(c) + olderThanMs,
  );
  const gone = new Set<string>([...leases, ...waits].map(({ id }) => id));
  const busy = new Set(
    [...state.leases.values(), ...state.waits.values()]
      .filter(({ id }) => !gone.has(id))
      .map(({ agent }) => agent.id),
  );
  const names = [...state.agents.values()].map(({ name }) => name);
  const agents = [...state.agents.values()].filter(
    (agent) =>
      !busy.has(agent.id) &&
      !names.some((name) => name.startsWith(`${agent.name}/`)) &&
      idleMs(agent, c.now) > Math.max(limits.agentIdleMs, olderThanMs),
  );
  return { leases, waits, agents };
}

/** `by` is left out where whoever clears away is whose lease it was. */
export function expiredEvent(lease: Lease, by: AgentName): Event {
  return {
    event: 'expired',
    agent: lease.agent,
    ...(by.id === lease.agent.id ? {} : { by }),
    ...facts(lease),
    token: lease.token,
  };
}

/** As it is without these. */
export function without(state: State, { leases, waits, agents }: Leftovers): State {
  const none = (gone: readonly { readonly id: string }[]) =>
    gone.map(({ id }) => [id, null] as const);
  return {
    ...state,
    leases: amend(state.leases, none(leases)),
    waits: amend(state.waits, none(waits)),
    agents: amend(state.agents, none(agents)),
  };
}

export function clear(
  state: State,
  left: Leftovers,
  by: AgentName,
): { readonly state: State; readonly events: readonly Event[] } {
  const { leases, waits, agents } = left;
  return {
    state: without(state, left),
    events: [
      ...leases.map((lease) => expiredEvent(lease, by)),
      ...waits.map(
        (wait): Event => ({
          event: 'wait-ended',
          agent: wait.agent,
          by,
          ...facts(wait),
          why: 'abandoned',
        }),
      ),
      ...agents.map((agent): Event => ({ event: 'ended', agent: nameOf(agent), by, why: 'idle' })),
    ],
  };
}
