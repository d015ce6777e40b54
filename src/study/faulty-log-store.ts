/**
 * A log store that fails as real ones do: its process is killed at the swap, the answer is lost,
 * the answer is wrong. git can say yes where another's value stands (a lock that was recovered
 * under it) and no where its own does (killed after the rename).
 */
import type { Entry } from '../core/entry.ts';
import type { State } from '../core/state.ts';
import type { LogStore, Observation, Swap } from '../log/log-store.ts';
import { PassingLogStore } from '../log/passing-log-store.ts';
import type { Chooser } from './schedule.ts';

export type Fault =
  | 'none'
  /** The process ends before the swap took effect, or after. */
  | 'crash-before'
  | 'crash-after'
  /** It took effect; the answer is an exception, or a no. */
  | 'lost-reply'
  | 'false-no'
  /** Nothing stands; the answer is yes. */
  | 'false-yes'
  /** Nothing stands, because somebody holds the lock. */
  | 'busy'
  /** It took effect; neither the answer nor the log can be read afterwards, once. */
  | 'blind';

export interface Faults {
  /** How many may still come. */
  readonly left: number;
  next(): Fault;
}

export const noFaults: Faults = { left: 0, next: () => 'none' };

/** Up to `budget` faults of these kinds, wherever the chooser puts them. */
export class ChosenFaults implements Faults {
  readonly #chooser: Chooser;
  readonly #kinds: readonly Fault[];
  left: number;

  constructor(chooser: Chooser, kinds: readonly Fault[], budget: number) {
    this.#chooser = chooser;
    this.#kinds = kinds;
    this.left = budget;
  }

  next(): Fault {
    if (this.left === 0) return 'none';
    const chosen = this.#chooser.choose(this.#kinds.length + 1);
    if (chosen > 0) this.left -= 1;
    return this.#kinds[chosen - 1] ?? 'none';
  }
}

interface Victim {
  /** The process stops for ever. */
  die(): Promise<never>;
  note(text: string): void;
}

export class FaultyLogStore extends PassingLogStore {
  readonly #faults: Faults;
  readonly #victim: Victim;
  #blind = false;

  constructor(inner: LogStore, faults: Faults, victim: Victim) {
    super(inner);
    this.#faults = faults;
    this.#victim = victim;
  }

  override async observe(): Promise<Observation> {
    if (this.#blind) {
      this.#blind = false;
      throw new Error('the log cannot be read');
    }
    return this.inner.observe();
  }

  override async swap(from: Observation, entry: Entry, state: State): Promise<Swap> {
    const fault = this.#faults.next();
    if (fault !== 'none') this.#victim.note(fault);
    if (fault === 'crash-before') return this.#victim.die();
    if (fault === 'false-yes') return { oid: `nowhere-${entry.nonce}`, failure: null };
    if (fault === 'busy')
      return { oid: `nowhere-${entry.nonce}`, failure: 'unable to create log.lock: File exists' };
    const swap = await this.inner.swap(from, entry, state);
    if (fault === 'crash-after') return this.#victim.die();
    this.#blind = fault === 'blind';
    if (fault === 'lost-reply' || fault === 'blind') throw new Error('the answer was lost');
    return fault === 'false-no' ? { ...swap, failure: 'killed after the rename' } : swap;
  }
}
