/**
 * Keeping what one has. Any operation of an agent renews all its leases, at most once a minute; a
 * renewal brings back what is in grace and never what has expired. Steady edits in one directory
 * double a lease's TTL, once.
 */
import { type Agent, nameOf } from '../agent.ts';
import type { Event } from '../event.ts';
import { formats } from '../format.ts';
import { areKin } from '../ids.ts';
import { elapsedMs, sharesClock, stampOf } from '../instant.ts';
import { type AgentName, type EditMark, type Lease, phaseOf, protectionOf } from '../lease.ts';
import { limits } from '../limits.ts';
import { isPause } from '../pause.ts';
import type { State } from '../state.ts';
import {
  amend,
  type Decision,
  type DecisionContext,
  facts,
  isActive,
  refused,
} from './decision.ts';
import { type Caller, present, recall } from './enrol.ts';

/** One lease renewed now: a longer TTL if asked, doubled if the work on it is steady. */
export function renewed(
  lease: Lease,
  c: DecisionContext,
  ttlMs: number,
  editedDirectories: readonly string[] = [],
): Lease {
  const edited: EditMark | null =
    editedDirectories.length === 0
      ? lease.edited
      : { stamp: stampOf(c.now), directories: editedDirectories };
  const steady =
    !lease.steady &&
    lease.edited !== null &&
    edited !== lease.edited &&
    elapsedMs(lease.id, lease.edited.stamp, c.now) <= lease.ttlMs &&
    editedDirectories.some((directory) => lease.edited?.directories.includes(directory));
  const doubled = steady ? Math.max(ttlMs, Math.min(2 * ttlMs, limits.ttlSteadyMs)) : ttlMs;
  return {
    ...lease,
    ttlMs: doubled,
    renewed: stampOf(c.now),
    steady: lease.steady || steady,
    edited,
  };
}

/**
 * The agent was here: its record, and its leases, and those of whoever waits for it as its parent,
 * that were last renewed a while ago.
 */
export function touch(
  state: State,
  agent: Agent,
  c: DecisionContext,
): { readonly state: State; readonly events: readonly Event[] } {
  const due = [...state.leases.values()].filter(
    (lease) =>
      isRenewedBy(lease, agent, c) &&
      elapsedMs(lease.id, lease.renewed, c.now) >= renewEveryMs(lease, c),
  );
  return {
    state: {
      ...seen(state, agent, c),
      leases: amend(
        state.leases,
        due.map((lease) => [lease.id, renewed(lease, c, lease.ttlMs)] as const),
      ),
    },
    events:
      due.length === 0
        ? []
        : [{ event: 'renewed', agent: nameOf(agent), leases: due.map(({ id }) => id) }],
  };
}

type Activity = Pick<DecisionContext, 'now' | 'graceMs' | 'isRemote'>;

/** Its own, and that of whoever waits for it as its parent. */
function isRenewedBy(lease: Lease, agent: AgentName, c: Activity): boolean {
  const isItsParents = agent.name.startsWith(`${lease.agent.name}/`);
  return (lease.agent.id === agent.id || isItsParents) && !isPause(lease) && isActive(lease, c);
}

/** Activity renews no more often than this, and in time for a short TTL. */
export function renewEveryMs(
  lease: Lease,
  { isRemote }: Pick<DecisionContext, 'isRemote'>,
): number {
  return Math.min(
    isRemote === true ? limits.renewRemoteEveryMs : limits.renewEveryMs,
    lease.ttlMs / 3,
  );
}

/** When activity of these is to renew the next lease, by the clock on the wall; null for none. */
export function renewalDueMs(state: State, agents: readonly Agent[], c: Activity): number | null {
  const due = [...state.leases.values()].flatMap((lease) =>
    agents.some((agent) => isRenewedBy(lease, agent, c))
      ? [lease.renewed.at + renewEveryMs(lease, c)]
      : [],
  );
  return due.length === 0 ? null : Math.min(...due);
}

/**
 * The same for all agents of one clone that were at work since they were last renewed, so that it
 * goes in one entry. `workedMs` is each one's last work by the clock that `c` reads.
 */
export function renewCloneAgents(
  state: State,
  workedMs: ReadonlyMap<string, number>,
  c: DecisionContext,
): { readonly state: State; readonly events: readonly Event[] } {
  const due = [...state.leases.values()].filter(
    (lease) =>
      !isPause(lease) &&
      isActive(lease, c) &&
      sharesClock(lease.renewed, c.now) &&
      (workedMs.get(lease.agent.id) ?? 0) > lease.renewed.uptimeMs &&
      elapsedMs(lease.id, lease.renewed, c.now) >= renewEveryMs(lease, c) / 2,
  );
  const agents = [...state.agents.values()].filter(({ id }) =>
    due.some(({ agent }) => agent.id === id),
  );
  return {
    state:
      due.length === 0
        ? state
        : {
            ...state,
            leases: amend(
              state.leases,
              due.map((lease) => [lease.id, renewed(lease, c, lease.ttlMs)] as const),
            ),
            agents: amend(
              state.agents,
              agents.map((agent) => [agent.id, { ...agent, active: stampOf(c.now) }] as const),
            ),
          },
    events: agents.map((agent) => ({
      event: 'renewed',
      agent: nameOf(agent),
      leases: due.filter((lease) => lease.agent.id === agent.id).map(({ id }) => id),
    })),
  };
}

/**
 * The agent, or a child of its, has worked on files: its claims go on. At most once a minute, like
 * any renewal.
 */
export function markWork(
  state: State,
  agent: AgentName,
  directories: readonly string[],
  c: DecisionContext,
): State {
  const due = [...state.leases.values()].filter(
    (lease) =>
      lease.kind === 'claim' &&
      areKin(lease.agent.name, agent.name) &&
      isActive(lease, c) &&
      (lease.edited === null ||
        elapsedMs(lease.id, lease.edited.stamp, c.now) >= renewEveryMs(lease, c)),
  );
  const mark = ({ edited }: Lease): EditMark => ({
    stamp: stampOf(c.now),
    directories: directories.length > 0 ? directories : (edited?.directories ?? []),
  });
  return due.length === 0
    ? state
    : {
        ...state,
        leases: amend(
          state.leases,
          due.map((lease) => [lease.id, { ...lease, edited: mark(lease) }] as const),
        ),
      };
}

/** A claim whose agent has not worked on files for long. */
export function isStalled(lease: Lease, state: State, c: DecisionContext): boolean {
  if (lease.kind !== 'claim' || lease.edited === null) return false;
  const marks = [
    lease.edited,
    ...[...state.leases.values()].flatMap((other) =>
      areKin(other.agent.name, lease.agent.name) && other.edited !== null ? other.edited : [],
    ),
  ];
  return (
    Math.min(...marks.map(({ stamp }) => elapsedMs(lease.id, stamp, c.now))) >
    protectionOf(lease, c).stalledMs
  );
}

/** What it does keeps all that it holds; where it has worked, its claims are not stalled either. */
export function decideActive(
  caller: Caller,
  state: State,
  c: DecisionContext,
  hasWorked = false,
): Decision<{ readonly leases: readonly string[] }> {
  const agent = recall(state, caller);
  const nothing = { kind: 'same', result: { leases: [] } } as const;
  if (agent === null || !('startedAt' in agent)) return nothing;
  const { state: kept } = touch(state, agent, c);
  // What only looked may have renewed them a moment ago: the mark has its own minute.
  const worked = hasWorked ? markWork(kept, nameOf(agent), [], c) : kept;
  const leases = [...worked.leases.keys()].filter(
    (id) => worked.leases.get(id) !== state.leases.get(id),
  );
  if (leases.length === 0) return nothing;
  const actor = nameOf(agent);
  const events = [{ event: 'renewed', agent: actor, leases }] as const;
  return { kind: 'change', actor, state: worked, events, result: { leases } };
}

function seen(state: State, agent: Agent, c: DecisionContext): State {
  const known = state.agents.get(agent.id);
  if (known === undefined) return state;
  const isFresh =
    elapsedMs(known.id, known.active, c.now) <
    (c.isRemote === true ? limits.renewRemoteEveryMs : limits.renewEveryMs);
  if (isFresh && known.reads === formats.newest) return state;
  return { ...state, agents: amend(state.agents, [[known.id, present(known, c)]]) };
}

export interface Renewal {
  readonly caller: Caller;
  /** Ids of leases, or none for all of them. */
  readonly ids: readonly string[];
  readonly ttlMs: number | null;
  /** Directories in which the agent has edited files since. */
  readonly edited: readonly string[];
}

export function decideRenew(
  request: Renewal,
  state: State,
  c: DecisionContext,
): Decision<readonly Lease[]> {
  const agent = recall(state, request.caller);
  if (agent !== null && !('startedAt' in agent)) return refused(agent);
  const named = request.ids.flatMap((id) => state.leases.get(id) ?? []);
  const others = named.filter((lease) => lease.agent.id !== agent?.id);
  if (others.length > 0) return refused({ kind: 'not_owner', leases: others });
  const chosen =
    request.ids.length > 0
      ? named
      : [...state.leases.values()].filter(
          (lease) => lease.agent.id === agent?.id && !isPause(lease),
        );
  const missing = request.ids.filter((id) => !state.leases.has(id));
  if (agent === null || chosen.length === 0 || missing.length > 0)
    return refused({
      kind: 'nothing_matched',
      named: missing.length > 0 ? missing : ['any lease'],
    });
  const gone = chosen.filter((lease) => phaseOf(lease, c.now, c.graceMs) === 'expired');
  if (gone.length > 0 && (request.ids.length > 0 || gone.length === chosen.length))
    return refused({ kind: 'expired', leases: gone });
  const kept = chosen
    .filter((lease) => !gone.includes(lease))
    .map((lease) => renewed(lease, c, request.ttlMs ?? lease.ttlMs, request.edited));
  // Who renews one is there for all it holds.
  const touched = request.ids.length === 0 ? { state, events: [] } : touch(state, agent, c);
  const worked =
    request.edited.length === 0 ? touched.state : markWork(touched.state, agent, request.edited, c);
  return {
    kind: 'change',
    actor: nameOf(agent),
    result: kept,
    state: {
      ...state,
      leases: amend(
        worked.leases,
        kept.map((lease) => [lease.id, lease] as const),
      ),
      agents: amend(state.agents, [[agent.id, present(agent, c)]]),
    },
    events: [
      ...touched.events,
      ...kept.map(
        (lease): Event => ({
          event: 'renewed',
          agent: nameOf(agent),
          ...facts(lease),
          ttl: lease.ttlMs / 1_000,
        }),
      ),
    ],
  };
}
