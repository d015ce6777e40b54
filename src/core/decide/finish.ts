/** A bead ends: done, failed or handed over, with what whoever is next should know. */

import { type Agent, nameOf } from '../agent.ts';
import { type BeadRecord, type FailureNote, heldAlong, newBead, type PastClaim } from '../bead.ts';
import type { Event } from '../event.ts';
import type { Oid } from '../ids.ts';
import { beginningOf, type Lease } from '../lease.ts';
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
import { type Caller, recall } from './enrol.ts';
import { touch } from './renew.ts';
import { decideEnd } from './session.ts';
import { decideTransfer } from './transfer.ts';
import { type Claim, claimOf } from './work.ts';

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
