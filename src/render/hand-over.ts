/** What agents ask of each other, and answer. */

import { showAgent } from '../core/agent.ts';
import { exits } from '../core/exits.ts';
import { formatDuration } from '../core/instant.ts';
import { describe } from '../core/lease.ts';
import type { AnswerGiven, AskedFor } from '../loop/hand-over.ts';
import type { Outcome } from '../loop/outcome.ts';
import { requestFacts } from './facts.ts';
import { renderLeases } from './leases.ts';
import { renderRefused } from './refusal.ts';
import type { Report } from './report.ts';
import { answerWords } from './wording.ts';

export function renderAsked(outcome: Outcome<AskedFor>): Report {
  if (outcome.kind === 'refused') return renderRefused(outcome);
  const { request, mayBreakInMs, next } = outcome.result;
  return {
    ok: true,
    exit: exits.done,
    result: 'asked',
    facts: { request: requestFacts(request), mayBreakIn: Math.ceil(mayBreakInMs / 1_000), next },
    says: [`asked ${showAgent(request.to)} for ${describe(request.what)}, request ${request.id}`],
    notes: [
      `note: ${request.to.name} will see this at its next command; without an answer you can break the lease in ${formatDuration(mayBreakInMs)}: ${next}`,
    ],
  };
}

export function renderAnswered(outcome: Outcome<AnswerGiven>): Report {
  if (outcome.kind === 'refused') return renderRefused(outcome);
  const { request, leases, verdict, etaMs } = outcome.result;
  return renderLeases('answered', outcome, leases, {
    suffix: ` to ${showAgent(request.from)}`,
    facts: { request: requestFacts(request), verdict },
    first: [answerWords(verdict, describe(request.what), request.from.name, etaMs)],
  });
}
