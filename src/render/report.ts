/**
 * Every outcome as data, and the same data as text. A report is what a command returns: `facts` are
 * the JSON object, `lines` what a person reads, `exit` what the shell sees. There is no other way
 * to say anything, so text and JSON cannot disagree.
 */
import { type Agent, nameOf, showAgent } from '../core/agent.ts';
import type { DecisionContext } from '../core/decide/decision.ts';
import { isInGrace } from '../core/decide/look.ts';
import { isStalled } from '../core/decide/renew.ts';
import type { CoordError, ErrorCode } from '../core/errors.ts';
import { formatDuration, formatTime } from '../core/instant.ts';
import {
  describe,
  expiresAt,
  freeInMs,
  type Lease,
  liveForMs,
  phaseOf,
  type Resource,
  resourceOf,
  type Wait,
} from '../core/lease.ts';
import { limits } from '../core/limits.ts';
import { type Asked, afterRefusal } from '../core/next.ts';
import type { Request } from '../core/record.ts';
import type { Refusal } from '../core/refusal.ts';
import { shellLine, shellQuote } from '../core/shell-line.ts';
import type { State } from '../core/state.ts';
import { few, refusalWords } from './wording.ts';

export { shellLine, shellQuote };

export interface Report {
  readonly ok: boolean;
  readonly exit: number;
  /** The word for what came out: granted, refused, free ... */
  readonly result: string;
  readonly facts: Readonly<Record<string, unknown>>;
  /** For people: `says` is data and goes to stdout, `notes` go to stderr. */
  readonly says: readonly string[];
  readonly notes?: readonly string[];
  /** Everything has been said already, line by line. */
  readonly silent?: true;
  /** Of no use in part, however long. */
  readonly isWhole?: true;
}

export const exits = {
  done: 0,
  refused: 1,
  usage: 64,
  unavailable: 69,
  bug: 70,
  tryAgain: 75,
  interrupted: 130,
} as const;

const exitOf: Readonly<Record<ErrorCode, number>> = {
  usage: 64,
  unknown_verb: 64,
  bad_pattern: 64,
  pattern_too_complex: 64,
  path_outside: 64,
  needs_wide: 64,
  bad_name: 64,
  bad_bead: 64,
  bad_duration: 64,
  bad_reason: 64,
  bad_setting: 64,
  needs_reason: 64,
  bad_payload: 64,
  record_too_large: 64,
  not_a_repository: 69,
  bare_repository: 69,
  git_missing: 69,
  git_too_old: 69,
  git_failed: 69,
  git_timeout: 69,
  log_malformed: 69,
  log_newer: 69,
  log_elsewhere: exits.unavailable,
  log_rewound: 69,
  log_erased: 69,
  log_forged: 69,
  object_missing: 69,
  not_writable: 69,
  cannot_run: 69,
  notes_malformed: 69,
  tracker_failed: 69,
  tracker_busy: 75,
  bad_log: 64,
  bad_gate: 64,
  not_testable: 69,
  busy: 75,
  locked: 75,
  unknown_outcome: 75,
  arbiter_unreachable: 75,
  arbiter_refused: 69,
  bad_remote: 64,
  bug: 70,
};

export function errorReport(error: CoordError): Report {
  const { code, message, hint } = error;
  return {
    ok: false,
    exit: exitOf[code],
    result: 'error',
    facts: { error: { code, message, ...(hint === undefined ? {} : { hint }) } },
    says: [],
    notes: [`coord: ${message}`, ...(hint === undefined ? [] : [`  try: ${hint}`])],
  };
}

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
    mode: lease.mode,
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

/** What was said without the server, where that was chosen, is marked as that. */
export function adviceOf(
  { advisorySince, remote }: { readonly advisorySince?: number; readonly remote?: string },
  what: string,
): { readonly facts: Readonly<Record<string, unknown>>; readonly notes: readonly string[] } {
  return advisorySince === undefined
    ? { facts: {}, notes: [] }
    : {
        facts: { advisory: true },
        notes: [`note: remote '${remote ?? ''}' cannot be reached; ${what}`],
      };
}

/** In the words of a person, marked where it is advice. */
export function named(lease: Lease, c: DecisionContext): string {
  return `${describe(lease)}${isAdvice(lease, c) ? ' (advice)' : ''}`;
}

/** Granted without the server: nobody elsewhere knows of it. */
export function isAdvice(lease: Lease, { advisorySince: advisorySince }: DecisionContext): boolean {
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
    mode: wait.mode,
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

export function ago(at: number, c: DecisionContext): string {
  return `${formatDuration(c.now.at - at)} ago`;
}

/** `expires in 12m`, `in grace, free in 90s`. */
export function timeLeft(lease: Lease, c: DecisionContext): string {
  const left = freeInMs(lease, c.now, c.graceMs);
  return isInGrace(lease, c)
    ? `in grace, free in ${formatDuration(left)}`
    : `expires in ${formatDuration(liveForMs(lease, c.now))}`;
}

const nowMs = 5_000;

/** `active now`, `last active 3m ago`. */
function activity(at: number, c: DecisionContext): string {
  return c.now.at - at < nowMs ? 'active now' : `last active ${ago(at, c)}`;
}

/** Who holds what since when and why, on one line. */
export function leaseLine(lease: Lease, state: State, c: DecisionContext): string {
  const active = state.agents.get(lease.agent.id)?.active.at ?? lease.renewed.at;
  return [
    `${describe(lease)}${lease.mode === 'shared' ? ' (shared)' : ''}`,
    `held by ${showAgent(lease.agent)} for ${formatDuration(c.now.at - lease.acquiredAt)} (${activity(Math.max(active, lease.renewed.at), c)})`,
    timeLeft(lease, c),
    ...(isStalled(lease, state, c) ? ['stalled'] : []),
    ...(isAdvice(lease, c) ? ['advisory'] : []),
    ...(lease.reason === '' ? [] : [`for: ${lease.reason}`]),
    `lease ${lease.id}`,
  ].join(', ');
}

/** With the command that makes sense now. */
export function refusalReport(
  refusal: Refusal,
  state: State,
  c: DecisionContext,
  asked: Asked,
): Report {
  const blockers =
    'blockers' in refusal ? refusal.blockers : 'leases' in refusal ? refusal.leases : [];
  const next = afterRefusal(refusal, asked);
  const own = refusal.kind === 'cap' ? (refusal.own ?? []) : [];
  return {
    ok: false,
    exit: refusal.kind === 'timeout' ? exits.tryAgain : exits.refused,
    result: 'refused',
    facts: {
      refusal: refusalFacts(refusal, c),
      blockers: blockers.map((lease) => leaseFacts(lease, state, c)),
      ...(own.length === 0 ? {} : { own: own.map((lease) => leaseFacts(lease, state, c)) }),
      next,
    },
    says: [],
    notes: [
      `refused: ${refusalWords(refusal)}`,
      ...[...blockers, ...own].map((lease) => `  ${leaseLine(lease, state, c)}`),
      ...('ahead' in refusal
        ? refusal.ahead.map(
            (wait) =>
              `  ${showAgent(wait.agent)} waits for ${describe(wait)} since ${ago(wait.started.at, c)}`,
          )
        : []),
      ...('cycle' in refusal
        ? refusal.cycle.map(
            ({ agent, waitsFor, heldBy }) =>
              `  ${showAgent(agent)} waits for ${waitsFor}, which is ${showAgent(heldBy)}'s`,
          )
        : []),
      ...lostMeanwhile(refusal),
      `  next: ${next}`,
    ],
  };
}

/** With the id under which it is explained later. */
export function explained(report: Report, id: string): Report {
  if (id === '') return report;
  const { refusal, ...facts } = report.facts;
  return {
    ...report,
    facts: { ...facts, refusal: { ...(refusal as object), id } },
    notes: [...(report.notes ?? []), `  why: coord explain ${id}`],
  };
}

function refusalFacts(refusal: Refusal, c: DecisionContext): Readonly<Record<string, unknown>> {
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

/** What was given up for a wait that came to nothing. */
function lostMeanwhile(refusal: Refusal): readonly string[] {
  const yielded = 'yielded' in refusal ? (refusal.yielded ?? []) : [];
  if (yielded.length === 0) return [];
  return [`  given up to wait for it, and not held any more: ${few(yielded)}`];
}
