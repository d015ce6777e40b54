/** A place in line: taken, kept, and refused where it would close a circle. */

import { type Agent, nameOf } from '../agent.ts';
import type { Event } from '../event.ts';
import { elapsedMs, stampOf } from '../instant.ts';
import { holdOf, type Wait } from '../lease.ts';
import { limits } from '../limits.ts';
import type { Refusal } from '../refusal.ts';
import type { State } from '../state.ts';
import type { Acquired, Wish } from './acquisition.ts';
import { findCycle } from './deadlock.ts';
import { amend, type Decision, type DecisionContext, facts, freshId, refused } from './decision.ts';
import { touch } from './renew.ts';
import { yieldFor } from './yield.ts';

export function standInLine(
  request: Wish,
  refusal: Refusal,
  state: State,
  began: readonly Event[],
  agent: Agent,
  place: Wait | undefined,
  c: DecisionContext,
): Decision<Acquired> {
  const wait: Wait = place ?? {
    ...request.want,
    id: freshId(state, c),
    agent: nameOf(agent),
    ...holdOf(request),
    reason: request.reason,
    ttlMs: request.ttlMs ?? request.defaultTtlMs,
    since: c.seq,
    started: stampOf(c.now),
    renewed: stampOf(c.now),
  };
  const cycle = findCycle(wait, state, c);
  if (cycle !== null) {
    const blockers = 'blockers' in refusal ? refusal.blockers : [];
    const isNew = place === undefined;
    if (!isNew || request.yields === undefined)
      return refused({ kind: 'deadlock', blockers, cycle });
    const instead = yieldFor(wait, request.yields.changed, agent, state, c);
    if (instead.kind === 'refused') return instead;
    if (findCycle(instead.wait, instead.state, c) !== null) {
      return refused({ kind: 'deadlock', blockers, cycle, uncommitted: instead.uncommitted });
    }
    const told = [...began, ...instead.events];
    return waiting(instead.wait, refusal, instead.state, told, agent, instead.patterns, c);
  }
  if (
    place !== undefined &&
    elapsedMs(place.id, place.renewed, c.now) <
      (c.isRemote === true ? limits.waitRemoteRenewEveryMs : limits.waitRenewEveryMs)
  ) {
    return { kind: 'same', result: { kind: 'waiting', wait: place, refusal, yielded: [] } };
  }
  return waiting(wait, refusal, state, began, agent, [], c);
}

function waiting(
  wait: Wait,
  refusal: Refusal,
  state: State,
  began: readonly Event[],
  agent: Agent,
  yielded: readonly string[],
  c: DecisionContext,
): Decision<Acquired> {
  const isNew = !state.waits.has(wait.id);
  if (isNew && state.waits.size >= limits.waitsInAll)
    return refused({ kind: 'cap', scope: 'waits', limit: limits.waitsInAll });
  const standing: Wait = { ...wait, renewed: stampOf(c.now) };
  const touched = touch({ ...state, waits: amend(state.waits, [[wait.id, standing]]) }, agent, c);
  const told: readonly Event[] = isNew
    ? [{ event: 'waiting', agent: nameOf(agent), ...facts(wait) }]
    : [];
  return {
    kind: 'change',
    actor: nameOf(agent),
    state: touched.state,
    events: [...began, ...told, ...touched.events],
    result: { kind: 'waiting', wait: standing, refusal, yielded },
  };
}
