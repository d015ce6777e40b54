/** The life of a unit of work: what is ready, claimed, done, given up. */

import { nameOf, showAgent } from '../core/agent.ts';
import type { ReadyBead } from '../core/bead.ts';
import { counted, few } from '../core/counted.ts';
import { exits } from '../core/exits.ts';
import { harmless } from '../core/harmless.ts';
import { shellLine } from '../core/shell-line.ts';
import type { LeftLines } from '../draft/claimants.ts';
import type { Outcome } from '../loop/outcome.ts';
import type { BeadClaimed } from '../work/claim.ts';
import type { Finished, GivenUp, LeftInTracker, LetGo } from '../work/finish.ts';
import type { Judged } from '../work/gate.ts';
import type { ReadyBeads } from '../work/ready.ts';
import { noteLines } from './failure.ts';
import { renderGate } from './gate.ts';
import { renderReleased, renderTaken } from './leases.ts';
import { ago } from './lines.ts';
import { renderRefused } from './refusal.ts';
import type { Report } from './report.ts';

/** With what whoever had it before has left to say. */
export function renderClaimed(outcome: Outcome<BeadClaimed>): Report {
  if (outcome.kind === 'refused') return renderRefused(outcome);
  const { records, chosen, left } = outcome.result;
  const notes = records.flatMap(({ id, failures, note }) =>
    note === null ? [] : [{ bead: id, failures, ...note }],
  );
  const missed = records.flatMap(({ followUp }) => followUp);
  const title =
    chosen === null || chosen.title === '' ? {} : { suffix: ` "${harmless(chosen.title)}"` };
  return renderTaken(outcome, {
    ...title,
    facts: {
      ...(chosen === null ? {} : { bead: chosen.bead }),
      ...(notes.length === 0 ? {} : { failed: notes }),
      ...(missed.length === 0 ? {} : { followUp: missed }),
      ...(left.length === 0 ? {} : { left }),
    },
    first: [
      ...(notes.length + missed.length > 0 ? records.flatMap(noteLines) : []),
      ...missed.map((line) => `the gate missed: ${line}`),
      ...left.flatMap(leftLines),
    ],
  });
}

/** Whoever has the files alone commits what is in them. */
function leftLines({ agent, paths }: LeftLines): readonly string[] {
  return [
    `${showAgent(agent)} has left uncommitted lines in ${few(paths)}`,
    `  ${shellLine('coord', 'diff', '--agent', agent.name)} shows them; to go on with them: ${shellLine('coord', 'reserve', '--literal', '--', ...paths)}`,
  ];
}

export function renderFinished(outcome: Outcome<Finished> | Judged): Report {
  if (outcome.kind === 'refused') return renderRefused(outcome);
  if (outcome.kind === 'judged') return renderGate(outcome);
  const { bead, commit, stillOpen } = outcome.result;
  const notes =
    stillOpen === null
      ? []
      : [
          `note: ${bead} is still ${stillOpen.replace('_', ' ')} in .beads/issues.jsonl, which coord does not write; where there is bd: bd close ${bead}`,
        ];
  return {
    notes,
    ok: true,
    exit: exits.done,
    result: 'done',
    facts: { bead, commit, ...(notes.length === 0 ? {} : { notes }) },
    says: [`done ${bead}${commit === null ? '' : ` with ${commit.slice(0, 12)}`}`],
  };
}

export function renderGivenUp(outcome: Outcome<GivenUp>): Report {
  if (outcome.kind === 'refused') return renderRefused(outcome);
  const { left, bead } = outcome.result;
  const isParked = bead.status === 'parked';
  const after = isParked ? ' and waits for a person now' : '; whoever takes it next is told why';
  return {
    ok: true,
    exit: exits.done,
    result: isParked ? 'parked' : 'failed',
    facts: { bead: bead.id, failures: bead.failures, status: bead.status },
    says: [`gave up ${bead.id}, which has failed ${counted(bead.failures, 'time')}${after}`],
    notes: leftInTracker(left),
  };
}

export function renderLetGo({ released, left }: LetGo): Report {
  const report = renderReleased(released);
  return { ...report, notes: [...(report.notes ?? []), ...leftInTracker(left)] };
}

function leftInTracker(left: LeftInTracker | null): readonly string[] {
  if (left === null) return [];
  const { tracker, bead, status, assignee } = left;
  const whose = assignee === null ? '' : `, assigned to ${harmless(assignee)}`;
  return [`note: ${tracker} has ${bead} as ${status}${whose}: it is left as it is there`];
}

export function renderReady(ready: ReadyBeads, limit: number): Report {
  const { tracker, free, stalled, parked, ctx } = ready;
  const more = Math.max(0, free.length - limit);
  return {
    ok: true,
    exit: exits.done,
    result: free.length > 0 ? 'ready' : stalled.length > 0 ? 'stalled' : 'nothing',
    facts: {
      tracker,
      beads: free.slice(0, limit),
      more,
      stalled: stalled.map(({ bead: { id, title }, agent }) => ({
        id,
        title,
        agent: nameOf(agent),
      })),
      parked: parked.map(({ id, failures, by }) => ({ id, failures, by })),
    },
    says: [
      ...(free.length + stalled.length === 0 ? [nothingReady(tracker)] : []),
      ...free.slice(0, limit).map(beadLine),
      ...(more > 0 ? [`... and ${more} more: --limit`] : []),
      ...stalled.map(({ bead }) => `${beadLine(bead)}  stalled: coord claim ${bead.id} --take`),
      ...parked.map(
        ({ id, failures, at }) =>
          `${id}  waits for a person after ${failures} failures, ${ago(at, ctx)}`,
      ),
    ],
  };
}

function nothingReady(tracker: ReadyBeads['tracker']): string {
  return tracker === 'none'
    ? 'there is no tracker here: claim a bead by its id'
    : 'nothing is ready';
}

function beadLine({ id, priority, title, labels }: ReadyBead): string {
  const tags = labels.length === 0 ? '' : `  [${harmless(labels.join(', '))}]`;
  return `${id}  P${priority}  ${harmless(title)}${tags}`;
}
