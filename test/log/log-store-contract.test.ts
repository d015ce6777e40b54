/**
 * The contract of log stores, kept by the one in memory; and a store that does not keep it is
 * noticed.
 */
import { expect, test } from 'vitest';
import type { Entry } from '../../src/core/entry.ts';
import type { State } from '../../src/core/state.ts';
import type { Observation, Swap } from '../../src/log/log-store.ts';
import { MemoryLog, MemoryLogStore } from '../../src/log/memory-log-store.ts';
import { failsOnOldObservations, type Kind, keepsTheContract } from './log-store-contract.ts';

const memory: Kind = {
  name: 'memory',
  make: () => {
    const log = new MemoryLog();
    return { open: () => new MemoryLogStore(log), pack: () => {} };
  },
};

/**
 * Puts everything on the tip, whatever was observed; where that was an old tip it says no, and has
 * written all the same.
 */
class LyingStore extends MemoryLogStore {
  readonly #log: MemoryLog;

  constructor(log: MemoryLog) {
    super(log);
    this.#log = log;
  }

  override async swap(from: Observation, entry: Entry, state: State): Promise<Swap> {
    const failure = from.tip === this.#log.tip ? null : 'is at another value';
    return { ...(await super.swap({ ...from, tip: this.#log.tip }, entry, state)), failure };
  }
}

test('the contract can fail: a store that says no and writes all the same does not keep it', async () => {
  const log = new MemoryLog();
  await expect(
    failsOnOldObservations({ open: () => new LyingStore(log), pack: () => {} }),
  ).rejects.toThrow('to deeply equal');
});

keepsTheContract([memory]);
