/**
 * A log store whose reads and swaps wait for the schedule. The queue, the wait for a lock and the
 * upkeep are not held: they are for speed alone, and no outcome may rest on them.
 */
import type { Entry } from '../core/entry.ts';
import type { State } from '../core/state.ts';
import type { LogStore, Observation, Swap } from '../log/log-store.ts';
import { PassingLogStore } from '../log/passing-log-store.ts';
import type { Gate } from './schedule.ts';

interface ScheduledOptions {
  /** Can this swap still take effect? One that cannot changes nothing for anybody. */
  readonly live?: (from: Observation) => boolean;
}

export class ScheduledLogStore extends PassingLogStore {
  readonly #gate: Gate;
  readonly #options: ScheduledOptions;

  constructor(inner: LogStore, gate: Gate, options: ScheduledOptions = {}) {
    super(inner);
    this.#gate = gate;
    this.#options = options;
  }

  override observe(): Promise<Observation> {
    return this.#gate.hold(
      'observe',
      () => 'reads',
      async () => {
        const seen = await this.inner.observe();
        this.#gate.note(`sees ${seen.seq}`);
        return seen;
      },
    );
  }

  override swap(from: Observation, entry: Entry, state: State): Promise<Swap> {
    const effect = (): 'none' | 'writes' =>
      this.#options.live?.(from) === false ? 'none' : 'writes';
    return this.#gate.hold(`swap ${from.seq} for ${entry.seq}`, effect, async () => {
      const swap = await this.inner.swap(from, entry, state);
      this.#gate.note(swap.failure ?? 'told yes');
      return swap;
    });
  }
}
