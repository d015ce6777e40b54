/**
 * The life of a unit of work: claimed by one, done with what the gate wants, or given up with what
 * was learned. coord's claim is the lock; the tracker is told under it, and undone with it.
 */

import { lstatSync } from 'node:fs';
import type { RealWorld } from '../agent/world.ts';
import { nameOf } from '../core/agent.ts';
import { type FailureNote, heldAlong, type ReadyBead } from '../core/bead.ts';
import { counted } from '../core/counted.ts';
import { agentNamed } from '../core/decide/enrol.ts';
import {
  claimOf,
  decideClaimNext,
  decideDone,
  decideFailed,
  offered,
} from '../core/decide/work.ts';
import { CoordError } from '../core/errors.ts';
import { harmless } from '../core/harmless.ts';
import { parseBead, parseReason } from '../core/ids.ts';
import type { Lease } from '../core/lease.ts';
import { limits } from '../core/limits.ts';
import { beadsOf, commitAt } from '../git/commits.ts';
import { headOf } from '../git/head.ts';
import { readRegularEnd } from '../git/regular-file.ts';
import type { Observation } from '../log/log-store.ts';
import {
  askedBy,
  claim,
  leasesReport,
  refusedReport,
  release,
  type AcquireRequest,
} from '../loop/coord.ts';
import { decisionContext, operate } from '../loop/operate.ts';
import { noteLines } from '../render/failure.ts';
import { ago, exits, type Report, refusalReport, shellLine } from '../render/report.ts';
import { few } from '../render/wording.ts';
import { beadsNamed, gateReport, judge } from './gate.ts';
import type { Tracker } from './issue.ts';

function withNotes(report: Report, at: Observation): Report {
  const leases = report.facts['leases'] as readonly { readonly bead?: string }[];
  const records = leases.flatMap(({ bead }) =>
    bead === undefined ? [] : (at.state.beads.records.get(bead) ?? []),
  );
  const notes = records.flatMap(({ id, failures, note }) =>
    note === null ? [] : [{ bead: id, failures, ...note }],
  );
  const missed = records.flatMap(({ followUp }) => followUp);
  return notes.length + missed.length === 0
    ? report
    : {
        ...report,
        facts: {
          ...report.facts,
          ...(notes.length === 0 ? {} : { failed: notes }),
          ...(missed.length === 0 ? {} : { followUp: missed }),
        },
        says: [
          ...records.flatMap(noteLines),
          ...missed.map((line) => `the gate missed: ${line}`),
          ...report.says,
        ],
      };
}

function agentsKnown({ state }: Observation): ReadonlySet<string> {
  return new Set(
    [...state.agents.values(), ...[...state.beads.records.values()].map(({ by }) => by)].map(
      ({ name }) => name,
    ),
  );
}

/** Agents whose work on this bead is known to have ended. */
function formerly(at: Observation, bead: string, me: string): readonly string[] {
  const record = at.state.beads.records.get(bead);
  return [
    ...[...at.state.agents.values()].map(({ name }) => name),
    ...(record === undefined ? [] : [record.by.name]),
  ].filter((name) => name !== me);
}

/** Under coord's claim the tracker is told; where it will not have it, the claim is given back. */
async function told(
  world: RealWorld,
  tracker: Tracker,
  bead: string,
  granted: Report,
  isNew: boolean,
  again = false,
): Promise<Report> {
  const at = await world.store.observe();
  const { name } = world.caller();
  let said: string | null;
  try {
    if (again && isNew && tracker.find(bead)?.status === 'closed') tracker.reopen(bead, name);
    said = tracker.claim(bead, name, formerly(at, bead, name));
  } catch (error) {
    if (isNew) await release(world, { by: 'bead', bead });
    throw error;
  }
  if (said === null) return withNotes(granted, at);
  if (isNew) await release(world, { by: 'bead', bead });
  const refusal = { kind: 'tracker', bead, tracker: tracker.kind, said } as const;
  return refusalReport(refusal, at.state, decisionContext(world, at), askedBy(world, []));
}

/** It is not there, or not to be begun yet. */
function whyNot(tracker: Tracker, bead: string, { state }: Observation): string | null {
  if (tracker.kind === 'none') return null;
  const issue = tracker.find(bead);
  if (issue === null) return 'it knows no such bead';
  const waits = issue.status === 'closed' ? [] : tracker.waitsFor(issue, state.beads.records);
  return waits.length === 0 ? null : `it waits for ${few(waits)}`;
}

export async function claimBead(
  world: RealWorld,
  tracker: Tracker,
  bead: string,
  wish: AcquireRequest,
  isForced = false,
): Promise<Report> {
  const at = await world.store.observe();
  const claimed = claimOf(at.state, parseBead(bead), decisionContext(world, at));
  const isNew = claimed?.agent.name !== world.caller().name;
  // Where one claim stands at a time another bead is not to be had either.
  const hasTracker = tracker.kind !== 'none' && world.settings.mode !== 'sequential';
  const base = headOf(world.repository).oid ?? undefined;
  const why = claimed === null && !isForced ? whyNot(tracker, bead, at) : null;
  if (why !== null) {
    const said = `${why}; ${shellLine('coord', 'claim', bead, '--force')} takes it all the same`;
    return refusalReport(
      { kind: 'tracker', bead, tracker: tracker.kind, said },
      at.state,
      decisionContext(world, at),
      askedBy(world, []),
    );
  }
  const granted = await claim(world, bead, { ...wish, hasTracker, base });
  return granted.ok ? told(world, tracker, bead, granted, isNew, wish.again === true) : granted;
}

const readyPollMs = 500;

/**
 * One step from what is ready to its claim; where the tracker knows better by then, the next one.
 */
export async function claimNext(
  world: RealWorld,
  tracker: Tracker,
  tags: readonly string[],
  wish: AcquireRequest,
): Promise<Report> {
  const passed = new Set<string>();
  const untilMs = world.clock.now().uptimeMs + (wish.waitMs ?? 0);
  for (;;) {
    const seen = await world.store.observe();
    const ready = tracker
      .ready(seen.state.beads.records, agentsKnown(seen))
      .filter(({ id }) => !passed.has(id));
    const request = {
      caller: world.caller(),
      ready,
      tags,
      mode: 'exclusive',
      ttlMs: wish.ttlMs ?? null,
      defaultTtlMs: world.settings.claimTtlMs,
      reason: parseReason(wish.reason ?? ''),
      wait: false,
      waitId: null,
      anew: false,
      sequential: world.settings.mode === 'sequential',
      base: headOf(world.repository).oid ?? undefined,
    } as const;
    const outcome = await operate(world, (state, c) => decideClaimNext(request, state, c));
    if (outcome.kind === 'refused') {
      const report = refusedReport(world, outcome, []);
      if (wish.signal?.aborted === true)
        return { ...report, exit: exits.interrupted, result: 'interrupted' };
      if (outcome.refusal.kind !== 'nothing_ready' || world.clock.now().uptimeMs >= untilMs)
        return report;
      // Something may become ready when somebody is done.
      await world.clock.sleep(readyPollMs * (0.75 + world.random.fraction() / 2));
      continue;
    }
    if (outcome.result.kind !== 'granted')
      throw new CoordError('bug', 'a claim without a wait is waiting');
    const [lease] = outcome.result.leases;
    if (lease?.kind !== 'claim') throw new CoordError('bug', 'a claim was granted without a lease');
    const title = ready.find(({ id }) => id === lease.bead)?.title ?? '';
    const granted = leasesReport(
      world,
      outcome.at,
      'granted',
      outcome.result.leases,
      title === '' ? '' : ` "${harmless(title)}"`,
      { bead: lease.bead },
    );
    const report = await told(world, tracker, lease.bead, granted, true);
    if (report.ok) return report;
    passed.add(lease.bead);
  }
}

export interface Finish {
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

export async function finish(world: RealWorld, tracker: Tracker, wish: Finish): Promise<Report> {
  const bead = parseBead(wish.bead);
  if (wish.noChange && wish.reason === '')
    throw new CoordError(
      'needs_reason',
      'a bead without a commit needs a reason',
      shellLine('coord', 'done', bead, '--no-change', '--reason', '<why>'),
    );
  if (wish.noChange && wish.commit !== undefined)
    throw new CoordError('usage', 'a commit is named, and --no-change as well');
  const at = await world.store.observe();
  const lease = claimOf(at.state, bead, decisionContext(world, at));
  const isMine = lease !== null && lease.agent.id === agentNamed(at.state, world.caller().name)?.id;
  const named =
    wish.commit === undefined
      ? isMine
        ? finishingCommit(world, at, bead, lease)
        : null
      : commitAt(world.repository, wish.commit);
  if (wish.commit !== undefined && named === null)
    throw new CoordError('usage', `'${wish.commit}' is not a commit`);
  const commit = wish.noChange ? null : named;
  if (isMine && !wish.noChange) {
    const none = {
      what: 'bead',
      why: `no commit since ${bead} was claimed names it in a trailer Bead: or Coord-Bead:; where there was nothing to commit: ${shellLine('coord', 'done', bead, '--no-change', '--reason', '<why>')}`,
    } as const;
    const asked = askedBy(world, []);
    if (commit === null) {
      const head = headOf(world.repository).oid ?? '';
      const verdict = { commit: head, bead: null, required: [], evidence: [], missing: [none] };
      return gateReport(verdict, { recorded: false, meant: bead }, asked);
    }
    const verdict = judge(world, at, commit, bead);
    const other =
      verdict.bead === bead
        ? []
        : [{ what: 'bead', why: `it names ${verdict.bead ?? 'no bead'}, not ${bead}` } as const];
    const missing = [...other, ...verdict.missing];
    if (missing.length > 0)
      return gateReport(
        { ...verdict, bead: other.length === 0 ? bead : null, missing },
        { recorded: false, meant: bead },
        asked,
      );
  }
  const labels = tracker.find(bead)?.labels ?? [];
  const request = {
    caller: world.caller(),
    bead,
    labels,
    commit,
    token: isMine ? lease.token : null,
  };
  const outcome = await operate(world, (state, c) => decideDone(request, state, c));
  if (outcome.kind === 'refused') return refusedReport(world, outcome, []);
  // Only the claim that was judged has ended: the tracker may know. Said again after a crash, it is
  // told then.
  tracker.close(bead, world.caller().name, wish.reason);
  const there = tracker.kind === 'file' ? (tracker.find(bead)?.status ?? 'closed') : 'closed';
  const notes =
    there === 'closed'
      ? []
      : [
          `note: ${bead} is still ${there.replace('_', ' ')} in .beads/issues.jsonl, which coord does not write; where there is bd: bd close ${bead}`,
        ];
  return {
    notes,
    ok: true,
    exit: exits.done,
    result: 'done',
    facts: { bead, commit: outcome.result.bead.commit, ...(notes.length === 0 ? {} : { notes }) },
    says: [
      `done ${bead}${outcome.result.bead.commit === null ? '' : ` with ${outcome.result.bead.commit.slice(0, 12)}`}`,
    ],
  };
}

export interface Failure {
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

export async function giveUp(
  world: RealWorld,
  tracker: Tracker,
  failure: Failure,
  reopens: boolean,
): Promise<Report> {
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
  if (outcome.kind === 'refused') return refusedReport(world, outcome, []);
  const left = reopens ? giveBack(world, tracker, bead) : [];
  const { status, failures } = outcome.result.bead;
  return {
    ok: true,
    exit: exits.done,
    result: status === 'parked' ? 'parked' : 'failed',
    facts: { bead, failures, status },
    says: [
      `gave up ${bead}, which has failed ${counted(failures, 'time')}${status === 'parked' ? ' and waits for a person now' : '; whoever takes it next is told why'}`,
    ],
    notes: left,
  };
}

/**
 * Opens it in the tracker again, unless somebody else has to do with it there: then that is said.
 */
export function giveBack(world: RealWorld, tracker: Tracker, bead: string): readonly string[] {
  const { name } = world.caller();
  const there = tracker.find(bead);
  if (there === null || there.status === 'open') return [];
  if (there.status === 'in_progress' && (there.assignee === null || there.assignee === name)) {
    tracker.reopen(bead, name);
    return [];
  }
  return [
    `note: ${tracker.kind} has ${bead} as ${there.status}${there.assignee === null ? '' : `, assigned to ${harmless(there.assignee)}`}: it is left as it is there`,
  ];
}

/** What could be begun now, best first. */
export async function nextReport(
  world: RealWorld,
  tracker: Tracker,
  tags: readonly string[],
  limit: number,
): Promise<Report> {
  const at = await world.store.observe();
  const c = decisionContext(world, at);
  const ready = tracker.ready(at.state.beads.records, agentsKnown(at));
  const { free, stalled } = offered(ready, tags, world.caller().name, at.state, c);
  const line = ({ id, priority, title, labels }: ReadyBead): string =>
    `${id}  P${priority}  ${harmless(title)}${labels.length === 0 ? '' : `  [${harmless(labels.join(', '))}]`}`;
  const parked = [...at.state.beads.records.values()].filter(({ status }) => status === 'parked');
  return {
    ok: true,
    exit: exits.done,
    result: free.length > 0 ? 'ready' : stalled.length > 0 ? 'stalled' : 'nothing',
    facts: {
      tracker: tracker.kind,
      beads: free.slice(0, limit),
      more: Math.max(0, free.length - limit),
      stalled: stalled.map(({ id, title }) => ({
        id,
        title,
        agent: nameOf(claimOf(at.state, id, c)?.agent ?? { id: '', name: '' }),
      })),
      parked: parked.map(({ id, failures, by }) => ({ id, failures, by })),
    },
    says: [
      ...(free.length + stalled.length === 0
        ? [
            tracker.kind === 'none'
              ? 'there is no tracker here: claim a bead by its id'
              : 'nothing is ready',
          ]
        : []),
      ...free.slice(0, limit).map(line),
      ...(free.length > limit ? [`... and ${free.length - limit} more: --limit`] : []),
      ...stalled.map((bead) => `${line(bead)}  stalled: coord claim ${bead.id} --take`),
      ...parked.map(
        ({ id, failures, at: since }) =>
          `${id}  waits for a person after ${failures} failures, ${ago(since, c)}`,
      ),
    ],
  };
}
