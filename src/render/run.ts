/** Commands that were run under a lock, and what stays of them as evidence. */
import type { Evidence } from '../core/evidence.ts';
import { exits } from '../core/exits.ts';
import { formatDuration, formatTime } from '../core/instant.ts';
import type { Already, Ran, Recorded, RunOutcome } from '../work/run-locked.ts';
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
  return recorded.kind === 'recorded'
    ? { recorded: true, evidence: evidenceFacts(recorded.evidence) }
    : { recorded: false, tree: recorded.tree, log: recorded.log };
}

function recordedNotes(recorded: Recorded | null): readonly string[] {
  if (recorded === null || recorded.kind === 'nothing') return [];
  if (recorded.kind === 'recorded') {
    const { exit, tree } = recorded.evidence;
    return [`${exit === 0 ? 'verified' : 'recorded'} on ${tree.slice(0, 12)}`];
  }
  return [
    'note: files changed while it ran, so it is evidence for nothing',
    '  next: run it again, or on a commit in a folder of its own: coord verify --at HEAD -- ...',
  ];
}

function evidenceFacts(evidence: Evidence): Facts {
  return { ...evidence, at: formatTime(evidence.at) };
}
