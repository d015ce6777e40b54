/**
 * Taking a lease away from somebody else: with a reason, the exact lease, and only once its holder
 * has had time to speak.
 */
import { nameOf } from '../agent.ts';
import type { Event } from '../event.ts';
import { areKin } from '../ids.ts';
import { elapsedMs } from '../instant.ts';
import { type AgentName, type Lease, protectionOf } from '../lease.ts';
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
import { type Caller, enrol } from './enrol.ts';
import { touch } from './renew.ts';

export interface Break {
  readonly caller: Caller;
  readonly id: string;
  readonly reason: string;
}

export function decideBreak(
  request: Break,
  state: State,
  c: DecisionContext,
): Decision<{ readonly lease: Lease }> {
  const enrolled = enrol(state, request.caller, c);
  if (enrolled.kind !== 'enrolled') return refused(enrolled);
  const lease = state.leases.get(request.id);
  if (lease === undefined) return refused({ kind: 'no_such_lease', named: request.id });
  const by = nameOf(enrolled.agent);
  const retryInMs = breakableInMs(lease, by, state, c);
  if (isActive(lease, c) && retryInMs > 0)
    return refused({ kind: 'too_early', leases: [lease], retryInMs });
  const broken: Event = {
    event: 'broken',
    agent: lease.agent,
    by,
    ...facts(lease),
    token: lease.token,
    reason: request.reason,
  };
  const touched = touch(
    { ...enrolled.state, leases: amend(enrolled.state.leases, [[lease.id, null]]) },
    enrolled.agent,
    c,
  );
  return {
    kind: 'change',
    actor: by,
    state: touched.state,
    events: [...enrolled.events, broken, ...touched.events],
    result: { lease },
  };
}

/**
 * How long until who has asked may break it: zero where nobody has been seen, or nobody has
 * answered, for long enough.
 */
export function breakableInMs(
  lease: Lease,
  asker: AgentName,
  state: State,
  c: DecisionContext,
): number {
  // Anybody may switch the guards on again.
  if (isPause(lease)) return 0;
  const holder = state.agents.get(lease.agent.id);
  const idleMs = Math.min(
    elapsedMs(lease.id, lease.renewed, c.now),
    holder === undefined ? Number.POSITIVE_INFINITY : elapsedMs(holder.id, holder.active, c.now),
  );
  const { breakMs } = protectionOf(lease, c);
  const untilIdle = breakMs - idleMs;
  const asked = [...state.requests.values()].filter(
    (request) =>
      request.lease === lease.id &&
      request.token === lease.token &&
      areKin(request.from.name, asker.name),
  );
  const untilAnswered = asked.map(
    (request) => (request.urgent ? 1 : 2) * breakMs - elapsedMs(request.id, request.asked, c.now),
  );
  // What was promised for a time is waited for.
  const untilPromised = asked.map(({ id, deferred }) =>
    deferred === null ? 0 : deferred.etaMs - elapsedMs(id, deferred.stamp, c.now),
  );
  return Math.max(0, ...untilPromised, Math.min(untilIdle, ...untilAnswered));
}
