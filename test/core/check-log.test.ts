/** The checker of logs, on true ones and on every kind of false one. */

import { describe, expect, test } from 'vitest';
import { checkLog, type Stand } from '../../src/core/check-log.ts';
import type { Entry } from '../../src/core/entry.ts';
import type { Lease } from '../../src/core/lease.ts';
import { limits } from '../../src/core/limits.ts';
import { MemoryLog, MemoryLogStore } from '../../src/log/memory-log-store.ts';
import { breakLease } from '../../src/loop/hand-over.ts';
import { release, transfer } from '../../src/loop/hold.ts';
import { reserve } from '../../src/loop/take.ts';
import { standsOf } from '../../src/study/stands.ts';
import { HandClock, type TestWorld, worldOf } from '../support/world.ts';

interface Told {
  readonly log: MemoryLog;
  readonly clock: HandClock;
  readonly worlds: Readonly<Record<'ann' | 'bob' | 'kid', TestWorld>>;
}

function beginning(): Told {
  const log = new MemoryLog();
  const clock = new HandClock();
  const world = (name: string, seed: number): TestWorld =>
    worldOf(name, new MemoryLogStore(log), clock, seed);
  return {
    log,
    clock,
    worlds: { ann: world('ann', 1), bob: world('bob', 2), kid: world('ann/kid', 3) },
  };
}

/**
 * Ann takes src, her child a part of it, bob docs; ann gives src away, bob's docs are broken; then
 * much time passes.
 */
async function story(): Promise<readonly Stand[]> {
  const {
    log,
    clock,
    worlds: { ann, bob, kid },
  } = beginning();
  await reserve(ann, ['src/**'], {});
  await reserve(kid, ['src/a.ts'], {});
  await reserve(bob, ['docs/**'], {});
  await release(kid, { by: 'all' });
  await transfer(ann, { by: 'all' }, 'bob', '');
  const docs = [...(standsOf(log).at(-1)?.state.leases.values() ?? [])].find(
    (lease) => lease.kind === 'reservation' && lease.patterns[0] === 'docs/**',
  );
  clock.pass(300_000);
  await breakLease(ann, docs?.id ?? '', 'needed now');
  clock.pass(limits.ttlMs + limits.graceMs + 1);
  await reserve(ann, ['src/a.ts'], {});
  return standsOf(log);
}

/** Ann has lines of src in one work tree, bob the docs. */
async function storyOfLines(): Promise<readonly Stand[]> {
  const {
    log,
    worlds: { ann, bob },
  } = beginning();
  await reserve({ ...ann, workTree: () => 'treehere' }, ['src/**'], { mode: 'lines' });
  await reserve(bob, ['docs/**'], {});
  return standsOf(log);
}

/** The log with its n-th entry changed. */
function altered(
  log: readonly Stand[],
  n: number,
  change: (stand: Stand) => Stand,
): readonly Stand[] {
  return log.map((stand, i) => (i === n ? change(stand) : stand));
}

function withLeases(stand: Stand, change: (leases: Lease[]) => Lease[]): Stand {
  return {
    ...stand,
    state: {
      ...stand.state,
      leases: new Map(change([...stand.state.leases.values()]).map((lease) => [lease.id, lease])),
    },
  };
}

function leaseOf(stand: Stand | undefined, name: string): Lease {
  const lease = [...(stand?.state.leases.values() ?? [])].find(({ agent }) => agent.name === name);
  if (lease === undefined) throw new Error(`${name} holds nothing`);
  return lease;
}

const eve = { id: 'eeeeeeee', name: 'eve' };

type Plant = (log: readonly Stand[]) => readonly Stand[];

/** Changes the leases that stand after the n-th entry. */
function planted(n: number, change: (leases: Lease[], log: readonly Stand[]) => Lease[]): Plant {
  return (log) => altered(log, n, (stand) => withLeases(stand, (all) => change(all, log)));
}

/** Changes the n-th entry itself. */
function miswritten(
  n: number,
  change: (entry: Entry, log: readonly Stand[]) => Partial<Entry>,
): Plant {
  return (log) =>
    altered(log, n, (stand) => ({
      ...stand,
      entry: { ...stand.entry, ...change(stand.entry, log) },
    }));
}

function retold(lease: Lease, name: string, token: number): Lease {
  return lease.agent.name === name ? { ...lease, token } : lease;
}

const silent = (): Partial<Entry> => ({ events: [] });

const plants: readonly (readonly [string, string, Plant])[] = [
  [
    'a second holder of what ann has',
    'stands beside',
    planted(2, (all, log) => [...all, { ...leaseOf(log[2], 'ann'), id: 'eeeeeee1', agent: eve }]),
  ],
  [
    'a reader beside a writer',
    'stands beside',
    planted(2, (all, log) => [
      ...all,
      { ...leaseOf(log[2], 'ann'), id: 'eeeeeee1', agent: eve, mode: 'shared' },
    ]),
  ],
  ['an operation that is missing', 'it follows', (log) => log.filter((_, i) => i !== 3)],
  ['a place that is used twice', 'it follows', miswritten(3, () => ({ seq: 3 }))],
  [
    'a nonce that is used twice',
    'has been used before',
    miswritten(3, (_, log) => ({ nonce: log[0]?.entry.nonce ?? '' })),
  ],
  [
    'a grant with an old token',
    'got token 1, after token 2',
    planted(2, (all) => all.map((lease) => retold(lease, 'bob', 1))),
  ],
  [
    'a grant with a token from the future',
    'got token 99',
    planted(2, (all) => all.map((lease) => retold(lease, 'bob', 99))),
  ],
  [
    'a lease in new hands under its old token',
    'got token 1, after token 3',
    planted(4, (all) => all.map((lease) => (lease.token === 5 ? { ...lease, token: 1 } : lease))),
  ],
  [
    'a lease that ended and is back',
    'had ended and is back',
    planted(5, (all, log) => [...all, leaseOf(log[1], 'ann/kid')]),
  ],
  ['a lease that is gone and no event says so', 'is gone without a word', miswritten(3, silent)],
  ['a lease that is there and no event says so', 'is there without a word', miswritten(2, silent)],
  [
    'a lease in other hands and no event says so',
    'has changed hands without a word',
    miswritten(4, silent),
  ],
  [
    'a break without a reason',
    'for no reason',
    miswritten(5, ({ events }) => ({ events: events.map((event) => ({ ...event, reason: '' })) })),
  ],
];

describe('the checker of logs', () => {
  test('a log with grants, a release, a transfer, a break and an expiry: no problem', async () => {
    const log = await story();
    expect(log.flatMap(({ entry }) => entry.events.map(({ event }) => event))).toEqual(
      expect.arrayContaining(['acquired', 'released', 'transferred', 'broken', 'expired']),
    );
    expect(checkLog(log)).toEqual([]);
  });

  test.for(plants)('%s: found (%s)', async ([, problem, plant]) => {
    expect(checkLog(plant(await story()))).toContainEqual(expect.stringContaining(problem));
  });
});

describe('the checker of logs, where lines are held', () => {
  const problem = 'stands beside';
  /** Eve holds src/a.ts like this, beside lines of src in `treehere`. */
  const beside = (how: Partial<Lease>): Plant =>
    planted(1, (all, log) => {
      const { workTree: _, ...lease } = leaseOf(log[0], 'ann');
      return [...all, { ...lease, id: 'eeeeeee1', agent: eve, ...how } as Lease];
    });
  const about = (plant: Plant) => async (): Promise<readonly string[]> =>
    checkLog(plant(await storyOfLines())).filter((found) => found.includes(problem));

  test('lines of one work tree beside each other: no problem', async () => {
    expect(checkLog(await storyOfLines())).toEqual([]);
    expect(await about(beside({ mode: 'lines', workTree: 'treehere' }))()).toEqual([]);
  });

  test.for<readonly [string, Partial<Lease>]>([
    ['lines of another work tree', { mode: 'lines', workTree: 'treethere' }],
    ['lines of no work tree', { mode: 'lines' }],
    ['all of it', { mode: 'exclusive', workTree: 'treehere' }],
    ['all of it to read', { mode: 'shared', workTree: 'treehere' }],
  ])('%s beside them: found', async ([, how]) => {
    expect(await about(beside(how))()).toHaveLength(1);
  });

  test('two of no work tree: found', async () => {
    const both: Plant = (log) =>
      altered(beside({ mode: 'lines' })(log), 1, (stand) =>
        withLeases(stand, (all) => all.map(({ workTree: _, ...lease }) => lease as Lease)),
      );
    expect(await about(both)()).toHaveLength(1);
  });

  test('lines that move to another work tree: found', async () => {
    const log = beside({ mode: 'lines', workTree: 'treehere' })(await storyOfLines());
    const last = log.at(-1) as Stand;
    const moved = withLeases(
      { ...last, entry: { ...last.entry, seq: last.entry.seq + 1 } },
      (all) =>
        all.map((lease) => (lease.agent === eve ? { ...lease, workTree: 'treethere' } : lease)),
    );
    expect(checkLog([...log, moved])).toContainEqual(expect.stringContaining(problem));
  });
});
