/** What is granted: new leases, what is renewed in place, and what a grant ends of one's own. */

import { type Agent, nameOf } from '../agent.ts';
import type { Event } from '../event.ts';
import { elapsedMs, stampOf } from '../instant.ts';
import { inConflict, type Lease, protectionBy, type Wait } from '../lease.ts';
import { limits } from '../limits.ts';
import type { State } from '../state.ts';
import { type Acquired, type Acquisition, isKinsClaim, split } from './acquisition.ts';
import { capOf } from './caps.ts';
import {
  amend,
  type Decision,
  type DecisionContext,
  facts,
  freshId,
  isActive,
  refused,
} from './decision.ts';
import { markWork, renewed, touch } from './renew.ts';
import { clear, expiredEvent } from './tidy.ts';

export function grant(
  request: Acquisition,
  before: State,
  began: readonly Event[],
  agent: Agent,
  place: Wait | undefined,
  c: DecisionContext,
): Decision<Acquired> {
  const who = nameOf(agent);
  const { renewals, missing } = split(before, agent, request, c);
  const wish = { ...request.want, mode: request.mode, agent };
  // Whatever stood in the way and does not any more has expired: its holder is told before the new
  // one is.
  const expired = [...before.leases.values()].filter(
    (lease) =>
      !isActive(lease, c) &&
      (inConflict(wish, lease, c.folding) ||
        isKinsClaim(wish, lease) ||
        (lease.agent.id === agent.id &&
          inConflict({ ...wish, agent: { name: '' }, mode: 'exclusive' }, lease, c.folding))),
  );
  const cleared = clear(
    before,
    { leases: [], waits: place === undefined ? [] : [place], agents: [] },
    who,
  );
  let state: State = {
    ...cleared.state,
    leases: amend(
      cleared.state.leases,
      expired.map(({ id }) => [id, null] as const),
    ),
  };
  const events: Event[] = [...began, ...expired.map((lease) => expiredEvent(lease, who))];
  const leases: Lease[] = renewals.map((lease) => renewInPlace(lease, request, c));
  const waitedMs = place === undefined ? 0 : elapsedMs(place.id, place.started, c.now);
  for (const lease of leases)
    events.push({
      event: 'renewed',
      agent: who,
      ...facts(lease),
      mode: lease.mode,
      token: lease.token,
    });
  if (missing !== null) {
    const cap = capOf(state, agent, missing, c);
    if (cap !== null) return refused(cap);
    const lease: Lease = {
      ...missing,
      id: freshId(state, c),
      agent: who,
      mode: request.mode,
      reason: request.reason,
      ttlMs: request.ttlMs ?? request.defaultTtlMs,
      token: c.seq,
      acquiredAt: c.now.at,
      renewed: stampOf(c.now),
      steady: false,
      ...protectionBy(c),
      edited:
        request.edited === undefined && missing.kind !== 'claim'
          ? null
          : { stamp: stampOf(c.now), directories: request.edited ?? [] },
      ...(missing.kind === 'claim' && request.base !== undefined ? { base: request.base } : {}),
    };
    leases.push(lease);
    events.push({
      event: 'acquired',
      agent: who,
      ...facts(lease),
      mode: lease.mode,
      token: lease.token,
      ttl: lease.ttlMs / 1_000,
      reason: lease.reason,
      ...(place === undefined ? {} : { waitedMs }),
    });
  }
  if (request.want.kind === 'claim') {
    const record = state.beads.records.get(request.want.bead);
    if (record !== undefined && record.status !== 'open') {
      state = {
        ...state,
        beads: state.beads.with(
          [
            {
              ...record,
              status: 'open',
              failures: record.status === 'done' ? 0 : record.failures,
              at: c.now.at,
            },
          ],
          limits.beadsKept,
        ),
      };
      events.push({ event: 'reopened', agent: who, bead: record.id });
    }
  }
  if (request.edited !== undefined) state = markWork(state, agent, request.edited, c);
  state = {
    ...state,
    leases: amend(
      state.leases,
      leases.map((lease) => [lease.id, lease] as const),
    ),
  };
  const touched = touch(state, agent, c);
  return {
    kind: 'change',
    actor: who,
    state: touched.state,
    events: [...events, ...touched.events],
    result: { kind: 'granted', leases, waitedMs },
  };
}

/**
 * Shared to exclusive is a new hold over others, so it gets a new token; anything else keeps its
 * own.
 */
function renewInPlace(lease: Lease, request: Acquisition, c: DecisionContext): Lease {
  const answered =
    request.want.kind !== 'reservation' ||
    lease.kind !== 'reservation' ||
    lease.patterns.every(
      (text) => request.want.kind === 'reservation' && request.want.patterns.includes(text),
    );
  const mode = answered ? request.mode : lease.mode;
  // A narrower wish never shortens what is held, nor says what it is for.
  const again = renewed(
    lease,
    c,
    answered ? (request.ttlMs ?? lease.ttlMs) : Math.max(lease.ttlMs, request.ttlMs ?? 0),
    request.edited,
  );
  return {
    ...again,
    mode,
    token: mode === 'exclusive' && lease.mode === 'shared' ? c.seq : lease.token,
    reason: request.reason === '' || !answered ? lease.reason : request.reason,
  };
}
