/**
 * The shape of every decision: pure, from the state, a request and the circumstances to a new state
 * with its events, to no change at all, or to a refusal.
 */
import type { Event } from '../event.ts';
import { elapsedMs, type Now } from '../instant.ts';
import {
  type AgentName,
  type Lease,
  phaseOf,
  type Resource,
  resourceOf,
  type Wait,
} from '../lease.ts';
import { limits } from '../limits.ts';
import type { Folding } from '../overlap.ts';
import type { Refusal } from '../refusal.ts';
import type { State } from '../state.ts';

export interface DecisionContext {
  readonly now: Now;
  /** The place in the log that this operation will have. */
  readonly seq: number;
  readonly graceMs: number;
  readonly stalledMs: number;
  readonly breakMs: number;
  readonly folding: Folding;
  /** The log is on a server: each renewal costs the team a push. */
  readonly isRemote?: boolean;
  /** What has a token beyond this was granted without the server: it is advice. */
  readonly advisorySince?: number;
  /**
   * The id of the work tree in which it is decided, where there is one; asked for only where lines
   * are held or wanted.
   */
  workTree?(): string | undefined;
  newId(): string;
}

export type Decision<R> =
  | {
      readonly kind: 'change';
      readonly state: State;
      readonly events: readonly Event[];
      readonly actor: AgentName;
      readonly result: R;
    }
  | { readonly kind: 'same'; readonly result: R }
  | { readonly kind: 'refused'; readonly refusal: Refusal };

export type Decide<R> = (state: State, circumstances: DecisionContext) => Decision<R>;

export function refused(refusal: Refusal): { readonly kind: 'refused'; readonly refusal: Refusal } {
  return { kind: 'refused', refusal };
}

/** Live or in grace: still in others' way. */
export function isActive(lease: Lease, c: Pick<DecisionContext, 'now' | 'graceMs'>): boolean {
  return phaseOf(lease, c.now, c.graceMs) !== 'expired';
}

/** So long a wait lives without a word of its process. */
export function waitTtlMs(c: DecisionContext): number {
  return c.isRemote === true ? limits.waitRemoteTtlMs : limits.waitTtlMs;
}

export function isWaiting(wait: Wait, c: DecisionContext): boolean {
  return elapsedMs(wait.id, wait.renewed, c.now) <= waitTtlMs(c);
}

/** What an event tells of a lease or a wait. */
export function facts(held: Resource & { readonly id: string }): {
  readonly lease: string;
  readonly kind: string;
  readonly [fact: string]: unknown;
} {
  return { lease: held.id, ...resourceOf(held) };
}

/** The map with these records put in, or taken out where the value is null. */
export function amend<T>(
  records: ReadonlyMap<string, T>,
  changes: readonly (readonly [string, T | null])[],
): ReadonlyMap<string, T> {
  if (changes.length === 0) return records;
  const next = new Map(records);
  for (const [id, value] of changes) {
    if (value === null) next.delete(id);
    else next.set(id, value);
  }
  return next;
}

/** An id that nothing in the state has yet. */
export function freshId(state: State, c: DecisionContext): string {
  for (;;) {
    const id = c.newId();
    if (
      !state.agents.has(id) &&
      !state.leases.has(id) &&
      !state.waits.has(id) &&
      !state.requests.has(id)
    )
      return id;
  }
}
