/**
 * PORT: all that the use cases need of the world. Time, chance and what was noted beside the log
 * come in here; `agent/world.ts` has the real ones.
 */
import type { Caller } from '../core/decide/enrol.ts';
import type { Event } from '../core/event.ts';
import type { Now } from '../core/instant.ts';
import type { AgentName, Resource } from '../core/lease.ts';
import type { Settings } from '../core/settings.ts';
import type { State } from '../core/state.ts';
import type { LogStore } from '../log/log-store.ts';

export interface World {
  readonly store: LogStore;
  readonly clock: Clock;
  readonly random: Random;
  readonly settings: Settings;
  readonly tally: Tally;
  /** Asked only where it matters: a person's name costs a question to git. */
  caller(): Caller;
  /** The id of the work tree, where it has one; asked only where lines are held or wanted. */
  workTree?(): string | undefined;
  /** Is this a work tree on a branch of its own, in which no leases count? */
  isApart?(): boolean;
  /** When activity is to renew what is held next: for the shims, which start nothing before. */
  noteDue?(state: State): void;
  /** Is nobody left in the session of this agent, so that a person may take it over by name? */
  mayTakeOver?(agent: AgentName, state: State): boolean;
  /** Flags that say who acts and where, as they were given: a printed next command repeats them. */
  readonly self?: readonly string[];
}

export interface Clock {
  now(): Now;
  /** Shorter where it is told to stop. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export interface Random {
  id(): string;
  /** 128 bits, so that no two operations can ever be one object. */
  nonce(): string;
  /** The secret of a session. */
  key(): string;
  /** From 0 up to 1. */
  fraction(): number;
}

export type Note =
  | { readonly what: 'check' }
  | {
      readonly what: 'refused';
      readonly at: string;
      readonly id?: string;
      readonly kind: string;
      readonly resource: Resource;
      readonly blockers: readonly { readonly id: string; readonly agent: AgentName }[];
    }
  | SeenByHook;

/** What a git hook saw while it could not write: told as it is. */
export interface SeenByHook {
  readonly what: 'committed' | 'blocked' | 'overridden';
  readonly at: string;
  readonly [fact: string]: unknown;
}

export interface Tally {
  /** Returns the id under which `coord explain` finds it; nothing for what is only counted. */
  note(name: string, note: Note): string;
  /** What waits for a writer, oldest first. */
  pending(agents: readonly AgentName[]): readonly Event[];
  /** What has been noted, as events that the operation of this nonce is to carry. */
  take(agents: readonly AgentName[], nonce: string): Taken;
  /** What writers that are gone have taken: it may be in the log or not. */
  abandoned(): readonly Abandoned[];
}

interface Held {
  /** It is in the log. */
  drop(): void;
  /** It is not, and waits for the next writer again. */
  putBack(): void;
}

export interface Taken extends Held {
  readonly events: readonly Event[];
}

interface Abandoned extends Held {
  readonly nonce: string;
}

const nothingHeld: Held = { drop: () => {}, putBack: () => {} };

export const noTally: Tally = {
  note: () => '',
  pending: () => [],
  take: () => ({ ...nothingHeld, events: [] }),
  abandoned: () => [],
};
