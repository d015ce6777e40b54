/** Planted bugs that long runs have to find, each beside production code in which nothing is found. */
import { describe, expect, test } from 'vitest';
import type { Entry } from '../../src/core/entry.ts';
import type { Now } from '../../src/core/instant.ts';
import type { Lease } from '../../src/core/lease.ts';
import type { State } from '../../src/core/state.ts';
import type { LogStore, Observation, Swap } from '../../src/log/log-store.ts';
import { MemoryLog, MemoryLogStore } from '../../src/log/memory-log-store.ts';
import { Machine } from '../../src/study/machine.ts';
import { type SwarmOptions, swarm } from '../../src/study/swarm.ts';
import { seeded, seededRandom } from '../support/world.ts';

type Change = (state: State, before: State) => State;

/** Decides on leases that are not as they stand in the log. */
class MistakenStore extends MemoryLogStore {
  readonly #store: LogStore;
  readonly #seen: Change;
  readonly #written: Change;

  constructor(store: LogStore, seen: Change, written: Change = (state) => state) {
    super(new MemoryLog());
    this.#store = store;
    this.#seen = seen;
    this.#written = written;
  }

  override async observe(): Promise<Observation> {
    return this.#mistaken(await this.#store.observe());
  }

  override async observePending(): Promise<Observation> {
    return this.#mistaken(await this.#store.observePending());
  }

  override async swap(from: Observation, entry: Entry, state: State): Promise<Swap> {
    const { state: before } = await this.#store.observe();
    return this.#store.swap(from, entry, this.#written(state, before));
  }

  override find(
    nonce: string,
    from: Observation,
    floor: string | null,
  ): ReturnType<LogStore['find']> {
    return this.#store.find(nonce, from, floor);
  }

  #mistaken(at: Observation): Observation {
    return { ...at, state: this.#seen(at.state, at.state) };
  }
}

function eachLease(state: State, change: (lease: Lease) => Lease): State {
  return { ...state, leases: new Map([...state.leases].map(([id, lease]) => [id, change(lease)])) };
}

/** Forgets what protects a holder, so that only the settings of whoever looks count. */
function takersStore(store: LogStore): LogStore {
  const protection = { graceMs: 0, stalledMs: 0, breakMs: 0 };
  return new MistakenStore(store, (state) =>
    eachLease(state, (lease) => ({ ...lease, protection })),
  );
}

/** Takes all lines for those of its own work tree; what it leaves alone it writes as it was. */
function oneTreeStore(store: LogStore, workTree: string): LogStore {
  const inTree = (lease: Lease, tree: string | undefined): Lease =>
    lease.mode !== 'lines' || tree === undefined ? lease : { ...lease, workTree: tree };
  return new MistakenStore(
    store,
    (state) => eachLease(state, (lease) => inTree(lease, workTree)),
    (state, before) =>
      eachLease(state, (lease) => inTree(lease, before.leases.get(lease.id)?.workTree)),
  );
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
        ...(await swarm({ ...base, seed, wallJumps: false, ownGraces: true, store: takersStore }))
          .problems,
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

  const ofLines: typeof base = { ...base, modes: ['lines', 'lines', 'exclusive', 'shared'] };

  test('lines that are compared without their work tree: leases in conflict beside each other', async () => {
    const problems: string[] = [];
    for (let seed = 1; seed <= 4; seed += 1) {
      problems.push(
        ...(await swarm({ ...ofLines, seed, wallJumps: false, store: oneTreeStore })).problems,
      );
    }
    expect(problems).toContainEqual(
      expect.stringMatching(/: lines reservation .* stands beside lines reservation/),
    );
  });

  test('production code with lines: nothing is caught, and lines are shared', async () => {
    let shared = 0;
    for (let seed = 1; seed <= 8; seed += 1) {
      const { problems, trace, decisions } = await swarm({ ...ofLines, seed, wallJumps: false });
      expect(problems, trace).toEqual([]);
      shared += decisions.filter((said) => / -> shared /.test(said)).length;
    }
    expect(shared).toBeGreaterThan(5);
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
