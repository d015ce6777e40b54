/** Between agents: asking for a lease, answering, and the last resort. */
import { type AnswerRequest, decideAnswer, decideAsk } from '../core/decide/ask.ts';
import { breakableInMs, decideBreak } from '../core/decide/break.ts';
import { CoordError } from '../core/errors.ts';
import { isId, parseReason } from '../core/ids.ts';
import { formatDuration } from '../core/instant.ts';
import type { Lease } from '../core/lease.ts';
import { limits } from '../core/limits.ts';
import { afterAsked } from '../core/next.ts';
import type { Request } from '../core/record.ts';
import { shellLine } from '../core/shell-line.ts';
import { operate } from './operate.ts';
import { askedBy, type Outcome, outcomeOf } from './outcome.ts';
import type { World } from './world.ts';

export interface AskedFor {
  readonly request: Request;
  /** Until it may be broken without an answer. */
  readonly mayBreakInMs: number;
  readonly next: string;
}

export async function ask(
  world: World,
  lease: string,
  reason: string,
  urgent: boolean,
): Promise<Outcome<AskedFor>> {
  if (parseReason(reason) === '')
    throw new CoordError(
      'needs_reason',
      'a request needs a reason',
      shellLine('coord', 'ask', lease, '--reason', '<why>'),
    );
  checkId(lease);
  const asking = { caller: world.caller(), lease, reason, urgent };
  const outcome = await operate(world, (state, c) => decideAsk(asking, state, c));
  return outcomeOf(world, outcome, ({ request }, { at, ctx }) => {
    const held = at.state.leases.get(request.lease);
    return {
      request,
      mayBreakInMs: held === undefined ? 0 : breakableInMs(held, request.from, at.state, ctx),
      next: afterAsked({ id: request.lease }, askedBy(world, [])),
    };
  });
}

export interface AnswerWish {
  readonly etaMs?: number | undefined;
  readonly reason?: string | undefined;
  readonly frees?: boolean;
}

export interface AnswerGiven {
  readonly request: Request;
  readonly leases: readonly Lease[];
  readonly verdict: AnswerRequest['verdict'];
  readonly etaMs: number;
}

export async function answer(
  world: World,
  named: string,
  verdict: AnswerRequest['verdict'],
  { etaMs, reason, frees }: AnswerWish,
): Promise<Outcome<AnswerGiven>> {
  if (verdict === 'defer' && etaMs === undefined)
    throw new CoordError(
      'usage',
      'until when is it deferred?',
      shellLine('coord', 'answer', named, 'defer', '--eta', '10m'),
    );
  if ((etaMs ?? 0) > limits.etaMaxMs)
    throw new CoordError(
      'bad_duration',
      `an answer cannot be put off for ${formatDuration(etaMs ?? 0)}`,
      `choose up to ${formatDuration(limits.etaMaxMs)}`,
    );
  const request: AnswerRequest = {
    caller: world.caller(),
    named,
    verdict,
    etaMs: etaMs ?? 0,
    reason: parseReason(reason ?? ''),
    frees: frees === true,
  };
  const outcome = await operate(world, (state, c) => decideAnswer(request, state, c));
  return outcomeOf(world, outcome, (answered) => ({ ...answered, verdict, etaMs: request.etaMs }));
}

export async function breakLease(
  world: World,
  id: string,
  reason: string,
): Promise<Outcome<Lease>> {
  if (parseReason(reason) === '')
    throw new CoordError(
      'needs_reason',
      'break needs a reason',
      shellLine('coord', 'break', id, '--reason', '<why>'),
    );
  checkId(id);
  const request = { caller: world.caller(), id, reason };
  const outcome = await operate(world, (state, c) => decideBreak(request, state, c));
  return outcomeOf(world, outcome, ({ lease }) => lease);
}

function checkId(id: string): void {
  if (!isId(id))
    throw new CoordError('usage', `'${id}' is not the id of a lease`, 'coord status shows them');
}
