/**
 * What came of a use case, as data: done with its result, or refused with its facts. `render` puts
 * it into words, for people, programs and agent programs alike.
 */

import type { DecisionContext } from '../core/decide/decision.ts';
import type { Asked } from '../core/next.ts';
import type { Refusal } from '../core/refusal.ts';
import type { Observation } from '../log/log-store.ts';
import { decisionContext } from './operate.ts';
import type { Outcome as OperationOutcome } from './operation.ts';
import type { World } from './world.ts';

/** How everything stood when it came about. */
export interface Seen {
  readonly at: Observation;
  readonly ctx: DecisionContext;
}

export interface Refused extends Seen {
  readonly kind: 'refused';
  readonly refusal: Refusal;
  /** What was asked for, so that the next command can ask for it again. */
  readonly asked: Asked;
  /** Under which `coord explain` finds it; empty where it is not on record. */
  readonly explainId: string;
  /** Its user has stopped it. */
  readonly isInterrupted: boolean;
}

export interface Done<R> extends Seen {
  readonly kind: 'done';
  readonly result: R;
}

export type Outcome<R> = Done<R> | Refused;

export function seen(world: World, at: Observation): Seen {
  return { at, ctx: decisionContext(world, at) };
}

/** The command that was given, as it would be given again. */
export function askedBy({ self = [] }: World, again: readonly string[], hasTracker = false): Asked {
  return { again, self, hasTracker };
}

export function refusedWith(
  world: World,
  at: Observation,
  refusal: Refusal,
  asked: Asked = askedBy(world, []),
): Refused {
  const isOfSession = refusal.kind === 'not_your_session' || refusal.kind === 'name_taken';
  const mayTakeOver = isOfSession && world.mayTakeOver?.(refusal.agent, at.state) === true;
  return {
    ...seen(world, at),
    kind: 'refused',
    refusal,
    asked: mayTakeOver ? { ...asked, mayTakeOver } : asked,
    explainId: '',
    isInterrupted: false,
  };
}

/** The outcome of an operation as that of the use case it belongs to. */
export function outcomeOf<A, B>(
  world: World,
  outcome: OperationOutcome<A>,
  resultOf: (result: A, seen: Seen) => B,
): Outcome<B> {
  if (outcome.kind === 'refused') return refusedWith(world, outcome.at, outcome.refusal);
  const as = seen(world, outcome.at);
  return { ...as, kind: 'done', result: resultOf(outcome.result, as) };
}
