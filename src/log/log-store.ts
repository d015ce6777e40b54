/**
 * PORT: the log as a value that can be observed and swapped. What `swap` returns is a hint; what is
 * true is found by observing again. Everything else here only makes that fast and lasting.
 */

import type { Entry } from '../core/entry.ts';
import type { CoordError } from '../core/errors.ts';
import type { Oid } from '../core/ids.ts';
import type { Now } from '../core/instant.ts';
import type { State } from '../core/state.ts';

export interface Observation {
  /** The newest commit of the log, or null before the first operation. */
  readonly tip: Oid | null;
  readonly seq: number;
  readonly state: State;
  /** The remote whose log this is; absent for the log of this repository. */
  readonly remote?: string;
  /** The remote could not be asked, and this is how it stood so long ago. */
  readonly ageMs?: number;
  /**
   * Nobody else knows of what was granted after this place in the log: it is advice, until the
   * remote answers again.
   */
  readonly advisorySince?: number;
}

export interface Swap {
  readonly oid: Oid;
  /** What git said where it did not say yes. */
  readonly failure: string | null;
  /** It has not taken effect, never will, and trying again at once is of no use. */
  readonly hopeless?: CoordError;
  /** It has not taken effect and never will: there is nothing to look for. */
  readonly isVoid?: true;
}

export interface LoggedEntry extends Entry {
  readonly oid: Oid;
}

export interface LogStore {
  /** What is so, as of now; as of `notBefore` (uptime of this machine) if that is enough. */
  observe(notBefore?: number): Promise<Observation>;
  /**
   * What will be so if all that is under way from here succeeds: for deciding, never for reporting.
   */
  observePending(): Promise<Observation>;
  /**
   * Was what was foreseen really so, at `notBefore` or later? Null asks only that it came about.
   */
  confirm(seen: Observation, notBefore: number | null): Promise<boolean>;
  /** Tries to put one operation, with the state after it, on top of what was observed. */
  swap(from: Observation, entry: Entry, state: State): Promise<Swap>;
  /**
   * The operation with this nonce, from the tip back to `floor` (exclusive), or as far as is kept.
   */
  find(nonce: string, from: Observation, floor: Oid | null): Promise<Found | null>;
  /** Operations after `sinceSeq`, oldest first, across roots as far as they are kept. */
  history(from: Observation, sinceSeq: number): Promise<readonly LoggedEntry[]>;
  /**
   * Agents that work from here, with the uptime of their last work, where one entry is to renew
   * them all; notes that this one is at work.
   */
  cloneAgents?(seen: Observation, actor: string, now: Now): ReadonlyMap<string, number> | undefined;
  /** Throws where the team's log is elsewhere. */
  mayGrant?(): Promise<void>;
  /**
   * Waits for a turn in the local queue and returns how to leave it; null where there was nothing
   * to wait for and no place is demanded. For speed alone.
   */
  enter(demand: boolean): Promise<(() => void) | null>;
  /**
   * The swap failed and the tip stands: waits for what is in the way, and clears it if it is dead.
   */
  settle(): Promise<Settled>;
  /** After an operation: a new root where one is due, and what that makes superfluous. */
  maintain(after: Observation): Promise<void>;
}

/** What the store needs of the world besides the repository. */
export interface StoreWorld {
  wallMs(): number;
  random(): number;
  sleep(ms: number): Promise<void>;
}

/** `entry` is null where only the nonce is still on record. */
export interface Found {
  readonly oid: Oid | null;
  readonly entry: Entry | null;
}

export type Settled =
  | { readonly kind: 'again' }
  /** A lock that cannot be proved dead from here. */
  | { readonly kind: 'locked'; readonly file: string; readonly why: string };
