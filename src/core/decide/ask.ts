/**
 * Hand-over by asking: a request for one grant of a lease, its holder's answer, and its one end. It
 * is pinned to the lease and the token that it saw, so that no answer ever moves what came after.
 */
import { nameOf } from '../agent.ts';
import type { Event } from '../event.ts';
import { areKin } from '../ids.ts';
import { elapsedMs, stampOf } from '../instant.ts';
import { type AgentName, type Lease, resourceOf } from '../lease.ts';
import { limits } from '../limits.ts';
import type { Request } from '../record.ts';
import type { State } from '../state.ts';
import {
  amend,
  type Decision,
  type DecisionContext,
  facts,
  freshId,
  isActive,
  refused,
} from './decision.ts';
import { type Caller, enrol, recall } from './enrol.ts';
import { decideRelease } from './release.ts';
import { touch } from './renew.ts';
import { decideTransfer } from './transfer.ts';

export interface Ask {
  readonly caller: Caller;
  readonly lease: string;
  readonly reason: string;
  readonly urgent: boolean;
}

export function decideAsk(
  request: Ask,
  state: State,
  c: DecisionContext,
): Decision<{ readonly request: Request }> {
  const enrolled = enrol(state, request.caller, c);
  if (enrolled.kind !== 'enrolled') return refused(enrolled);
  const { agent } = enrolled;
  const lease = state.leases.get(request.lease);
  if (lease === undefined || !isActive(lease, c))
    return refused({ kind: 'no_such_lease', named: request.lease });
  if (areKin(lease.agent.name, agent.name)) return refused({ kind: 'own_lease', leases: [lease] });
  const mine = [...state.requests.values()].filter(({ from }) => from.id === agent.id);
  const open = mine.find((known) => known.lease === lease.id && known.token === lease.token);
  if (open !== undefined && (open.urgent || !request.urgent))
    return { kind: 'same', result: { request: open } };
  if (open === undefined && mine.length >= limits.requestsPerAgent)
    return refused({ kind: 'cap', scope: 'requests', limit: limits.requestsPerAgent });
  const who = nameOf(agent);
  const asked: Request = {
    ...(open ?? {
      id: freshId(state, c),
      lease: lease.id,
      token: lease.token,
      what: resourceOf(lease),
      from: who,
      to: lease.agent,
      asked: stampOf(c.now),
      deferred: null,
    }),
    reason: request.reason,
    urgent: request.urgent,
  };
  const touched = touch(
    { ...enrolled.state, requests: amend(state.requests, [[asked.id, asked]]) },
    agent,
    c,
  );
  const event: Event = {
    event: 'asked',
    agent: lease.agent,
    by: who,
    ...facts(lease),
    token: lease.token,
    request: asked.id,
    reason: asked.reason,
    urgent: asked.urgent,
  };
  return {
    kind: 'change',
    actor: who,
    state: touched.state,
    events: [...enrolled.events, event, ...touched.events],
    result: { request: asked },
  };
}

export interface AnswerRequest {
  readonly caller: Caller;
  /** Of a request, or of the lease that was asked for. */
  readonly named: string;
  readonly verdict: 'accept' | 'decline' | 'defer';
  readonly etaMs: number;
  readonly reason: string;
  /** Frees it for whoever is next, instead of giving it to who asked. */
  readonly frees: boolean;
}

export interface Answered {
  readonly request: Request;
  readonly leases: readonly Lease[];
}

export function decideAnswer(
  answer: AnswerRequest,
  state: State,
  c: DecisionContext,
): Decision<Answered> {
  const agent = recall(state, answer.caller);
  if (agent !== null && !('startedAt' in agent)) return refused(agent);
  const asked = [...state.requests.values()]
    .filter(({ id, lease }) => id === answer.named || lease === answer.named)
    .toSorted(
      (a, b) =>
        Number(b.urgent) - Number(a.urgent) || a.asked.at - b.asked.at || (a.id < b.id ? -1 : 1),
    )[0];
  if (asked === undefined) return refused({ kind: 'no_such_request', named: answer.named });
  const lease = state.leases.get(asked.lease);
  if (lease === undefined || lease.token !== asked.token || !isActive(lease, c))
    return refused({ kind: 'lease_changed', named: asked.lease });
  if (agent === null || lease.agent.id !== agent.id)
    return refused({ kind: 'not_owner', leases: [lease] });
  const who = nameOf(agent);
  const told: Event = {
    event: 'answered',
    agent: asked.from,
    by: who,
    ...facts(lease),
    token: lease.token,
    request: asked.id,
    verdict: answer.verdict,
    reason: answer.reason,
    ...(answer.verdict === 'defer' ? { eta: answer.etaMs / 1_000 } : {}),
  };
  if (answer.verdict === 'accept') return accepted(answer, asked, lease, told, state, c);
  const deferred: Request | null =
    answer.verdict === 'decline'
      ? null
      : {
          ...asked,
          deferred: { stamp: stampOf(c.now), etaMs: answer.etaMs, reason: answer.reason },
        };
  const touched = touch(
    { ...state, requests: amend(state.requests, [[asked.id, deferred]]) },
    agent,
    c,
  );
  return {
    kind: 'change',
    actor: who,
    state: touched.state,
    events: [told, ...touched.events],
    result: { request: deferred ?? asked, leases: [] },
  };
}

/** In one operation with the answer: there is no moment in which it is promised and not given. */
function accepted(
  answer: AnswerRequest,
  asked: Request,
  lease: Lease,
  told: Event,
  state: State,
  c: DecisionContext,
): Decision<Answered> {
  const before: State = { ...state, requests: amend(state.requests, [[asked.id, null]]) };
  const selection = { by: 'named', ids: [lease.id], patterns: [] } as const;
  const isFreed = answer.frees || !state.agents.has(asked.from.id);
  const given = isFreed
    ? decideRelease(
        { caller: answer.caller, selection, outcome: { reason: answer.reason } },
        before,
        c,
      )
    : decideTransfer(
        { caller: answer.caller, selection, to: asked.from.name, reason: answer.reason },
        before,
        c,
      );
  if (given.kind !== 'change')
    return given.kind === 'refused'
      ? given
      : { kind: 'same', result: { request: asked, leases: [] } };
  return {
    ...given,
    events: [told, ...given.events],
    result: { request: asked, leases: given.result.leases },
  };
}

/** Requests end with the grant that they were made for, with who asked, or of age. */
export function closeRequests(
  state: State,
  by: AgentName,
  c: DecisionContext,
): { readonly state: State; readonly events: readonly Event[] } {
  if (state.requests.size === 0) return { state, events: [] };
  const over = [...state.requests.values()].filter((request) => {
    const lease = state.leases.get(request.lease);
    return (
      lease === undefined ||
      lease.token !== request.token ||
      !state.agents.has(request.from.id) ||
      elapsedMs(request.id, request.asked, c.now) > limits.requestAgeMs
    );
  });
  return {
    state: {
      ...state,
      requests: amend(
        state.requests,
        over.map(({ id }) => [id, null] as const),
      ),
    },
    events: over.map(
      (request): Event => ({
        event: 'request-closed',
        agent: request.from,
        by,
        lease: request.lease,
        ...request.what,
        request: request.id,
      }),
    ),
  };
}
