/**
 * The log on a server made good again by a clone that saw it before: put back where it was erased,
 * rewound or overwritten with what is none; joined where others have gone on from an older place.
 * The only time that anything but a step forward is sent, and only when a person has asked for it.
 */

import { type DecisionContext, isActive } from '../core/decide/decision.ts';
import { rejoin } from '../core/decide/mend.ts';
import type { Entry } from '../core/entry.ts';
import { CoordError } from '../core/errors.ts';
import type { Event } from '../core/event.ts';
import type { Oid } from '../core/ids.ts';
import type { AgentName, Lease } from '../core/lease.ts';
import type { State } from '../core/state.ts';
import type { Repository } from '../git/repository.ts';
import { chain } from '../log/history.ts';
import type { Observation } from '../log/log-store.ts';
import type { RemoteCopy } from './remote-copy.ts';
import { writeOperation } from './write-operation.ts';

interface RemoteRepaired {
  readonly how: 'put back' | 'begun anew' | 'joined';
  readonly seq: number;
  readonly restored: readonly Lease[];
  /** Held by what this clone had seen, and granted to others since. */
  readonly lost: readonly Lease[];
}

interface Mending {
  readonly by: AgentName;
  readonly nonce: string;
  readonly circumstances: Omit<DecisionContext, 'seq'>;
}

/** Null where nothing was wrong. */
export async function repairRemote(
  copy: RemoteCopy,
  mending: Mending,
): Promise<RemoteRepaired | null> {
  const turn = await copy.takeTurn();
  try {
    const ours = copy.known();
    const { remote } = copy.remoteRef.location;
    if (ours.tip === null)
      throw new CoordError(
        'log_erased',
        `this clone has seen nothing of the log on '${remote}'`,
        'coord doctor --fix --remote, in a clone that has',
      );
    const there = await copy.remoteRef.ask();
    if (there === ours.tip) return null;
    const theirs = there === null ? null : await lookAt(copy);
    if (theirs === 'forward') return null;
    const shared = theirs === null ? null : lastShared(copy.repository, ours.tip, theirs.tip);
    if (theirs === null || shared?.oid === theirs.tip) {
      const pushed = await copy.remoteRef.push([
        { ref: copy.remoteRef.location.ref, value: ours.tip, expected: there },
      ]);
      if (pushed.kind === 'landed')
        return {
          how: 'put back',
          seq: ours.seq,
          restored: [...ours.state.leases.values()],
          lost: [],
        };
      // What the copy does not have of its past the server does not have either any more: then it
      // begins with what is so.
      if (there !== null)
        throw pushed.kind === 'refused'
          ? pushed.error
          : new CoordError(
              'busy',
              `the log on '${remote}' could not be put back: ${pushed.said}`,
              'try again',
            );
      return await put(copy, null, { ...ours, tip: null }, begun(ours, mending));
    }
    return await put(copy, theirs.tip, theirs, joined(ours, theirs, shared?.seq ?? 0, mending));
  } finally {
    turn?.leave();
  }
}

/** What is there, if it is a log at all; 'forward' where it is ours with more on top. */
async function lookAt(
  copy: RemoteCopy,
): Promise<(Observation & { readonly tip: Oid }) | 'forward' | null> {
  const tip = await copy.remoteRef.fetch(null);
  if (tip === null) return null;
  try {
    const seen = copy.load(tip);
    if ([...chain(copy.repository, tip, null)].some(({ oid }) => oid === copy.tip))
      return 'forward';
    copy.checkSignatures(tip, copy.tip);
    return { ...seen, tip };
  } catch (error) {
    // Only what is no log, or not by whom it says, may be replaced; whatever keeps us from reading
    // it is no reason.
    if (
      error instanceof CoordError &&
      (error.code === 'log_malformed' || error.code === 'log_forged')
    )
      return null;
    throw error;
  }
}

function lastShared(
  repository: Repository,
  ours: Oid,
  theirs: Oid,
): { readonly oid: Oid; readonly seq: number } | null {
  const own = new Map([...chain(repository, ours, null)].map(({ oid, seq }) => [oid, seq]));
  for (const { oid, seq } of chain(repository, theirs, null)) if (own.has(oid)) return { oid, seq };
  return null;
}

interface Draft {
  readonly entry: Entry;
  readonly state: State;
  readonly how: RemoteRepaired['how'];
  readonly restored: readonly Lease[];
  readonly lost: readonly Lease[];
}

function begun(ours: Observation, { by, nonce, circumstances: { now } }: Mending): Draft {
  const seq = ours.seq + 1;
  const restored = [...ours.state.leases.values()];
  const event: Event = {
    event: 'repaired',
    agent: by,
    base: ours.tip,
    leases: restored.map(({ id }) => id),
  };
  const state = {
    ...ours.state,
    meta: { ...ours.state.meta, rootSeq: seq, rootAt: now.at, previous: ours.tip },
  };
  return {
    how: 'begun anew',
    entry: { seq, at: now.at, agent: by, nonce, events: [event] },
    state,
    restored,
    lost: [],
  };
}

function joined(
  ours: Observation,
  theirs: Observation,
  sharedSeq: number,
  { by, nonce, circumstances }: Mending,
): Draft {
  const seq = Math.max(ours.seq, theirs.seq) + 1;
  const c = { ...circumstances, seq };
  const { state, restored, ended } = rejoin(theirs.state, ours.state, sharedSeq, c);
  const lost = [...ours.state.leases.values()].filter(
    (lease) => !state.leases.has(lease.id) && isActive(lease, c),
  );
  const events: readonly Event[] = [
    { event: 'repaired', agent: by, base: ours.tip, leases: restored.map(({ id }) => id) },
    ...ended.map(
      ({ id, agent }): Event => ({
        event: 'expired',
        agent,
        by,
        lease: id,
        why: 'it had ended before the log was put back',
      }),
    ),
  ];
  return {
    how: 'joined',
    entry: { seq, at: circumstances.now.at, agent: by, nonce, events },
    state,
    restored,
    lost,
  };
}

async function put(
  copy: RemoteCopy,
  expected: Oid | null,
  from: Observation,
  { entry, state, how, restored, lost }: Draft,
): Promise<RemoteRepaired> {
  const oid = writeOperation(copy, from, entry, state);
  const pushed = await copy.remoteRef.push([
    { ref: copy.remoteRef.location.ref, value: oid, expected },
  ]);
  if (pushed.kind === 'refused') throw pushed.error;
  if (pushed.kind !== 'landed')
    throw new CoordError(
      'busy',
      `the log on '${copy.remoteRef.location.remote}' could not be moved, or it cannot be told: ${pushed.said}`,
      'coord doctor --fix --remote, again',
    );
  copy.adopt(copy.load(oid));
  return { how, seq: entry.seq, restored, lost };
}
