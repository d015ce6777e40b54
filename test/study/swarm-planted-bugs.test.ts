/** Planted bugs that long runs have to find, each beside production code in which nothing is found. */
import { describe, expect, test } from 'vitest';
import type { Entry } from '../../src/core/entry.ts';
import type { Now } from '../../src/core/instant.ts';
import type { State } from '../../src/core/state.ts';
import type { LogStore, Observation, Swap } from '../../src/log/log-store.ts';
import { MemoryLog, MemoryLogStore } from '../../src/log/memory-log-store.ts';
import { Machine } from '../../src/study/machine.ts';
import { type SwarmOptions, swarm } from '../../src/study/swarm.ts';
import { seeded, seededRandom } from '../support/world.ts';

/** Forgets what protects a holder, so that only the settings of whoever looks count. */
class TakersStore extends MemoryLogStore {
  readonly #store: LogStore;

  constructor(store: LogStore) {
    super(new MemoryLog());
    this.#store = store;
  }

  override async observe(): Promise<Observation> {
    return forgetful(await this.#store.observe());
  }

  override async observePending(): Promise<Observation> {
    return forgetful(await this.#store.observePending());
  }

  override swap(from: Observation, entry: Entry, state: State): Promise<Swap> {
    return this.#store.swap(from, entry, state);
  }

  override find(
    nonce: string,
    from: Observation,
    floor: string | null,
  ): ReturnType<LogStore['find']> {
    return this.#store.find(nonce, from, floor);
  }
}

function forgetful(at: Observation): Observation {
  const protection = { graceMs: 0, stalledMs: 0, breakMs: 0 };
  const leases = [...at.state.leases].map(([id, lease]) => [id, { ...lease, protection }] as const);
  return { ...at, state: { ...at.state, leases: new Map(leases) } };
}

/** Its uptime is whatever its wall clock says. */
class WallMachine extends Machine {
  override now(): Now {
    const now = super.now();
    return { ...now, uptimeMs: now.at };
  }
}

const base: Omit<SwarmOptions, 'seed' | 'wallJumps'> = {
  chance: seeded,
  random: seededRandom,
  deeds: 120,
  modes: ['exclusive', 'exclusive', 'shared'],
};

describe('planted bugs in long runs', () => {
  test('expiry by wall clock: the same seeds with and without jumps come to other decisions', async () => {
    const machine: SwarmOptions['machine'] = (time, name, rate) =>
      new WallMachine(time, name, rate);
    const differ: number[] = [];
    for (let seed = 1; seed <= 10; seed += 1) {
      const still = await swarm({ ...base, seed, wallJumps: false, machine });
      const jumped = await swarm({ ...base, seed, wallJumps: true, machine });
      if (still.decisions.join('\n') !== jumped.decisions.join('\n')) differ.push(seed);
    }
    expect(differ.length).toBeGreaterThan(3);
  });

  test('the threshold of the taker: leases that are taken before what protects their holder is over [U13]', async () => {
    const problems: string[] = [];
    for (let seed = 1; seed <= 20; seed += 1) {
      problems.push(
        ...(
          await swarm({
            ...base,
            seed,
            wallJumps: false,
            ownGraces: true,
            store: (store) => new TakersStore(store),
          })
        ).problems,
      );
    }
    expect(problems).toContainEqual(expect.stringMatching(/was taken after [\d.]+ of \d+ ms/));
  });

  test('production code with graces of their own: nothing is caught [U13]', async () => {
    for (let seed = 1; seed <= 20; seed += 1) {
      const { problems, trace } = await swarm({ ...base, seed, wallJumps: false, ownGraces: true });
      expect(problems, trace).toEqual([]);
    }
  });

  test('one machine whose clock runs half as fast again as the others: leases that are taken too early', async () => {
    const machine: SwarmOptions['machine'] = (time, name, rate) =>
      new Machine(time, name, name === 'm1' ? 1.5 * rate : rate);
    const problems: string[] = [];
    for (let seed = 1; seed <= 40; seed += 1)
      problems.push(...(await swarm({ ...base, seed, wallJumps: true, machine })).problems);
    expect(problems).toContainEqual(expect.stringMatching(/was taken after [\d.]+ of \d+ ms/));
  });
});
