/**
 * Leases that go from one log to another, with whoever holds them and what hangs on them. Nothing
 * is taken from anybody: where the other log has what stands in the way, the answer is a refusal.
 */
import type { Agent } from '../agent.ts';
import type { Event } from '../event.ts';
import { type AgentName, inConflict, type Lease } from '../lease.ts';
import { limits } from '../limits.ts';
import type { RemoteLocation } from '../record.ts';
import type { State } from '../state.ts';
import { amend, type Decision, type DecisionContext, isActive, refused } from './decision.ts';

export interface Carried {
  readonly leases: readonly Lease[];
}

/**
 * What of a log would have to go along: live or in grace, and of these agents if they are named.
 */
export function standingOf(
  state: State,
  c: DecisionContext,
  agents: ReadonlySet<string> | null = null,
): readonly Lease[] {
  return [...state.leases.values()].filter(
    (lease) => isActive(lease, c) && (agents === null || agents.has(lease.agent.id)),
  );
}

/** Are these the same leases, of the same agents? */
export function areSame(a: readonly Lease[], b: readonly Lease[]): boolean {
  const key = (lease: Lease): string =>
    JSON.stringify([
      lease.id,
      lease.kind,
      lease.agent.id,
      lease.token,
      lease.kind === 'reservation'
        ? lease.patterns
        : lease.kind === 'claim'
          ? lease.bead
          : lease.name,
    ]);
  return a.length === b.length && a.map(key).sort().join('\n') === b.map(key).sort().join('\n');
}

/** Puts `leases` of another log into this one. Sent again, it has one effect. */
export function carryInto(
  state: State,
  from: State,
  leases: readonly Lease[],
  c: DecisionContext,
):
  | { readonly kind: 'carried'; readonly state: State }
  | Extract<Decision<never>, { kind: 'refused' }> {
  const own = new Set(leases.map(({ id }) => id));
  const inTheWay = [...state.leases.values()].filter(
    (other) =>
      !own.has(other.id) &&
      isActive(other, c) &&
      leases.some((lease) => inConflict(lease, other, c.folding)),
  );
  if (inTheWay.length > 0)
    return refused({ kind: 'held', blockers: inTheWay, ahead: [], retryInMs: 0 });
  if (state.leases.size + leases.length > limits.leasesInAll)
    return refused({ kind: 'cap', scope: 'all', limit: limits.leasesInAll });
  const coming = companyOf(from, leases);
  const namesakes = [...state.agents.values()].filter((agent) =>
    coming.some(({ id, name }) => name === agent.name && id !== agent.id),
  );
  const [holding] = namesakes.filter((agent) =>
    [...state.leases.values()].some((lease) => lease.agent.id === agent.id && isActive(lease, c)),
  );
  if (holding !== undefined)
    return refused({
      kind: 'held',
      blockers: [...state.leases.values()].filter(
        (lease) => lease.agent.id === holding.id && isActive(lease, c),
      ),
      ahead: [],
      retryInMs: 0,
    });
  const known = state.beads.records;
  const beads = [...from.beads.records.values()].filter(
    ({ id, at }) => (known.get(id)?.at ?? -1) < at,
  );
  const requests = [...from.requests.values()].filter(({ lease }) => own.has(lease));
  return {
    kind: 'carried',
    state: {
      ...state,
      agents: amend(state.agents, [
        ...namesakes.map(({ id }) => [id, null] as const),
        ...coming.map((agent) => [agent.id, agent] as const),
      ]),
      leases: amend(
        state.leases,
        leases.map((lease) => [lease.id, lease] as const),
      ),
      requests: amend(
        state.requests,
        requests.map((request) => [request.id, request] as const),
      ),
      beads: beads.length === 0 ? state.beads : state.beads.with(beads, limits.beadsKept),
    },
  };
}

/** Whoever holds one of them, its parents, and every open session with its children. */
function companyOf(from: State, leases: readonly Lease[]): readonly Agent[] {
  const holders = new Set(leases.map(({ agent }) => agent.id));
  return [...from.agents.values()].filter(
    (agent) =>
      agent.session !== null ||
      holders.has(agent.id) ||
      leases.some((lease) => lease.agent.name.startsWith(`${agent.name}/`)),
  );
}

export interface Carrying {
  readonly from: State;
  readonly leases: readonly Lease[];
  readonly to: RemoteLocation;
  readonly by: AgentName;
  /** There is no log yet over there. */
  readonly isFirst: boolean;
}

/** Into the log that is to be the truth. */
export function decideCarry(
  { from, leases, to, by, isFirst }: Carrying,
  state: State,
  c: DecisionContext,
): Decision<Carried> {
  const arrived =
    leases.every(({ id, token }) => state.leases.get(id)?.token === token) &&
    companyOf(from, leases).every(({ id }) => state.agents.has(id));
  if (arrived && !isFirst) return { kind: 'same', result: { leases } };
  const carried = carryInto(state, from, leases, c);
  if (carried.kind === 'refused') return carried;
  return {
    kind: 'change',
    actor: by,
    state: carried.state,
    events: [movedEvent(by, to, leases)],
    result: { leases },
  };
}

/** The log that was the truth, as it is left behind: empty but for where to look. */
export function decideLeave(
  carried: readonly Lease[],
  to: RemoteLocation,
  by: AgentName,
  state: State,
  c: DecisionContext,
): Decision<Carried> {
  if (!areSame(standingOf(state, c), carried))
    return refused({ kind: 'lease_changed', named: 'the log' });
  const left: State = {
    ...state,
    agents: new Map(),
    leases: new Map(),
    waits: new Map(),
    requests: new Map(),
    beads: state.beads.emptied(),
    meta: { ...state.meta, moved: to },
  };
  return {
    kind: 'change',
    actor: by,
    state: left,
    events: [movedEvent(by, to, carried)],
    result: { leases: carried },
  };
}

/** Back from a remote: this log is the truth again, with the leases of its own agents. */
export function decideReturn(
  from: State,
  leases: readonly Lease[],
  by: AgentName,
  state: State,
  c: DecisionContext,
): Decision<Carried> {
  const { moved, ...meta } = state.meta;
  if (moved === undefined) return { kind: 'same', result: { leases: [] } };
  const carried = carryInto({ ...state, meta }, from, leases, c);
  if (carried.kind === 'refused') return carried;
  return {
    kind: 'change',
    actor: by,
    state: carried.state,
    events: [
      {
        event: 'moved',
        agent: by,
        remote: null,
        from: moved.remote,
        leases: leases.map(({ id }) => id),
      },
    ],
    result: { leases },
  };
}

/** What has gone elsewhere is given back here. */
export function decideGone(
  leases: readonly Lease[],
  by: AgentName,
  state: State,
): Decision<Carried> {
  const gone = leases.filter(({ id, token }) => state.leases.get(id)?.token === token);
  if (gone.length === 0) return { kind: 'same', result: { leases: [] } };
  return {
    kind: 'change',
    actor: by,
    state: {
      ...state,
      leases: amend(
        state.leases,
        gone.map(({ id }) => [id, null] as const),
      ),
    },
    events: [
      {
        event: 'moved',
        agent: by,
        why: 'its clone went back to a log of its own',
        leases: gone.map(({ id }) => id),
      },
    ],
    result: { leases: gone },
  };
}

function movedEvent(by: AgentName, to: RemoteLocation, leases: readonly Lease[]): Event {
  return {
    event: 'moved',
    agent: by,
    remote: to.remote,
    ref: to.ref,
    leases: leases.map(({ id }) => id),
  };
}
