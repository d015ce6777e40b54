/**
 * Taking something: a reservation, a claim or a lock, at once or by waiting for it. All patterns of
 * one request are granted together or not at all; what the agent already holds is renewed in place;
 * whoever asked first and still waits comes first.
 */
import { type Agent, nameOf } from '../agent.ts';
import type { Event } from '../event.ts';
import { areKin } from '../ids.ts';
import { elapsedMs, stampOf } from '../instant.ts';
import {
  type AgentName,
  freeInMs,
  inConflict,
  type Lease,
  type Mode,
  phaseOf,
  protectionBy,
  type Resource,
  resourcesMeet,
  type Wait,
} from '../lease.ts';
import { limits } from '../limits.ts';
import { covers } from '../overlap.ts';
import type { Refusal } from '../refusal.ts';
import type { State } from '../state.ts';
import { findCycle } from './deadlock.ts';
import {
  amend,
  type Decision,
  type DecisionContext,
  facts,
  freshId,
  isActive,
  isWaiting,
  refused,
} from './decision.ts';
import { type Caller, enrol } from './enrol.ts';
import { isStalled, markWork, renewed, touch } from './renew.ts';
import { clear, expiredEvent } from './tidy.ts';
import { yieldFor } from './yield.ts';

export interface Acquisition {
  readonly caller: Caller;
  readonly want: Resource;
  readonly mode: Mode;
  /** Null keeps the TTL of what is already held, and takes `defaultTtlMs` for what is not. */
  readonly ttlMs: number | null;
  readonly defaultTtlMs: number;
  readonly reason: string;
  /** Stand in the queue if it is held; `waitId` is the place one has there. */
  readonly wait: boolean;
  readonly waitId: string | null;
  /**
   * What the agent itself holds already does not answer it: one run at a time, also of one agent.
   */
  readonly anew: boolean;
  /** Of directories in which it is about to edit. */
  readonly edited?: readonly string[];
  /** Of all claims in the repository only one at a time. */
  readonly sequential?: boolean;
  /** Of a claim: the commit that HEAD is at. */
  readonly base?: string | undefined;
  /** Take a claim over whose holder has stalled. */
  readonly take?: boolean;
  /** Also a bead that is done, or waits for a person. */
  readonly again?: boolean;
  /**
   * Rather than close a circle of waits, give up what is held besides and not changed, and wait for
   * all of it.
   */
  readonly yields?: { readonly changed: readonly string[] };
}

export type Acquired =
  | { readonly kind: 'granted'; readonly leases: readonly Lease[]; readonly waitedMs: number }
  | {
      readonly kind: 'waiting';
      readonly wait: Wait;
      readonly refusal: Refusal;
      /** Patterns that it gave up, and waits for again with the rest. */
      readonly yielded: readonly string[];
    };

export function decideAcquire(
  request: Acquisition,
  state: State,
  c: DecisionContext,
): Decision<Acquired> {
  const enrolled = enrol(state, request.caller, c);
  if (enrolled.kind !== 'enrolled') return refused(enrolled);
  const { agent } = enrolled;
  const place = request.waitId === null ? undefined : state.waits.get(request.waitId);
  const wish = { ...request.want, mode: request.mode, agent };
  const over =
    request.want.kind !== 'claim'
      ? null
      : endOf(state, request.want.bead, agent, request.again === true);
  if (over !== null) return refused(over);
  const isAnotherClaim = (other: Lease | Wait): boolean =>
    request.sequential === true &&
    wish.kind === 'claim' &&
    other.kind === 'claim' &&
    !areKin(other.agent.name, agent.name);
  const inTheWay = [...state.leases.values()].filter(
    (lease) =>
      (inConflict(wish, lease, c.folding) ||
        isKinsClaim(wish, lease) ||
        isAnotherClaim(lease) ||
        (request.anew && lease.agent.id === agent.id && resourcesMeet(wish, lease, c.folding))) &&
      isActive(lease, c),
  );
  const taken =
    request.take === true && wish.kind === 'claim'
      ? inTheWay.filter(
          (lease) =>
            lease.kind === 'claim' && lease.bead === wish.bead && isStalled(lease, state, c),
        )
      : [];
  const blockers = inTheWay.filter((lease) => !taken.includes(lease));
  const ahead = [...state.waits.values()].filter(
    (wait) =>
      wait.id !== place?.id &&
      (place === undefined || wait.since < place.since) &&
      (inConflict(wish, wait, c.folding) || isAnotherClaim(wait)) &&
      isWaiting(wait, c),
  );
  if (blockers.length > 0 || (ahead.length > 0 && !holdsAll(state, agent, request, c))) {
    const refusal = heldRefusal(blockers, ahead, c);
    return request.wait
      ? standInLine(request, refusal, enrolled.state, enrolled.events, agent, place, c)
      : refused(refusal);
  }
  const who = nameOf(agent);
  const before: State =
    taken.length === 0
      ? enrolled.state
      : {
          ...enrolled.state,
          leases: amend(
            enrolled.state.leases,
            taken.map(({ id }) => [id, null] as const),
          ),
        };
  const events = taken.map(
    (lease): Event => ({
      event: 'taken',
      agent: lease.agent,
      by: who,
      ...facts(lease),
      token: lease.token,
      reason: request.reason,
    }),
  );
  return grant(request, before, [...enrolled.events, ...events], agent, place, c);
}

/** Kin work side by side on files, but a bead is one agent's. */
function isKinsClaim(
  wish: Resource & { readonly agent: AgentName; readonly mode: Mode },
  other: Lease,
): boolean {
  return (
    wish.kind === 'claim' &&
    other.kind === 'claim' &&
    other.bead === wish.bead &&
    other.agent.id !== wish.agent.id &&
    areKin(other.agent.name, wish.agent.name) &&
    (other.mode === 'exclusive' || wish.mode === 'exclusive')
  );
}

/**
 * A bead that is done stays done unless it is begun again, and one that has failed too often waits
 * for a person.
 */
function endOf(state: State, bead: string, agent: Agent, again: boolean): Refusal | null {
  const record = state.beads.records.get(bead);
  if (
    record === undefined ||
    record.status === 'open' ||
    (record.status === 'parked' ? agent.kind === 'person' : again)
  )
    return null;
  return {
    kind: record.status === 'done' ? 'bead_done' : 'bead_parked',
    bead,
    by: record.by,
    at: record.at,
    failures: record.failures,
  };
}

function heldRefusal(
  blockers: readonly Lease[],
  ahead: readonly Wait[],
  c: DecisionContext,
): Refusal {
  const grace =
    blockers.length > 0 && blockers.every((lease) => phaseOf(lease, c.now, c.graceMs) === 'grace');
  const retryInMs = Math.max(0, ...blockers.map((lease) => freeInMs(lease, c.now, c.graceMs)));
  return { kind: grace && ahead.length === 0 ? 'grace' : 'held', blockers, ahead, retryInMs };
}

/** A renewal of what one holds does not queue behind those who wait for it. */
function holdsAll(state: State, agent: Agent, request: Acquisition, c: DecisionContext): boolean {
  const { missing, renewals } = split(state, agent, request, c);
  return (
    missing === null &&
    renewals.every((lease) => lease.mode === 'exclusive' || request.mode === 'shared')
  );
}

interface Split {
  /** Own leases that answer the wish, wholly or in part. */
  readonly renewals: readonly Lease[];
  /** What is left to grant, or null. */
  readonly missing: Resource | null;
}

function split(state: State, agent: Agent, { want, mode }: Acquisition, c: DecisionContext): Split {
  const own = [...state.leases.values()].filter(
    (lease) => lease.agent.id === agent.id && isActive(lease, c),
  );
  if (want.kind !== 'reservation') {
    const same = own.filter((lease) =>
      want.kind === 'claim'
        ? lease.kind === 'claim' && lease.bead === want.bead
        : lease.kind === 'lock' && lease.name === want.name,
    );
    return { renewals: same, missing: same.length > 0 ? null : want };
  }
  const renewals = new Set<Lease>();
  const missing = want.patterns.filter((pattern) => {
    const holder = own.find(
      (lease) =>
        lease.kind === 'reservation' &&
        answers(lease, lease.patterns, pattern, want.patterns, mode, c),
    );
    if (holder !== undefined) renewals.add(holder);
    return holder === undefined;
  });
  return {
    renewals: [...renewals],
    missing: missing.length === 0 ? null : { kind: 'reservation', patterns: missing },
  };
}

/**
 * Does an own lease already answer this pattern? By the same pattern, if its mode is the one wished
 * or all of it may change mode; or, for a plain path, by any pattern that covers it in a mode that
 * does.
 */
function answers(
  lease: Lease,
  held: readonly string[],
  pattern: string,
  all: readonly string[],
  mode: Mode,
  c: DecisionContext,
): boolean {
  if (held.includes(pattern))
    return lease.mode === mode || held.every((text) => all.includes(text));
  return (
    (lease.mode === mode || lease.mode === 'exclusive') &&
    held.some(
      (text) => covers(text, pattern, c.folding) && covers(text, `${pattern}/**`, c.folding),
    )
  );
}

function grant(
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

function capOf(state: State, agent: Agent, want: Resource, c: DecisionContext): Refusal | null {
  const standing = [...state.leases.values()].filter((lease) => isActive(lease, c));
  if (want.kind === 'reservation' && want.patterns.length > limits.patternsPerLease)
    return { kind: 'cap', scope: 'patterns', limit: limits.patternsPerLease };
  const claims = standing.filter((lease) => lease.kind === 'claim' && lease.agent.id === agent.id);
  if (want.kind === 'claim' && claims.length >= limits.claimsPerAgent) {
    const own = claims.toSorted((a, b) => workedAt(a) - workedAt(b));
    return { kind: 'cap', scope: 'claims', limit: limits.claimsPerAgent, own };
  }
  if (standing.filter((lease) => lease.agent.id === agent.id).length >= limits.leasesPerAgent)
    return { kind: 'cap', scope: 'agent', limit: limits.leasesPerAgent };
  return standing.length >= limits.leasesInAll
    ? { kind: 'cap', scope: 'all', limit: limits.leasesInAll }
    : null;
}

function workedAt({ edited, acquiredAt }: Lease): number {
  return edited?.stamp.at ?? acquiredAt;
}

function standInLine(
  request: Acquisition,
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
    mode: request.mode,
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
