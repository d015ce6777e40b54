/**
 * What every log store has to do, the same for the one in memory and the one in git, in every
 * format git has.
 */
import { describe, expect, test } from 'vitest';
import type { Agent } from '../../src/core/agent.ts';
import type { Entry } from '../../src/core/entry.ts';
import type { Lease } from '../../src/core/lease.ts';
import { decodeState, encodeState, type State } from '../../src/core/state.ts';
import type { LogStore, Observation, Swap } from '../../src/log/log-store.ts';

export interface Kind {
  readonly name: string;
  /** A new log, and as many stores over it as are asked for. */
  readonly make: () => Made;
}

export interface Made {
  readonly open: () => LogStore;
  /** Everything that git may do to its refs and objects by itself. */
  readonly pack: () => void;
}

const at = Date.UTC(2026, 0, 1, 12);
const ann = { id: 'annannan', name: 'ann' };
const stamp = { at, domain: 'boot', uptimeMs: 5_000 };
const agent: Agent = {
  ...ann,
  kind: 'agent',
  session: null,
  host: 'here',
  startedAt: at,
  active: stamp,
};

function nonceOf(n: number): string {
  return n.toString(16).padStart(32, '0');
}

function leaseOf(n: number): Lease {
  return {
    kind: 'reservation',
    id: `lease${String(n).padStart(3, '0')}`,
    agent: ann,
    patterns: [`src/${n}/**`, 'ünï/[a-z]*.{ts,js}'],
    mode: 'shared',
    reason: 'because "of" it: \u00e9\u{1f600}',
    ttlMs: 900_000,
    token: n,
    acquiredAt: at + n,
    renewed: stamp,
    steady: n % 2 === 0,
    edited: n % 2 === 0 ? { stamp, directories: ['src'] } : null,
  };
}

/** The n-th operation takes the n-th lease. */
function entryOf(n: number, nonce = nonceOf(n)): Entry {
  const { id, reason } = leaseOf(n);
  const patterns = ['a b', 'Event: {}\nNonce: x'];
  return {
    seq: n,
    at: at + n,
    agent: ann,
    nonce,
    events: [{ event: 'acquired', agent: ann, lease: id, kind: 'reservation', patterns, reason }],
  };
}

function stateAfter({ state }: Observation, n: number): State {
  return {
    ...state,
    agents: new Map([[agent.id, agent]]),
    leases: new Map([...state.leases, [leaseOf(n).id, leaseOf(n)]]),
  };
}

/** Puts so many operations on top, one after the other; the observation after the last. */
export async function grow(store: LogStore, count: number): Promise<Observation> {
  let seen = await store.observe();
  for (let i = 0; i < count; i += 1) {
    const n = seen.seq + 1;
    expect((await store.swap(seen, entryOf(n), stateAfter(seen, n))).failure).toBeNull();
    seen = await store.observe();
  }
  return seen;
}

export async function failsOnOldObservations({ open }: Made): Promise<void> {
  const store = open();
  const empty = await store.observe();
  const old = await grow(store, 1);
  const now = await grow(store, 1);
  for (const from of [empty, old]) {
    const swap = await store.swap(from, entryOf(from.seq + 1, nonceOf(99)), stateAfter(from, 9));
    expect(swap.failure).toEqual(expect.any(String));
    expect(await open().observe()).toEqual(now);
    expect(await open().find(nonceOf(99), now, null)).toBeNull();
  }
}

/** Every test of the contract, for each of these kinds of stores. */
export function keepsTheContract(kinds: readonly Kind[]): void {
  describe.for(kinds.map((kind) => [kind.name, kind] as const))('the log in %s', ([, { make }]) => {
    swaps(make);
    finds(make);
    stays(make);
  });
}

/** What is observed, and what a swap does to it. */
function swaps(make: Kind['make']): void {
  test('observed before the first operation: no tip, place 0, nobody and nothing', async () => {
    const seen = await make().open().observe();
    expect({ tip: seen.tip, seq: seen.seq }).toEqual({ tip: null, seq: 0 });
    expect(seen.state.agents.size).toBe(0);
    expect(seen.state.leases.size).toBe(0);
    expect(seen.state.waits.size).toBe(0);
    expect(seen.state.requests.size).toBe(0);
  });

  test('a swap on what was observed: a new tip, the next place, and the state as it was written', async () => {
    const { open } = make();
    const store = open();
    const empty = await store.observe();
    const state = stateAfter(empty, 1);
    const swap = await store.swap(empty, entryOf(1), state);
    expect(swap.failure).toBeNull();
    for (const reader of [store, open()]) {
      const seen = await reader.observe();
      expect({ tip: seen.tip, seq: seen.seq }).toEqual({ tip: swap.oid, seq: 1 });
      expect(encodeState(seen.state)).toEqual(encodeState(state));
      expect(seen.state).toEqual(decodeState(encodeState(state), 'test'));
    }
  });

  test('a swap on an old observation, or on the empty log that is not empty any more: a failure, and nothing has changed', async () => {
    await failsOnOldObservations(make());
  });

  test('two stores over one log: each sees what the other did, and the slower of two swaps fails', async () => {
    const { open } = make();
    const [one, other] = [open(), open()];
    const before = await grow(one, 1);
    expect(await other.observe()).toEqual(before);
    expect((await other.swap(before, entryOf(2), stateAfter(before, 2))).failure).toBeNull();
    expect(
      (await one.swap(before, entryOf(2, nonceOf(77)), stateAfter(before, 7))).failure,
    ).toEqual(expect.any(String));
    const after = await one.observe();
    expect([...after.state.leases.keys()]).toEqual(['lease001', 'lease002']);
    expect(await other.observe()).toEqual(after);
  });

  test('four swaps on one observation, equal but for their nonces: exactly one takes effect, and it is the one that was told yes', async () => {
    const { open } = make();
    const empty = await open().observe();
    const swaps: Swap[] = [];
    for (const n of [1, 2, 3, 4])
      swaps.push(await open().swap(empty, entryOf(1, nonceOf(n)), stateAfter(empty, 1)));
    const won = swaps.filter(({ failure }) => failure === null);
    expect(won).toHaveLength(1);
    expect(new Set(swaps.map(({ oid }) => oid)).size).toBe(4);
    expect((await open().observe()).tip).toBe(won[0]?.oid);
  });
}

/** What is found in the log, and in which order. */
function finds(make: Kind['make']): void {
  test('an operation by its nonce: found from the tip back to the floor, and not at the floor or beyond', async () => {
    const { open } = make();
    const second = await grow(open(), 2);
    const fourth = await grow(open(), 2);
    const store = open();
    expect(await store.find(nonceOf(4), fourth, second.tip)).toMatchObject({
      oid: fourth.tip,
      entry: entryOf(4),
    });
    expect(await store.find(nonceOf(3), fourth, second.tip)).toMatchObject({ entry: entryOf(3) });
    expect(await store.find(nonceOf(2), fourth, second.tip)).toBeNull();
    expect(await store.find(nonceOf(2), fourth, null)).toMatchObject({
      oid: second.tip,
      entry: entryOf(2),
    });
    expect(await store.find(nonceOf(1), fourth, null)).toMatchObject({ entry: entryOf(1) });
    expect(await store.find(nonceOf(5), fourth, null)).toBeNull();
  });

  test.for([
    3, 24,
  ])('the history of %i operations: oldest first, whole or since a place', async (count) => {
    const { open } = make();
    const seen = await grow(open(), count);
    const store = open();
    const since = async (seq: number): Promise<readonly number[]> =>
      (await store.history(seen, seq)).map((entry) => entry.seq);
    const all = Array.from({ length: count }, (_, i) => i + 1);
    for (const seq of [0, 1, count - 2, count - 1, count])
      expect(await since(seq)).toEqual(all.slice(seq));
    const [first] = await store.history(seen, 0);
    expect(first).toMatchObject(entryOf(1));
    expect((await store.history(seen, 0)).at(-1)?.oid).toBe(seen.tip);
  });

  test('the history of the empty log: nothing', async () => {
    const store = make().open();
    expect(await store.history(await store.observe(), 0)).toEqual([]);
  });
}

/** What changes nothing. */
function stays(make: Kind['make']): void {
  test('packed and tidied up by git: read the same, found the same, and a swap goes on top', async () => {
    const { open, pack } = make();
    const store = open();
    const before = await grow(store, 20);
    pack();
    for (const reader of [store, open()]) {
      expect(await reader.observe()).toEqual(before);
      expect((await reader.history(before, 0)).map(({ seq }) => seq)).toEqual(
        Array.from({ length: 20 }, (_, i) => i + 1),
      );
      expect(await reader.find(nonceOf(3), before, null)).toMatchObject({ entry: entryOf(3) });
    }
    const after = await grow(open(), 1);
    expect({ seq: after.seq, size: after.state.leases.size }).toEqual({ seq: 21, size: 21 });
    expect(await store.observe()).toEqual(after);
  });

  test('the queue, the wait for a lock that nobody holds, and the upkeep of a short log: they change nothing', async () => {
    const { open } = make();
    const store = open();
    const before = await grow(store, 2);
    const leave = [await store.enter(false), await open().enter(true)];
    expect(await store.settle()).toEqual({ kind: 'again' });
    await store.maintain(before);
    for (const go of leave) go?.();
    expect(await open().observe()).toEqual(before);
  });
}
