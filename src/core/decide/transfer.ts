/** Handing over: by their holder, to somebody on record, under a new token. */

import { nameOf } from '../agent.ts';
import type { Event } from '../event.ts';
import { stampOf } from '../instant.ts';
import { type AgentName, beginningOf, inConflict, type Lease } from '../lease.ts';
import { limits } from '../limits.ts';
import type { State } from '../state.ts';
import {
  amend,
  type Decision,
  type DecisionContext,
  facts,
  isActive,
  refused,
} from './decision.ts';
import { agentNamed, type Caller, recall } from './enrol.ts';
import { type Selection, select } from './release.ts';
import { touch } from './renew.ts';
import { expiredEvent } from './tidy.ts';

export interface Transfer {
  readonly caller: Caller;
  readonly selection: Selection;
  readonly to: string;
  readonly reason: string;
}

/** All of them or none, under new tokens: the former holder's are worth nothing from here on. */
export function decideTransfer(
  request: Transfer,
  state: State,
  c: DecisionContext,
): Decision<{ readonly leases: readonly Lease[]; readonly to: AgentName }> {
  const agent = recall(state, request.caller);
  if (agent !== null && !('startedAt' in agent)) return refused(agent);
  const receiver = agentNamed(state, request.to);
  if (receiver === null || receiver.id === agent?.id)
    return refused({
      kind: 'no_such_agent',
      named: receiver === null ? request.to : `${request.to} besides you`,
    });
  const own = [...state.leases.values()].filter(
    (lease) => lease.agent.id === agent?.id && isActive(lease, c),
  );
  const named =
    request.selection.by === 'named'
      ? request.selection.ids.flatMap((id) => state.leases.get(id) ?? [])
      : [];
  const others = named.filter((lease) => lease.agent.id !== agent?.id);
  if (others.length > 0) return refused({ kind: 'not_owner', leases: others });
  const { whole, parts, unmatched } = select(own, request.selection, c);
  if (agent === null || unmatched.length > 0 || parts.length > 0) {
    return refused({
      kind: 'nothing_matched',
      named: unmatched.length > 0 ? unmatched : parts.flatMap(({ lost }) => lost),
    });
  }
  const to = nameOf(receiver);
  const who = nameOf(agent);
  const moved = whole.map((lease) => given(lease, to, request, c));
  const isMet = (lease: Lease): boolean =>
    moved.some((one) => inConflict(one, lease, c.folding)) && !whole.includes(lease);
  const all = [...state.leases.values()];
  const active = all.filter((lease) => isActive(lease, c));
  const blockers = active.filter(isMet);
  if (blockers.length > 0) return refused({ kind: 'held', blockers, ahead: [], retryInMs: 0 });
  const ofReceiver = active.filter((lease) => lease.agent.id === to.id && !whole.includes(lease));
  if (ofReceiver.length + moved.length > limits.leasesPerAgent)
    return refused({ kind: 'cap', scope: 'agent', limit: limits.leasesPerAgent });
  // What ran out beside kin must not stay beside a stranger: under another clock it could still
  // count.
  const gone = all.filter((lease) => isMet(lease) && !isActive(lease, c));
  const leases = amend(state.leases, [
    ...gone.map(({ id }) => [id, null] as const),
    ...moved.map((lease) => [lease.id, lease] as const),
  ]);
  const touched = touch({ ...state, leases }, agent, c);
  const events = moved.map((lease) => transferredEvent(lease, who, request));
  return {
    kind: 'change',
    actor: who,
    state: touched.state,
    events: [...gone.map((lease) => expiredEvent(lease, who)), ...events, ...touched.events],
    result: { leases: moved, to },
  };
}

function given(lease: Lease, to: AgentName, { reason }: Transfer, c: DecisionContext): Lease {
  const work =
    lease.kind === 'claim'
      ? { begun: beginningOf(lease), edited: { stamp: stampOf(c.now), directories: [] } }
      : {};
  return {
    ...lease,
    agent: to,
    token: c.seq,
    acquiredAt: c.now.at,
    renewed: stampOf(c.now),
    reason: reason === '' ? lease.reason : reason,
    ...work,
  };
}

function transferredEvent(lease: Lease, from: AgentName, { reason }: Transfer): Event {
  return {
    event: 'transferred',
    agent: lease.agent,
    by: from,
    ...facts(lease),
    from,
    token: lease.token,
    ...(reason === '' ? {} : { reason }),
  };
}
