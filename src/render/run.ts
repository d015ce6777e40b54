/** Commands that were run under a lock, and what stays of them as evidence. */
import type { Evidence } from '../core/evidence.ts';
import { exits } from '../core/exits.ts';
import { formatDuration, formatTime } from '../core/instant.ts';
import type { Already, FolderFacts, Recorded } from '../work/recorded.ts';
import type { Ran, RunOutcome } from '../work/run-locked.ts';
import { type Facts, leaseFacts } from './facts.ts';
import { adviceOf } from './leases.ts';
import { renderRefused } from './refusal.ts';
import { errorReport, type Report } from './report.ts';

export function renderRun(outcome: RunOutcome): Report {
  switch (outcome.kind) {
    case 'refused':
      return renderRefused(outcome);
    case 'already':
      return renderAlready(outcome);
    case 'not-started':
      return { ...errorReport(outcome.error), exit: outcome.exit };
    case 'interrupted':
      return renderInterrupted(outcome.granted);
    case 'ran':
      return renderRan(outcome);
  }
}

function renderAlready({ evidence, agoMs }: Already): Report {
  const command = evidence.command.join(' ');
  return {
    ok: true,
    exit: exits.done,
    result: 'already',
    facts: { evidence: evidenceFacts(evidence) },
    says: [],
    notes: [
      `already verified: ${command} passed on this very content ${formatDuration(agoMs)} ago, run by ${evidence.agent.name}; --force runs it again`,
    ],
  };
}

function renderInterrupted(granted: Ran['granted']): Report {
  const leases =
    granted === null
      ? []
      : granted.result.leases.map((lease) => leaseFacts(lease, granted.at.state, granted.ctx));
  return { ok: false, exit: exits.interrupted, result: 'interrupted', facts: { leases }, says: [] };
}

function renderRan(ran: Ran): Report {
  const { lock, lease, end, exit, heldMs, lost, released, granted, recorded } = ran;
  const advice = adviceOf(
    granted?.at ?? {},
    'this is advice (coord.offline=advisory): nobody elsewhere knows of it',
  );
  const how = end.signal ?? `exit ${end.code}`;
  const isStuck = !released && !lost && granted !== null;
  return {
    ok: exit === exits.done,
    exit,
    result: 'ran',
    facts: {
      lock,
      lease: lease.id,
      token: lease.token,
      exit: end.code,
      signal: end.signal,
      heldFor: Math.round(heldMs / 1_000),
      lost,
      released,
      ...advice.facts,
      ...recordedFacts(recorded),
    },
    says: [],
    notes: [
      ...advice.notes,
      ...recordedNotes(recorded),
      ...(end.code === 0 && !lost
        ? []
        : [
            `note: the command ended with ${how} after ${formatDuration(heldMs)} under lock ${lock}`,
          ]),
      ...(isStuck
        ? [`note: lock ${lock} could not be freed; it ends with its TTL: coord unlock ${lock}`]
        : []),
    ],
  };
}

function recordedFacts(recorded: Recorded | null): Facts {
  if (recorded === null || recorded.kind === 'nothing') return {};
  const folder = folderFacts(recorded.folder);
  if (recorded.kind === 'changed')
    return { recorded: false, tree: recorded.tree, log: recorded.log, ...folder };
  const { evidence, since } = recorded;
  return {
    recorded: true,
    evidence: evidenceFacts(evidence),
    ...folder,
    ...(since === null ? {} : { since }),
  };
}

function folderFacts(folder: FolderFacts | null): Facts {
  if (folder === null) return {};
  const { own, linked, notLinked, copied, submodules } = folder;
  const changes = own === null ? {} : { own: own.paths, leftOut: own.leftOut };
  return { ...changes, linked, notLinked, copied, submodules };
}

const wentOn = {
  work: 'your work went on while it ran',
  head: 'HEAD has moved while it ran',
} as const;

function recordedNotes(recorded: Recorded | null): readonly string[] {
  if (recorded === null || recorded.kind === 'nothing') return [];
  if (recorded.kind === 'recorded') {
    const { evidence, since } = recorded;
    const on = `${evidence.exit === 0 ? 'verified' : 'recorded'} on ${evidence.tree.slice(0, 12)}`;
    return [
      on,
      ...(since === null
        ? []
        : [
            `note: ${wentOn[since]}: this is evidence for what was run, not for a commit of what is there now`,
          ]),
    ];
  }
  return recorded.folder === null
    ? [
        'note: files changed while it ran, so it is evidence for nothing',
        '  next: run it again, or on what is yours alone: coord verify --own -- ...',
      ]
    : ['note: the command changed files that are not ignored, so it is evidence for nothing'];
}

function evidenceFacts(evidence: Evidence): Facts {
  return { ...evidence, at: formatTime(evidence.at) };
}
