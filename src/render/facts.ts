/** What is on record as the objects that programs read: the shapes of `--json`. */
import { type Agent, nameOf } from '../core/agent.ts';
import type { DecisionContext } from '../core/decide/decision.ts';
import { isStalled } from '../core/decide/renew.ts';
import { formatTime } from '../core/instant.ts';
import {
  expiresAt,
  holdOf,
  type Lease,
  phaseOf,
  type Resource,
  resourceOf,
  type Wait,
} from '../core/lease.ts';
import { limits } from '../core/limits.ts';
import type { Request } from '../core/record.ts';
import type { Refusal } from '../core/refusal.ts';
import type { State } from '../core/state.ts';

export type Facts = Readonly<Record<string, unknown>>;

function resourceFacts(resource: Resource): Readonly<Record<string, unknown>> {
  const { kind, ...what } = resourceOf(resource);
  return { kind, ...what };
}

export function leaseFacts(
  lease: Lease,
  state: State,
  c: DecisionContext,
): Readonly<Record<string, unknown>> {
  const { kind, ...what } = resourceFacts(lease);
  const active = state.agents.get(lease.agent.id)?.active.at ?? 0;
  return {
    id: lease.id,
    kind,
    agent: nameOf(lease.agent),
    ...what,
    ...holdOf(lease),
    reason: lease.reason,
    ttl: lease.ttlMs / 1_000,
    token: lease.token,
    acquiredAt: formatTime(lease.acquiredAt),
    renewedAt: formatTime(lease.renewed.at),
    expiresAt: formatTime(expiresAt(lease)),
    lastActiveAt: formatTime(Math.max(active, lease.renewed.at)),
    state: phaseOf(lease, c.now, c.graceMs),
    ...(isUntouched(lease, c) ? { untouched: true } : {}),
    ...(isStalled(lease, state, c) ? { stalled: true } : {}),
    ...(isAdvice(lease, c) ? { advisory: true } : {}),
  };
}

/** Granted without the server: nobody elsewhere knows of it. */
export function isAdvice(lease: Lease, { advisorySince }: DecisionContext): boolean {
  return advisorySince !== undefined && lease.token > advisorySince;
}

/** Reserved for a while, and nobody has said that it was edited. */
export function isUntouched(lease: Lease, { now }: DecisionContext): boolean {
  return (
    lease.kind === 'reservation' &&
    lease.edited === null &&
    now.at - lease.acquiredAt > limits.untouchedMs
  );
}

export function waitFacts(wait: Wait): Readonly<Record<string, unknown>> {
  return {
    id: wait.id,
    agent: nameOf(wait.agent),
    ...resourceFacts(wait),
    ...holdOf(wait),
    reason: wait.reason,
    since: wait.since,
    startedAt: formatTime(wait.started.at),
    renewedAt: formatTime(wait.renewed.at),
  };
}

export function requestFacts(request: Request): Readonly<Record<string, unknown>> {
  const { id, lease, token, what, from, to, reason, urgent, asked, deferred } = request;
  return {
    id,
    lease,
    token,
    ...resourceFacts(what),
    from,
    to,
    reason,
    urgent,
    askedAt: formatTime(asked.at),
    ...(deferred === null
      ? {}
      : {
          deferredAt: formatTime(deferred.stamp.at),
          eta: deferred.etaMs / 1_000,
          answer: deferred.reason,
        }),
  };
}

export function agentFacts(agent: Agent): Readonly<Record<string, unknown>> {
  return {
    id: agent.id,
    name: agent.name,
    kind: agent.kind,
    host: agent.host,
    session: agent.session !== null,
    startedAt: formatTime(agent.startedAt),
    lastActiveAt: formatTime(agent.active.at),
  };
}

export function refusalFacts(
  refusal: Refusal,
  c: DecisionContext,
): Readonly<Record<string, unknown>> {
  switch (refusal.kind) {
    case 'held':
    case 'grace':
    case 'timeout':
      return {
        kind: refusal.kind,
        retryAfter: Math.ceil(refusal.retryInMs / 1_000),
        retryAt: formatTime(c.now.at + refusal.retryInMs),
        ahead: refusal.ahead.map(waitFacts),
        ...(refusal.yielded === undefined ? {} : { yielded: refusal.yielded }),
        ...(refusal.sequential === undefined ? {} : { sequential: true }),
        ...(refusal.lines === undefined ? {} : { lines: true }),
      };
    case 'cap':
      return { kind: refusal.kind, scope: refusal.scope, limit: refusal.limit };
    case 'uncommitted':
      return { kind: refusal.kind, paths: refusal.paths };
    case 'deadlock':
      return {
        kind: refusal.kind,
        cycle: refusal.cycle,
        ...(refusal.uncommitted === undefined ? {} : { uncommitted: refusal.uncommitted }),
      };
    case 'not_owner':
    case 'expired':
    case 'live_leases':
    case 'own_lease':
      return { kind: refusal.kind };
    case 'too_early':
      return {
        kind: refusal.kind,
        retryAfter: Math.ceil(refusal.retryInMs / 1_000),
        retryAt: formatTime(c.now.at + refusal.retryInMs),
      };
    case 'bead_done':
    case 'bead_parked':
      return { ...refusal, at: formatTime(refusal.at) };
    default:
      return { ...refusal };
  }
}
