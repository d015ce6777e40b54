/** An agent's life: start, adopt from elsewhere, end; and the sweep of those that ended unseen. */
import { type Agent, nameOf } from '../agent.ts';
import type { Event } from '../event.ts';
import { areKin } from '../ids.ts';
import type { AgentName, Lease } from '../lease.ts';
import type { State } from '../state.ts';
import { amend, type Decision, type DecisionContext, facts, refused } from './decision.ts';
import { agentNamed, type Caller, enrol, familyOf, present, recall } from './enrol.ts';
import { touch } from './renew.ts';
import { clear, type Leftovers, leftovers, without } from './tidy.ts';

export interface SessionStart {
  readonly caller: Caller;
  /** Hash of the key that this session will show. */
  readonly newSession: string;
  /** The session on record that may be taken over, because nobody is left in it. */
  readonly takes?: string | null;
}

export function decideStart(
  request: SessionStart,
  state: State,
  c: DecisionContext,
): Decision<{ readonly agent: Agent }> {
  const known = agentNamed(state, request.caller.name);
  const {
    takes = null,
    newSession,
    caller: { host },
  } = request;
  if (takes !== null && known?.session === takes)
    return decideAdopt({ token: takes, newSession, host }, state, c);
  if (known !== null && known.session !== null)
    return refused({ kind: 'name_taken', agent: nameOf(known) });
  const enrolled = enrol(state, request.caller, c);
  if (enrolled.kind !== 'enrolled') return refused(enrolled);
  // A child that is started inside its parent's session keeps to that session's key.
  const agent: Agent = {
    ...present(enrolled.agent, c),
    session: enrolled.agent.session ?? request.newSession,
  };
  const events: readonly Event[] =
    enrolled.events.length > 0
      ? enrolled.events
      : [{ event: 'started', agent: nameOf(agent), kind: agent.kind }];
  // Children that were there before belong to the session too.
  const family = [...enrolled.state.agents.values()]
    .filter(({ name, session }) => session === null && name.startsWith(`${agent.name}/`))
    .map((child): Agent => ({ ...child, session: agent.session }));
  const agents = amend(
    enrolled.state.agents,
    [agent, ...family].map((member) => [member.id, member] as const),
  );
  return {
    kind: 'change',
    actor: nameOf(agent),
    state: { ...enrolled.state, agents },
    events,
    result: { agent },
  };
}

export interface SessionAdopt {
  /** Hash of the token shown. */
  readonly token: string;
  readonly newSession: string;
  readonly host: string;
}

/**
 * Whoever shows the token takes the session over, children and all; the old key opens nothing more.
 */
export function decideAdopt(
  request: SessionAdopt,
  state: State,
  c: DecisionContext,
): Decision<{ readonly agent: Agent }> {
  const family = familyOf(state, request.token);
  const [head] = family;
  if (head === undefined) return refused({ kind: 'wrong_token' });
  const adopted = family.map(
    (agent): Agent => ({ ...agent, session: request.newSession, host: request.host }),
  );
  const agent = adopted.find(({ id }) => id === head.id) ?? head;
  const after: State = {
    ...state,
    agents: amend(
      state.agents,
      adopted.map((member) => [member.id, member] as const),
    ),
  };
  const touched = touch(after, agent, c);
  return {
    kind: 'change',
    actor: nameOf(agent),
    state: touched.state,
    events: [{ event: 'adopted', agent: nameOf(agent) }, ...touched.events],
    result: { agent },
  };
}

/** The agent ends, its children with it, and frees all that they held. */
export function decideEnd(
  caller: Caller,
  state: State,
): Decision<{ readonly agent: AgentName; readonly leases: readonly Lease[] }> {
  const agent = recall(state, caller);
  if (agent === null) return refused({ kind: 'nothing_matched', named: [caller.name] });
  if (!('startedAt' in agent)) return refused(agent);
  const family = [...state.agents.values()].filter(
    (member) => areKin(member.name, agent.name) && member.name.length >= agent.name.length,
  );
  const ids = new Set(family.map(({ id }) => id));
  const leases = [...state.leases.values()].filter((lease) => ids.has(lease.agent.id));
  const waits = [...state.waits.values()].filter((wait) => ids.has(wait.agent.id));
  const events: Event[] = [
    ...leases.map(
      (lease): Event => ({
        event: 'released',
        agent: lease.agent,
        ...facts(lease),
        token: lease.token,
        why: 'session ended',
      }),
    ),
    ...waits.map(
      (wait): Event => ({
        event: 'wait-ended',
        agent: wait.agent,
        ...facts(wait),
        why: 'session ended',
      }),
    ),
    ...family.map((member): Event => ({ event: 'ended', agent: nameOf(member) })),
  ];
  const after = without(state, { leases, waits, agents: family });
  return {
    kind: 'change',
    actor: nameOf(agent),
    state: after,
    events,
    result: { agent: nameOf(agent), leases },
  };
}

interface Sweep {
  readonly caller: AgentName;
  readonly olderThanMs: number;
  readonly dryRun: boolean;
}

export function decideSweep(request: Sweep, state: State, c: DecisionContext): Decision<Leftovers> {
  const found = leftovers(state, c, request.olderThanMs);
  const none = found.leases.length + found.waits.length + found.agents.length === 0;
  if (none || request.dryRun) return { kind: 'same', result: found };
  const cleared = clear(state, found, request.caller);
  return {
    kind: 'change',
    actor: request.caller,
    state: cleared.state,
    events: cleared.events,
    result: found,
  };
}
