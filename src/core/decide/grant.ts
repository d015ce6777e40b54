/** What is granted: new leases, what is renewed in place, and what a grant ends of one's own. */

import { type Agent, nameOf } from '../agent.ts';
import type { Event } from '../event.ts';
import { elapsedMs, stampOf } from '../instant.ts';
import {
  type AgentName,
  areHeldAlike,
  holdOf,
  inConflict,
  type Lease,
  protectionBy,
  type Resource,
  type Wait,
} from '../lease.ts';
import { limits } from '../limits.ts';
import type { State } from '../state.ts';
import { type Acquired, isKinsClaim, split, type Wish } from './acquisition.ts';
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
  request: Wish,
  before: State,
  began: readonly Event[],
  agent: Agent,
  place: Wait | undefined,
  c: DecisionContext,
): Decision<Acquired> {
  const who = nameOf(agent);
  const { renewals, missing } = split(before, agent, request, c);
  const expired = expiredInTheWay(request, before, agent, c);
  const left = { leases: [], waits: place === undefined ? [] : [place], agents: [] };
  const { state: cleared } = clear(before, left, who);
  const gone = expired.map(({ id }) => [id, null] as const);
  const freed: State = { ...cleared, leases: amend(cleared.leases, gone) };
  const waitedMs = place === undefined ? 0 : elapsedMs(place.id, place.started, c.now);
  const kept = renewals.map((lease) => renewInPlace(lease, request, c));
  const cap = missing === null ? null : capOf(freed, agent, missing, c);
  if (cap !== null) return refused(cap);
  const fresh = missing === null ? [] : [newLease(request, missing, freed, who, c)];
  const leases = [...kept, ...fresh];
  const reopened = reopen(request, freed, who, c);
  const worked =
    request.edited === undefined
      ? reopened.state
      : markWork(reopened.state, agent, request.edited, c);
  const held = leases.map((lease) => [lease.id, lease] as const);
  const touched = touch({ ...worked, leases: amend(worked.leases, held) }, agent, c);
  const events: readonly Event[] = [
    ...began,
    ...expired.map((lease) => expiredEvent(lease, who)),
    ...kept.map((lease) => leaseEvent('renewed', lease, who)),
    ...fresh.map((lease) => ({
      ...leaseEvent('acquired', lease, who),
      ttl: lease.ttlMs / 1_000,
      reason: lease.reason,
      ...(place === undefined ? {} : { waitedMs }),
    })),
    ...reopened.events,
    ...touched.events,
  ];
  const result = { kind: 'granted', leases, waitedMs } as const;
  return { kind: 'change', actor: who, state: touched.state, events, result };
}

/**
 * Whatever stood in the way and does not any more has expired: its holder is told before the new
 * one is.
 */
function expiredInTheWay(
  request: Wish,
  { leases }: State,
  agent: Agent,
  c: DecisionContext,
): readonly Lease[] {
  const wish = { ...request.want, ...holdOf(request), agent };
  const byAnybody = { ...request.want, agent: { name: '' }, mode: 'exclusive' } as const;
  return [...leases.values()].filter(
    (lease) =>
      !isActive(lease, c) &&
      (inConflict(wish, lease, c.folding) ||
        isKinsClaim(wish, lease) ||
        (lease.agent.id === agent.id && inConflict(byAnybody, lease, c.folding))),
  );
}

function newLease(
  request: Wish,
  missing: Resource,
  state: State,
  who: AgentName,
  c: DecisionContext,
): Lease {
  const { reason, ttlMs, defaultTtlMs, edited, base } = request;
  const isClaim = missing.kind === 'claim';
  return {
    ...missing,
    id: freshId(state, c),
    agent: who,
    ...holdOf(request),
    reason,
    ttlMs: ttlMs ?? defaultTtlMs,
    token: c.seq,
    acquiredAt: c.now.at,
    renewed: stampOf(c.now),
    steady: false,
    ...protectionBy(c),
    edited:
      edited === undefined && !isClaim
        ? null
        : { stamp: stampOf(c.now), directories: edited ?? [] },
    ...(isClaim && base !== undefined ? { base } : {}),
  };
}

function leaseEvent(event: 'renewed' | 'acquired', lease: Lease, agent: AgentName): Event {
  return { event, agent, ...facts(lease), mode: lease.mode, token: lease.token };
}

/** A bead that is claimed is open again, whatever it was. */
function reopen(
  { want }: Wish,
  state: State,
  who: AgentName,
  c: DecisionContext,
): { readonly state: State; readonly events: readonly Event[] } {
  const record = want.kind === 'claim' ? state.beads.records.get(want.bead) : undefined;
  if (record === undefined || record.status === 'open') return { state, events: [] };
  const failures = record.status === 'done' ? 0 : record.failures;
  const open = { ...record, status: 'open', failures, at: c.now.at } as const;
  return {
    state: { ...state, beads: state.beads.with([open], limits.beadsKept) },
    events: [{ event: 'reopened', agent: who, bead: record.id }],
  };
}

/**
 * Another way of holding is a new hold over others, under a new token, unless it was held alone:
 * then it is less. Whoever is about to edit does not mean to give up anything by it.
 */
function renewInPlace(lease: Lease, request: Wish, c: DecisionContext): Lease {
  const answered =
    request.want.kind !== 'reservation' ||
    lease.kind !== 'reservation' ||
    lease.patterns.every(
      (text) => request.want.kind === 'reservation' && request.want.patterns.includes(text),
    );
  const isAlone = lease.mode === 'exclusive';
  const stays = !answered || (isAlone && request.edited !== undefined);
  // A narrower wish never shortens what is held, nor says what it is for.
  const { workTree: _, ...again } = renewed(
    lease,
    c,
    answered ? (request.ttlMs ?? lease.ttlMs) : Math.max(lease.ttlMs, request.ttlMs ?? 0),
    request.edited,
  );
  return {
    ...again,
    ...holdOf(stays ? lease : request),
    token: stays || isAlone || areHeldAlike(lease, request) ? lease.token : c.seq,
    reason: request.reason === '' || !answered ? lease.reason : request.reason,
  };
}
