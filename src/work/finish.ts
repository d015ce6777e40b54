/**
 * The end of a unit of work: done with what the gate wants, or given up with what was learned. The
 * tracker is told only after coord's claim has ended.
 */
import { lstatSync } from 'node:fs';
import type { RealWorld } from '../agent/world.ts';
import { type BeadRecord, type FailureNote, heldAlong } from '../core/bead.ts';
import { agentNamed } from '../core/decide/enrol.ts';
import { decideDone, decideFailed } from '../core/decide/finish.ts';
import type { Released } from '../core/decide/release.ts';
import { claimOf } from '../core/decide/work.ts';
import { CoordError } from '../core/errors.ts';
import { harmless } from '../core/harmless.ts';
import { type Oid, parseBead, parseReason } from '../core/ids.ts';
import type { Lease } from '../core/lease.ts';
import { limits } from '../core/limits.ts';
import { shellLine } from '../core/shell-line.ts';
import { beadsOf } from '../git/bead-commits.ts';
import { commitAt } from '../git/commits.ts';
import { headOf } from '../git/head.ts';
import { readRegularEnd } from '../git/regular-file.ts';
import type { Observation } from '../log/log-store.ts';
import { release } from '../loop/hold.ts';
import { decisionContext, operate } from '../loop/operate.ts';
import { askedBy, type Outcome, outcomeOf } from '../loop/outcome.ts';
import { beadsNamed, type Judged, judge } from './gate.ts';
import type { TrackedStatus, Tracker } from './issue.ts';

interface Finish {
  readonly bead: string;
  readonly commit: string | undefined;
  /** There was nothing to commit; it says why. */
  readonly noChange: boolean;
  readonly reason: string;
}

/** The commit that finished it: the last that names it, since the claim began. */
function finishingCommit(
  world: RealWorld,
  at: Observation,
  bead: string,
  lease: Lease,
): string | null {
  const { oid } = headOf(world.repository);
  if (oid === null) return null;
  const range = lease.base === undefined ? [oid] : [oid, `^${lease.base}`];
  return (
    beadsOf(world.repository, range, 200).find((commit) => beadsNamed(commit, at).includes(bead))
      ?.oid ?? null
  );
}

export interface Finished {
  readonly bead: string;
  readonly commit: Oid | null;
  /** What its tracker says, where coord may not write there. */
  readonly stillOpen: TrackedStatus | null;
}

export async function finish(
  world: RealWorld,
  tracker: Tracker,
  wish: Finish,
): Promise<Outcome<Finished> | Judged> {
  const bead = parseBead(wish.bead);
  checkWish(wish, bead);
  const at = await world.store.observe();
  const lease = claimOf(at.state, bead, decisionContext(world, at));
  const isMine = lease !== null && lease.agent.id === agentNamed(at.state, world.caller().name)?.id;
  const commit = wish.noChange ? null : commitFor(world, at, wish, bead, isMine ? lease : null);
  const judged = isMine && !wish.noChange ? unfinished(world, at, bead, commit) : null;
  if (judged !== null) return judged;
  const request = {
    caller: world.caller(),
    bead,
    labels: tracker.find(bead)?.labels ?? [],
    commit,
    token: isMine ? lease.token : null,
  };
  const outcome = await operate(world, (state, c) => decideDone(request, state, c));
  return outcomeOf(world, outcome, (ended) => {
    // Only the claim that was judged has ended: the tracker may know. Said again after a crash, it is
    // told then.
    tracker.close(bead, world.caller().name, wish.reason);
    const there = tracker.kind === 'file' ? (tracker.find(bead)?.status ?? 'closed') : 'closed';
    return { bead, commit: ended.bead.commit, stillOpen: there === 'closed' ? null : there };
  });
}

function checkWish({ noChange, reason, commit }: Finish, bead: string): void {
  if (noChange && reason === '')
    throw new CoordError(
      'needs_reason',
      'a bead without a commit needs a reason',
      shellLine('coord', 'done', bead, '--no-change', '--reason', '<why>'),
    );
  if (noChange && commit !== undefined)
    throw new CoordError('usage', 'a commit is named, and --no-change as well');
}

function commitFor(
  world: RealWorld,
  at: Observation,
  { commit }: Finish,
  bead: string,
  lease: Lease | null,
): Oid | null {
  if (commit === undefined) return lease === null ? null : finishingCommit(world, at, bead, lease);
  const named = commitAt(world.repository, commit);
  if (named === null) throw new CoordError('usage', `'${commit}' is not a commit`);
  return named;
}

/** What is missing; null where it is finished work. */
function unfinished(
  world: RealWorld,
  at: Observation,
  bead: string,
  commit: Oid | null,
): Judged | null {
  const asked = askedBy(world, []);
  if (commit === null) {
    const why = `no commit since ${bead} was claimed names it in a trailer Bead: or Coord-Bead:; where there was nothing to commit: ${shellLine('coord', 'done', bead, '--no-change', '--reason', '<why>')}`;
    const head = headOf(world.repository).oid ?? '';
    const missing = [{ what: 'bead', why } as const];
    const verdict = { commit: head, bead: null, required: [], evidence: [], missing };
    return { kind: 'judged', verdict, recorded: false, meant: bead, asked };
  }
  const verdict = judge(world, at, commit, bead);
  const other =
    verdict.bead === bead
      ? []
      : [{ what: 'bead', why: `it names ${verdict.bead ?? 'no bead'}, not ${bead}` } as const];
  const missing = [...other, ...verdict.missing];
  if (missing.length === 0) return null;
  return {
    kind: 'judged',
    verdict: { ...verdict, bead: other.length === 0 ? bead : null, missing },
    recorded: false,
    meant: bead,
    asked,
  };
}

interface Failure {
  readonly bead: string;
  readonly reason: string;
  readonly cause: string;
  readonly log: string | undefined;
  readonly next: string;
}

/**
 * The end of a log, however long it is, as text that can be shown; a link is not followed to who
 * knows where.
 */
function tailOf(file: string): string {
  const stat = lstatSync(file, { throwIfNoEntry: false });
  if (stat?.isFile() !== true)
    throw new CoordError(
      'bad_log',
      stat === undefined ? `there is no log at '${file}'` : `'${file}' is not a file of its own`,
      'name the log itself, not a link to it',
    );
  const content = readRegularEnd(file, 4 * limits.tailChars);
  if (content.kind !== 'file')
    throw new CoordError(
      'bad_log',
      `'${file}' is not read: ${content.kind === 'unread' ? content.why : 'it is gone'}`,
    );
  const lines = content.bytes
    .toString('utf8')
    .split('\n')
    .map((line) => harmless(line.replace(/\r$/, '')));
  return lines.join('\n').slice(-limits.tailChars);
}

export interface GivenUp {
  readonly bead: BeadRecord;
  /** What its tracker has it as, where that was left alone. */
  readonly left: LeftInTracker | null;
}

export async function giveUp(
  world: RealWorld,
  tracker: Tracker,
  failure: Failure,
  reopens: boolean,
): Promise<Outcome<GivenUp>> {
  const bead = parseBead(failure.bead);
  const at = await world.store.observe();
  const me = agentNamed(at.state, world.caller().name);
  const held = [...at.state.leases.values()].filter((lease) => lease.agent.id === me?.id);
  const note: Omit<FailureNote, 'by'> = {
    reason: parseReason(failure.reason),
    cause: parseReason(failure.cause),
    next: parseReason(failure.next),
    log: failure.log ?? '',
    tail: failure.log === undefined ? '' : tailOf(failure.log),
    commit: headOf(world.repository).oid,
    held: heldAlong(held),
  };
  const outcome = await operate(world, (state, c) =>
    decideFailed({ caller: world.caller(), bead, labels: [], commit: note.commit, note }, state, c),
  );
  return outcomeOf(world, outcome, (ended) => ({
    bead: ended.bead,
    left: reopens ? giveBack(world, tracker, bead) : null,
  }));
}

/** Whoever takes it next begins anew. */
export interface LetGo {
  readonly released: Outcome<Released>;
  readonly left: LeftInTracker | null;
}

export async function letGo(
  world: RealWorld,
  tracker: Tracker,
  { bead, reason }: Pick<Failure, 'bead' | 'reason'>,
  reopens: boolean,
): Promise<LetGo> {
  const outcome = reason === '' ? {} : { reason: parseReason(reason) };
  const released = await release(world, { by: 'bead', bead: parseBead(bead) }, { outcome });
  const isFree = released.kind === 'done';
  return { released, left: isFree && reopens ? giveBack(world, tracker, bead) : null };
}

export interface LeftInTracker {
  readonly tracker: Tracker['kind'];
  readonly bead: string;
  readonly status: TrackedStatus;
  readonly assignee: string | null;
}

/**
 * Opens it in the tracker again, unless somebody else has to do with it there: then that is said.
 */
function giveBack(world: RealWorld, tracker: Tracker, bead: string): LeftInTracker | null {
  const { name } = world.caller();
  const there = tracker.find(bead);
  if (there === null || there.status === 'open') return null;
  if (there.status === 'in_progress' && (there.assignee === null || there.assignee === name)) {
    tracker.reopen(bead, name);
    return null;
  }
  return { tracker: tracker.kind, bead, status: there.status, assignee: there.assignee };
}
