/** The checkers of logs and of answers, each on a true one and on every kind of false one. */

import { describe, expect, test } from 'vitest';
import { checkLog, type Stand } from '../../src/core/check-log.ts';
import type { Entry } from '../../src/core/entry.ts';
import type { Lease } from '../../src/core/lease.ts';
import { limits } from '../../src/core/limits.ts';
import { MemoryLog, MemoryLogStore } from '../../src/log/memory-log-store.ts';
import { acquire, type Granted } from '../../src/loop/acquire.ts';
import { breakLease } from '../../src/loop/hand-over.ts';
import { release, transfer } from '../../src/loop/hold.ts';
import type { Outcome } from '../../src/loop/operation.ts';
import { reserve } from '../../src/loop/take.ts';
import { standsOf } from '../../src/study/stands.ts';
import { untruths } from '../../src/study/verdict.ts';
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

const asked = { want: { kind: 'reservation', patterns: ['src/a.ts'] }, mode: 'exclusive' } as const;

interface Answered {
  readonly stands: readonly Stand[];
  readonly granted: Outcome<Granted>;
  readonly refused: Outcome<Granted>;
}

async function answered(): Promise<Answered> {
  const {
    log,
    worlds: { ann, bob },
  } = beginning();
  const request = { ...asked, ttlMs: null, defaultTtlMs: limits.ttlMs, reason: '', anew: false };
  const granted = await acquire(ann, { ...request, caller: ann.caller() }, { waitMs: 0 });
  const refused = await acquire(bob, { ...request, caller: bob.caller() }, { waitMs: 0 });
  return { stands: standsOf(log), granted, refused };
}

describe('the checker of answers', () => {
  test('a grant and a refusal by production code: both true', async () => {
    const { stands, granted, refused } = await answered();
    expect(granted.kind).toBe('done');
    expect(refused.kind).toBe('refused');
    expect(untruths({ agent: 'ann', ...asked }, granted, stands)).toEqual([]);
    expect(untruths({ agent: 'bob', ...asked }, refused, stands)).toEqual([]);
  });

  test("a grant that is not in the log, that is somebody else's, or that is of something else: found", async () => {
    const { stands, granted } = await answered();
    if (granted.kind !== 'done') throw new Error('not granted');
    const lost: Outcome<Granted> = {
      ...granted,
      result: {
        ...granted.result,
        leases: granted.result.leases.map((lease) => ({ ...lease, id: '00000000' })),
      },
    };
    expect(untruths({ agent: 'ann', ...asked }, lost, stands)).toEqual([
      'ann was granted lease 00000000, which is not in the log',
    ]);
    expect(untruths({ agent: 'bob', ...asked }, granted, stands)).toContainEqual(
      expect.stringContaining('which is not in the log'),
    );
    const other = {
      agent: 'ann',
      want: { kind: 'reservation', patterns: ['lib/b.ts'] },
      mode: 'exclusive',
    } as const;
    expect(untruths(other, granted, stands)).toContainEqual(
      expect.stringContaining('which is not all that it asked for'),
    );
    expect(untruths({ agent: 'ann', ...asked }, granted, [])).toContainEqual(
      expect.stringContaining('which is not in the log'),
    );
  });

  test('a refusal over a lease that was not there or not in the way, or over nothing: found', async () => {
    const { stands, refused } = await answered();
    if (refused.kind !== 'refused' || refused.refusal.kind !== 'held')
      throw new Error('not refused');
    const [blocker] = refused.refusal.blockers;
    if (blocker === undefined) throw new Error('no blocker');
    const over = (blockers: readonly Lease[]): Outcome<Granted> => ({
      ...refused,
      refusal: { kind: 'held', blockers, ahead: [], retryInMs: 0 },
    });
    expect(
      untruths({ agent: 'bob', ...asked }, over([{ ...blocker, id: '00000000' }]), stands),
    ).toEqual(['bob was refused over lease 00000000, which was not in its way']);
    expect(
      untruths(
        { agent: 'bob', ...asked, want: { kind: 'reservation', patterns: ['lib/b.ts'] } },
        refused,
        stands,
      ),
    ).toHaveLength(1);
    expect(untruths({ agent: 'ann/kid', ...asked }, refused, stands)).toHaveLength(1);
    expect(untruths({ agent: 'bob', ...asked }, over([]), stands)).toEqual([
      'bob was refused, and nothing stood in its way',
    ]);
  });

  test('a circle of waits that does not close, or in which nobody waits: found', async () => {
    const { stands, refused } = await answered();
    const ann = { id: 'aaaaaaaa', name: 'ann' };
    const bob = { id: 'bbbbbbbb', name: 'bob' };
    const told = (
      cycle: readonly { readonly agent: typeof ann; readonly heldBy: typeof ann }[],
    ): Outcome<Granted> => ({
      kind: 'refused',
      at: refused.at,
      refusal: {
        kind: 'deadlock',
        blockers: [],
        cycle: cycle.map((edge) => ({ ...edge, kind: 'reservation', waitsFor: 'src/a.ts' })),
      },
    });
    const first = { agent: bob, heldBy: ann };
    for (const cycle of [
      [first],
      [first, { agent: ann, heldBy: ann }],
      [first, { agent: ann, heldBy: bob }],
    ]) {
      expect(untruths({ agent: 'bob', ...asked }, told(cycle), stands)).toEqual([
        'bob was told of a circle of waits that is none',
      ]);
    }
  });
});
