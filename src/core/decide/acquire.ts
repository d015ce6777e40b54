/**
 * Taking something: a reservation, a claim or a lock, at once or by waiting for it. All patterns of
 * one request are granted together or not at all; what the agent already holds is renewed in place;
 * whoever asked first and still waits comes first.
 */
import { type Agent, nameOf } from '../agent.ts';
import type { Event } from '../event.ts';
import { areKin } from '../ids.ts';
import {
  type AgentName,
  areHeldAlike,
  freeInMs,
  goTogether,
  holdOf,
  inConflict,
  type Lease,
  phaseOf,
  type Resource,
  resourcesMeet,
  type Wait,
} from '../lease.ts';
import type { BlockingLeases, Refusal } from '../refusal.ts';
import type { State } from '../state.ts';
import {
  type Acquired,
  type Acquisition,
  heldAs,
  isKinsClaim,
  split,
  type Wish,
} from './acquisition.ts';
import {
  amend,
  type Decision,
  type DecisionContext,
  facts,
  isActive,
  isWaiting,
  refused,
} from './decision.ts';
import { enrol } from './enrol.ts';
import { grant } from './grant.ts';
import { standInLine } from './line.ts';
import { isStalled } from './renew.ts';

export function decideAcquire(
  asked: Acquisition,
  state: State,
  c: DecisionContext,
): Decision<Acquired> {
  const request: Wish = { ...asked, ...heldAs(asked, c) };
  const enrolled = enrol(state, request.caller, c);
  if (enrolled.kind !== 'enrolled') return refused(enrolled);
  const { agent } = enrolled;
  const { want } = request;
  const place = request.waitId === null ? undefined : state.waits.get(request.waitId);
  const over =
    want.kind === 'claim' ? endOf(state, want.bead, agent, request.again === true) : null;
  if (over !== null) return refused(over);
  const inTheWay = leasesInTheWay(request, state, agent, c);
  const taken = inTheWay.filter((lease) => mayTake(request, lease, state, c));
  const blockers = inTheWay.filter((lease) => !taken.includes(lease));
  const ahead = waitsAhead(request, state, agent, place, c);
  if (blockers.length > 0 || (ahead.length > 0 && !holdsAll(state, agent, request, c))) {
    const isOther = blockers.some((lease) => isAnotherBead(request.want, lease));
    const refusal: BlockingLeases = {
      ...heldRefusal(blockers, ahead, c),
      ...(isOther ? { sequential: true } : {}),
      ...(wouldShareLines(request, [...blockers, ...ahead], c) ? { lines: true } : {}),
    };
    return request.wait
      ? standInLine(request, refusal, enrolled.state, enrolled.events, agent, place, c)
      : refused(refusal);
  }
  const gone = taken.map(({ id }) => [id, null] as const);
  const before = { ...enrolled.state, leases: amend(enrolled.state.leases, gone) };
  const events = taken.map((lease) => takenEvent(lease, nameOf(agent), request));
  return grant(request, before, [...enrolled.events, ...events], agent, place, c);
}

function isAnotherBead(want: Resource, other: Lease): boolean {
  return want.kind === 'claim' && other.kind === 'claim' && other.bead !== want.bead;
}

/** Is it in the way only of somebody who wants it alone? */
function wouldShareLines(
  { want, mode }: Wish,
  inTheWay: readonly (Lease | Wait)[],
  c: DecisionContext,
): boolean {
  if (mode !== 'exclusive' || inTheWay.some((other) => other.mode !== 'lines')) return false;
  const lines = heldAs({ want, mode: 'lines' }, c);
  return inTheWay.every((other) => goTogether(lines, other));
}

/** Where one claim stands at a time, any other is in the way. */
function isAnotherClaim(
  { sequential, want }: Acquisition,
  agent: Agent,
  other: Lease | Wait,
): boolean {
  const areClaims = want.kind === 'claim' && other.kind === 'claim';
  return sequential === true && areClaims && !areKin(other.agent.name, agent.name);
}

function leasesInTheWay(
  request: Wish,
  state: State,
  agent: Agent,
  c: DecisionContext,
): readonly Lease[] {
  const wish = { ...request.want, ...holdOf(request), agent };
  const isOwnAlready = (lease: Lease): boolean =>
    request.anew && lease.agent.id === agent.id && resourcesMeet(wish, lease, c.folding);
  return [...state.leases.values()].filter(
    (lease) =>
      (inConflict(wish, lease, c.folding) ||
        isKinsClaim(wish, lease) ||
        isAnotherClaim(request, agent, lease) ||
        isOwnAlready(lease)) &&
      isActive(lease, c),
  );
}

/** A claim that has stalled, of the very bead that is wanted. */
function mayTake(
  { take, want }: Acquisition,
  lease: Lease,
  state: State,
  c: DecisionContext,
): boolean {
  const isOfBead = want.kind === 'claim' && lease.kind === 'claim' && lease.bead === want.bead;
  return take === true && isOfBead && isStalled(lease, state, c);
}

function waitsAhead(
  request: Wish,
  state: State,
  agent: Agent,
  place: Wait | undefined,
  c: DecisionContext,
): readonly Wait[] {
  const wish = { ...request.want, ...holdOf(request), agent };
  return [...state.waits.values()].filter(
    (wait) =>
      wait.id !== place?.id &&
      (place === undefined || wait.since < place.since) &&
      (inConflict(wish, wait, c.folding) || isAnotherClaim(request, agent, wait)) &&
      isWaiting(wait, c),
  );
}

function takenEvent(lease: Lease, by: AgentName, { reason }: Acquisition): Event {
  return { event: 'taken', agent: lease.agent, by, ...facts(lease), token: lease.token, reason };
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
): BlockingLeases {
  const grace =
    blockers.length > 0 && blockers.every((lease) => phaseOf(lease, c.now, c.graceMs) === 'grace');
  const retryInMs = Math.max(0, ...blockers.map((lease) => freeInMs(lease, c.now, c.graceMs)));
  return { kind: grace && ahead.length === 0 ? 'grace' : 'held', blockers, ahead, retryInMs };
}

/** A renewal of what one holds does not queue behind those who wait for it. */
function holdsAll(state: State, agent: Agent, request: Wish, c: DecisionContext): boolean {
  const { missing, renewals } = split(state, agent, request, c);
  return (
    missing === null &&
    renewals.every((lease) => lease.mode === 'exclusive' || areHeldAlike(lease, request))
  );
}
