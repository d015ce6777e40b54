/** A refusal: what is in the way, whose it is, and the command that makes sense now. */

import { showAgent } from '../core/agent.ts';
import { few } from '../core/counted.ts';
import { exits } from '../core/exits.ts';
import { describe, type Lease } from '../core/lease.ts';
import { afterRefusal } from '../core/next.ts';
import type { Refusal } from '../core/refusal.ts';
import type { Refused } from '../loop/outcome.ts';
import { leaseFacts, refusalFacts } from './facts.ts';
import { ago, leaseLine } from './lines.ts';
import type { Report } from './report.ts';
import { refusalWords } from './wording.ts';

export function renderRefused(refused: Refused): Report {
  const { refusal, ctx, asked, explainId, isInterrupted } = refused;
  const { state } = refused.at;
  const next = afterRefusal(refusal, asked);
  const own = ownOf(refusal);
  return {
    ok: false,
    exit: isInterrupted
      ? exits.interrupted
      : refusal.kind === 'timeout'
        ? exits.tryAgain
        : exits.refused,
    result: isInterrupted ? 'interrupted' : 'refused',
    refusal: refusal.kind,
    next,
    facts: {
      refusal: { ...refusalFacts(refusal, ctx), ...(explainId === '' ? {} : { id: explainId }) },
      blockers: blockersOf(refusal).map((lease) => leaseFacts(lease, state, ctx)),
      ...(own.length === 0 ? {} : { own: own.map((lease) => leaseFacts(lease, state, ctx)) }),
      next,
    },
    says: [],
    notes: isInterrupted
      ? ['interrupted: you are not in line any more', `  next: ${next}`]
      : [
          `refused: ${refusalWords(refusal)}`,
          ...blockingLines(refused).map((line) => `  ${line}`),
          `  next: ${next}`,
          ...whyLine(explainId),
        ],
  };
}

/** Who is in the way, each on a line. */
function blockingLines({ refusal, at: { state }, ctx }: Refused): readonly string[] {
  return [
    ...[...blockersOf(refusal), ...ownOf(refusal)].map((lease) => leaseLine(lease, state, ctx)),
    ...('ahead' in refusal
      ? refusal.ahead.map(
          (wait) =>
            `${showAgent(wait.agent)} waits for ${describe(wait)} since ${ago(wait.started.at, ctx)}`,
        )
      : []),
    ...('cycle' in refusal
      ? refusal.cycle.map(
          ({ agent, waitsFor, heldBy }) =>
            `${showAgent(agent)} waits for ${waitsFor}, which is ${showAgent(heldBy)}'s`,
        )
      : []),
    ...lostMeanwhile(refusal),
  ];
}

function blockersOf(refusal: Refusal): readonly Lease[] {
  return 'blockers' in refusal ? refusal.blockers : 'leases' in refusal ? refusal.leases : [];
}

function ownOf(refusal: Refusal): readonly Lease[] {
  return refusal.kind === 'cap' ? (refusal.own ?? []) : [];
}

/** How it is explained later. */
export function whyLine(explainId: string): readonly string[] {
  return explainId === '' ? [] : [`  why: coord explain ${explainId}`];
}

/** What was given up for a wait that came to nothing. */
function lostMeanwhile(refusal: Refusal): readonly string[] {
  const yielded = 'yielded' in refusal ? (refusal.yielded ?? []) : [];
  if (yielded.length === 0) return [];
  return [`given up to wait for it, and not held any more: ${few(yielded)}`];
}
