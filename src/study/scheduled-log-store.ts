/**
 * A log store whose reads and swaps wait for the schedule. The queue, the wait for a lock and the
 * upkeep are not held: they are for speed alone, and no outcome may rest on them.
 */
import type { Entry } from '../core/entry.ts';
import type { Oid } from '../core/ids.ts';
import type { State } from '../core/state.ts';
import type { Found, LoggedEntry, LogStore, Observation, Settled, Swap } from '../log/log-store.ts';
import type { Gate } from './schedule.ts';

interface ScheduledOptions {
  /** Can this swap still take effect? One that cannot changes nothing for anybody. */
  readonly live?: (from: Observation) => boolean;
}

export class ScheduledLogStore implements LogStore {
  readonly #inner: LogStore;
  readonly #gate: Gate;
  readonly #options: ScheduledOptions;

  constructor(inner: LogStore, gate: Gate, options: ScheduledOptions = {}) {
    this.#inner = inner;
    this.#gate = gate;
    this.#options = options;
  }

  observe(): Promise<Observation> {
    return this.#gate.hold(
      'observe',
      () => 'reads',
      async () => {
        const seen = await this.#inner.observe();
        this.#gate.note(`sees ${seen.seq}`);
        return seen;
      },
    );
  }

  observePending(): Promise<Observation> {
    return this.observe();
  }

  confirm(seen: Observation, notBefore: number | null): Promise<boolean> {
    return this.#inner.confirm(seen, notBefore);
  }

  swap(from: Observation, entry: Entry, state: State): Promise<Swap> {
    const effect = (): 'none' | 'writes' =>
      this.#options.live?.(from) === false ? 'none' : 'writes';
    return this.#gate.hold(`swap ${from.seq} for ${entry.seq}`, effect, async () => {
      const swap = await this.#inner.swap(from, entry, state);
      this.#gate.note(swap.failure ?? 'told yes');
      return swap;
    });
  }

  find(nonce: string, from: Observation, floor: Oid | null): Promise<Found | null> {
    return this.#inner.find(nonce, from, floor);
  }

  history(from: Observation, sinceSeq: number): Promise<readonly LoggedEntry[]> {
    return this.#inner.history(from, sinceSeq);
  }

  enter(demand: boolean): Promise<(() => void) | null> {
    return this.#inner.enter(demand);
  }

  settle(): Promise<Settled> {
    return this.#inner.settle();
  }

  maintain(after: Observation): Promise<void> {
    return this.#inner.maintain(after);
  }
}
