/**
 * Who is calling, on the record: an agent is registered by the first operation it takes part in,
 * and a name that belongs to a session is not lent to anybody else.
 */
import { type Agent, type AgentKind, nameOf } from '../agent.ts';
import type { Event } from '../event.ts';
import { formats } from '../format.ts';
import { parentName } from '../ids.ts';
import { stampOf } from '../instant.ts';
import type { Refusal } from '../refusal.ts';
import type { State } from '../state.ts';
import { amend, type DecisionContext, freshId } from './decision.ts';

/** It is here now, by way of this coord. */
export function present(agent: Agent, c: Pick<DecisionContext, 'now'>): Agent {
  return { ...agent, active: stampOf(c.now), reads: formats.newest };
}

/** Who a caller says it is, and the session key (hashed) that it showed. */
export interface Caller {
  readonly name: string;
  readonly kind: AgentKind;
  readonly session: string | null;
  readonly host: string;
}

interface Enrolled {
  readonly kind: 'enrolled';
  readonly state: State;
  readonly agent: Agent;
  readonly events: readonly Event[];
}

export function agentNamed(state: State, nameOrId: string): Agent | null {
  for (const agent of state.agents.values()) if (agent.name === nameOrId) return agent;
  return state.agents.get(nameOrId) ?? null;
}

/** Everybody who acts with this session's key, the head of them first. */
export function familyOf(state: State, session: string): readonly Agent[] {
  return [...state.agents.values()]
    .filter((agent) => agent.session === session)
    .sort((a, b) => a.name.length - b.name.length);
}

/** May this caller act as this agent? */
function mayActAs(caller: Caller, agent: Agent): boolean {
  return agent.session === null || agent.session === caller.session;
}

/** The caller's own agent if it is on record and may be used, null if it is not on record. */
export function recall(state: State, caller: Caller): Agent | Refusal | null {
  const known = [...state.agents.values()].find(({ name }) => name === caller.name) ?? null;
  if (known === null || mayActAs(caller, known)) return known;
  return { kind: 'not_your_session', agent: nameOf(known) };
}

export function enrol(state: State, caller: Caller, c: DecisionContext): Enrolled | Refusal {
  const known = recall(state, caller);
  if (known !== null)
    return 'startedAt' in known ? { kind: 'enrolled', state, agent: known, events: [] } : known;
  const parent = parentName(caller.name);
  if (parent === null) return register(state, caller, caller.kind, c);
  const above = agentNamed(state, parent);
  if (above === null) return { kind: 'no_such_agent', named: parent };
  if (!mayActAs(caller, above)) return { kind: 'not_your_session', agent: nameOf(above) };
  return register(state, { ...caller, session: above.session }, 'subagent', c);
}

function register(state: State, caller: Caller, kind: AgentKind, c: DecisionContext): Enrolled {
  const agent: Agent = {
    id: freshId(state, c),
    name: caller.name,
    kind,
    session: kind === 'subagent' ? caller.session : null,
    host: caller.host,
    startedAt: c.now.at,
    active: stampOf(c.now),
    reads: formats.newest,
  };
  return {
    kind: 'enrolled',
    agent,
    state: { ...state, agents: amend(state.agents, [[agent.id, agent]]) },
    events: [{ event: 'started', agent: nameOf(agent), kind }],
  };
}
