/**
 * A bead from its claim to its end: the next that is ready, done, given up after a failure, opened
 * again. What becomes of it is in the same operation as the end of its claim.
 */
import { type Agent, nameOf } from '../agent.ts';
import {
  type BeadRecord,
  type FailureNote,
  heldAlong,
  newBead,
  type PastClaim,
  type ReadyBead,
  ranked,
} from '../bead.ts';
import type { Event } from '../event.ts';
import type { Oid } from '../ids.ts';
import { beginningOf, type Lease } from '../lease.ts';
import { limits } from '../limits.ts';
import type { State } from '../state.ts';
import { type Acquired, type Acquisition, decideAcquire } from './acquire.ts';
import {
  amend,
  type Decision,
  type DecisionContext,
  facts,
  isActive,
  refused,
} from './decision.ts';
import { type Caller, enrol, recall } from './enrol.ts';
import { decideTransfer } from './release.ts';
import { isStalled, touch } from './renew.ts';
import { decideEnd } from './session.ts';

type Claim = Lease & { readonly kind: 'claim' };

/** Who works on a bead now. */
export function claimOf(state: State, bead: string, c: DecisionContext): Claim | null {
  return (
    [...state.leases.values()].find(
      (lease): lease is Claim =>
        lease.kind === 'claim' && lease.bead === bead && isActive(lease, c),
    ) ?? null
  );
}

/** Ready, and neither done, parked nor claimed; and those whose claim has stalled. */
export function offered(
  ready: readonly ReadyBead[],
  tags: readonly string[],
  agent: string,
  state: State,
  c: DecisionContext,
): { readonly free: readonly ReadyBead[]; readonly stalled: readonly ReadyBead[] } {
  const records = state.beads.records;
  const open = ranked(
    ready.filter(({ id }) => (records.get(id)?.status ?? 'open') === 'open'),
    tags,
    agent,
    records,
  );
  const stalled = open.filter(({ id }) => {
    const claim = claimOf(state, id, c);
    return claim !== null && claim.agent.name !== agent && isStalled(claim, state, c);
  });
  return { free: open.filter(({ id }) => claimOf(state, id, c) === null), stalled };
}

export interface ClaimNext extends Omit<Acquisition, 'want'> {
  readonly ready: readonly ReadyBead[];
  readonly tags: readonly string[];
}

/**
 * The first that suits, in one step with finding that nobody has it; a stalled one where nothing
 * else is left.
 */
export function decideClaimNext(
  { ready, tags, ...request }: ClaimNext,
  state: State,
  c: DecisionContext,
): Decision<Acquired> {
  const { free, stalled } = offered(ready, tags, request.caller.name, state, c);
  const [bead] = [...free, ...stalled];
  if (bead === undefined) return refused({ kind: 'nothing_ready' });
  return decideAcquire(
    { ...request, want: { kind: 'claim', bead: bead.id }, take: free.length === 0 },
    state,
    c,
  );
}

export interface Ending {
  readonly caller: Caller;
  readonly bead: string;
  readonly labels: readonly string[];
  readonly commit: Oid | null;
  /** Of the claim that was judged; null where none of the caller's was seen. */
  readonly token: number | null;
}

export interface Ended {
  readonly bead: BeadRecord;
  readonly lease: Lease | null;
}

interface Worker {
  readonly agent: Agent;
  readonly lease: Claim;
}

function workerOn(
  caller: Caller,
  bead: string,
  state: State,
  c: DecisionContext,
): Worker | Decision<never> {
  const agent = recall(state, caller);
  if (agent !== null && !('startedAt' in agent)) return refused(agent);
  const lease = claimOf(state, bead, c);
  if (lease !== null && lease.agent.id !== agent?.id)
    return refused({ kind: 'not_owner', leases: [lease] });
  return lease === null || agent === null
    ? refused({ kind: 'nothing_matched', named: [`bead ${bead}`] })
    : { agent, lease };
}

function ended(
  state: State,
  { agent, lease }: Worker,
  bead: BeadRecord,
  event: Event,
  c: DecisionContext,
): Decision<Ended> {
  const after: State = {
    ...state,
    leases: amend(state.leases, [[lease.id, null]]),
    beads: state.beads.with([bead], limits.beadsKept),
  };
  const touched = touch(after, agent, c);
  return {
    kind: 'change',
    actor: nameOf(agent),
    state: touched.state,
    events: [event, ...touched.events],
    result: { bead, lease },
  };
}

export function decideDone(request: Ending, state: State, c: DecisionContext): Decision<Ended> {
  const known = state.beads.records.get(request.bead);
  // Said again after a reply that was lost.
  if (
    known?.status === 'done' &&
    known.by.name === request.caller.name &&
    claimOf(state, request.bead, c) === null
  ) {
    if (request.commit === null || request.commit === known.commit)
      return { kind: 'same', result: { bead: known, lease: null } };
    return refused({
      kind: 'bead_done',
      bead: known.id,
      by: known.by,
      at: known.at,
      failures: known.failures,
    });
  }
  const worker = workerOn(request.caller, request.bead, state, c);
  if ('kind' in worker) return worker;
  const { agent, lease } = worker;
  if (lease.token !== request.token) return refused({ kind: 'lease_changed', named: lease.id });
  const bead: BeadRecord = {
    ...(known ?? newBead(request.bead, nameOf(agent), c.now.at)),
    status: 'done',
    at: c.now.at,
    by: nameOf(agent),
    labels: request.labels.slice(0, 8),
    note: null,
    followUp: [],
    claim: pastClaim(lease, c),
    commit: request.commit,
  };
  return ended(
    state,
    worker,
    bead,
    {
      event: 'done',
      agent: nameOf(agent),
      ...facts(lease),
      token: lease.token,
      commit: request.commit,
    },
    c,
  );
}

function pastClaim(lease: Lease, c: DecisionContext): PastClaim {
  const { token, at, agents } = beginningOf(lease);
  return { token, base: lease.base ?? null, acquiredAt: at, endedAt: c.now.at, agents };
}

export function decideFailed(
  request: Omit<Ending, 'token'> & { readonly note: Omit<FailureNote, 'by'> },
  state: State,
  c: DecisionContext,
): Decision<Ended> {
  const worker = workerOn(request.caller, request.bead, state, c);
  if ('kind' in worker) return worker;
  const { agent, lease } = worker;
  const known =
    state.beads.records.get(request.bead) ?? newBead(request.bead, nameOf(agent), c.now.at);
  const failures = known.failures + 1;
  const bead: BeadRecord = {
    ...known,
    failures,
    status: failures >= limits.failuresUntilParked ? 'parked' : 'open',
    at: c.now.at,
    by: nameOf(agent),
    labels: request.labels.slice(0, 8),
    claim: pastClaim(lease, c),
    commit: request.commit,
    note: { ...request.note, by: nameOf(agent) },
  };
  const { reason, cause } = request.note;
  return ended(
    state,
    worker,
    bead,
    {
      event: 'failed',
      agent: nameOf(agent),
      ...facts(lease),
      token: lease.token,
      failed: true,
      ...(cause === '' ? {} : { cause }),
      reason,
      failures,
      parked: bead.status === 'parked',
    },
    c,
  );
}

/**
 * The end of a session whose work goes on: its leases to whom it names, or else a word on each of
 * its beads.
 */
export function decideHandOff(
  {
    caller,
    to,
    reason,
  }: { readonly caller: Caller; readonly to: string | null; readonly reason: string },
  state: State,
  c: DecisionContext,
): ReturnType<typeof decideEnd> {
  const agent = recall(state, caller);
  if (agent === null || !('startedAt' in agent)) return decideEnd(caller, state);
  const own = [...state.leases.values()].filter(
    (lease) => lease.agent.id === agent.id && isActive(lease, c),
  );
  if (to === null) {
    const by = nameOf(agent);
    const beads = own.flatMap((lease): readonly BeadRecord[] => {
      if (lease.kind !== 'claim') return [];
      const known = state.beads.records.get(lease.bead);
      const note = { ...(known?.note ?? noNote), by, reason, held: heldAlong(own) };
      return [{ ...(known ?? newBead(lease.bead, by, c.now.at)), at: c.now.at, by, note }];
    });
    return decideEnd(caller, {
      ...state,
      beads: beads.length === 0 ? state.beads : state.beads.with(beads, limits.beadsKept),
    });
  }
  const given =
    own.length === 0
      ? null
      : decideTransfer({ caller, selection: { by: 'all' }, to, reason }, state, c);
  if (given?.kind === 'refused') return given;
  const end = decideEnd(caller, given?.kind === 'change' ? given.state : state);
  return end.kind === 'change' && given?.kind === 'change'
    ? {
        ...end,
        events: [...given.events, ...end.events],
        result: { ...end.result, leases: given.result.leases },
      }
    : end;
}

const noNote: Omit<FailureNote, 'by'> = {
  reason: '',
  cause: '',
  tail: '',
  log: '',
  commit: null,
  held: [],
  next: '',
};

/** What the gate said of a commit, and what is to be done about its bead. */
export function decideGated(
  caller: Caller,
  verdict: {
    readonly bead: string | null;
    readonly commit: Oid;
    readonly missing: readonly string[];
  },
  state: State,
  c: DecisionContext,
): Decision<{ readonly recorded: boolean }> {
  const enrolled = enrol(state, caller, c);
  if (enrolled.kind !== 'enrolled') return refused(enrolled);
  const who = nameOf(enrolled.agent);
  const { bead, commit } = verdict;
  const missing = verdict.missing.slice(0, 20);
  const known =
    bead === null
      ? null
      : (state.beads.records.get(bead) ??
        (claimOf(state, bead, c) === null ? null : newBead(bead, who, c.now.at)));
  // Asked again and again, as in a pipeline, it says so once; and nothing of beads that nobody has
  // claimed.
  if (
    known === null ||
    (known.followUp.length === missing.length &&
      known.followUp.every((word, i) => word === missing[i]))
  )
    return { kind: 'same', result: { recorded: known !== null } };
  const beads = state.beads.with([{ ...known, followUp: missing }], limits.beadsKept);
  return {
    kind: 'change',
    actor: who,
    state: { ...enrolled.state, beads },
    events: [
      ...enrolled.events,
      {
        event: 'gated',
        agent: who,
        bead,
        commit,
        verdict: missing.length === 0 ? 'passed' : 'failed',
        missing,
      },
    ],
    result: { recorded: true },
  };
}
