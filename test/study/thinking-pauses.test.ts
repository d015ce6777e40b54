/**
 * Patterns of work and pause, simulated: what an agent keeps while it thinks, when a dead one's
 * lease is free, and what steady work does to a TTL. A rival asks for the same all the time.
 */

import { describe, expect, test } from 'vitest';
import type { Lease } from '../../src/core/lease.ts';
import { limits } from '../../src/core/limits.ts';
import { MemoryLog, MemoryLogStore } from '../../src/log/memory-log-store.ts';
import type { World } from '../../src/loop/world.ts';
import { Machine, TrueTime } from '../../src/study/machine.ts';
import { simulatedWorld } from '../../src/study/scene.ts';
import { check, renew, reserve } from '../support/rendered.ts';
import { seeded, seededRandom } from '../support/world.ts';

const second = 1_000;
const minute = 60 * second;

interface Desk {
  readonly time: TrueTime;
  readonly holder: World;
  readonly rival: World;
  lease(): Promise<Lease | undefined>;
}

/**
 * A holder and a rival on one machine, or on two whose clocks have nothing to do with each other.
 */
function desk(rivalRate: number | 'here' = 'here'): Desk {
  const time = new TrueTime();
  const log = new MemoryLog();
  const here = new Machine(time, 'here');
  const there = rivalRate === 'here' ? here : new Machine(time, 'there', rivalRate);
  const world = (name: string, machine: Machine, seed: number): World =>
    simulatedWorld(
      name,
      new MemoryLogStore(log),
      { now: () => machine.now(), sleep: async (ms) => time.reach(time.ms + ms) },
      seededRandom(seed),
    );
  const store = new MemoryLogStore(log);
  return {
    time,
    holder: world('holder', here, 1),
    rival: world('rival', there, 2),
    lease: async () =>
      [...(await store.observe()).state.leases.values()].find(
        ({ agent }) => agent.name === 'holder',
      ),
  };
}

/** Asks every `everyMs` for this long; the true time of the first grant, or null. */
async function rivalGets(
  { time, rival }: Desk,
  forMs: number,
  everyMs: number,
): Promise<number | null> {
  const untilMs = time.ms + forMs;
  while (time.ms < untilMs) {
    time.ms = Math.min(untilMs, time.ms + everyMs);
    if ((await reserve(rival, ['src/a.ts'], {})).ok) return time.ms;
  }
  return null;
}

async function edits(holder: World, directory: string): Promise<readonly string[]> {
  const report = await renew(holder, [], undefined, [directory]);
  return report.ok ? ['renewed'] : [report.result];
}

describe('leases live as long as the work, and not much longer [SYS-3]', () => {
  test.for([
    1, 2, 3, 4,
  ])('thinking pauses of 5 to 10 minutes through a working day, seed %i: the rival never gets it, nothing is lost [SYS-3]', async (seed) => {
    const chance = seeded(seed);
    const here = desk();
    await reserve(here.holder, ['src/*.ts'], {});
    const first = await here.lease();
    while (here.time.ms < 8 * 60 * minute) {
      expect(await rivalGets(here, (5 + 5 * chance()) * minute, minute)).toBeNull();
      expect(await edits(here.holder, chance() < 0.5 ? 'src' : 'test')).toEqual(['renewed']);
    }
    expect(await here.lease()).toMatchObject({ id: first?.id, token: first?.token });
  });

  test('pauses of 10 minutes in which the agent only reserves something else: that renews all it holds [SYS-3]', async () => {
    const here = desk();
    await reserve(here.holder, ['src/*.ts'], {});
    for (let i = 0; i < 12; i += 1) {
      expect(await rivalGets(here, 10 * minute, minute)).toBeNull();
      await reserve(here.holder, [`docs/${i}.md`], {});
    }
    expect((await check(here.holder, ['src/a.ts'])).result).toBe('mine');
  });

  test('a pause a little longer than the TTL: in grace the holder takes it again, the rival does not get it [SYS-3]', async () => {
    const here = desk();
    await reserve(here.holder, ['src/*.ts'], {});
    expect(await rivalGets(here, limits.ttlMs + limits.graceMs / 2, minute)).toBeNull();
    expect((await reserve(here.holder, ['src/*.ts'], {})).result).toBe('granted');
    expect(await rivalGets(here, limits.ttlMs, minute)).toBeNull();
  });

  test.for([
    second,
    7 * second,
    minute,
  ])('a dead agent and a rival who asks every %i ms: free after TTL and grace, within one poll [SYS-3]', async (everyMs) => {
    const here = desk();
    await reserve(here.holder, ['src/*.ts'], {});
    const freeAt = await rivalGets(here, 2 * limits.ttlMs, everyMs);
    expect(freeAt).toBeGreaterThan(limits.ttlMs + limits.graceMs);
    expect(freeAt).toBeLessThanOrEqual(limits.ttlMs + limits.graceMs + everyMs);
  });

  test.for([
    0.91, 1, 1.1, 1.22,
  ])("a dead agent on another machine, the rival's clock at rate %f: never early, and free a quarter of TTL and grace later at most [SYS-3]", async (rate) => {
    const here = desk(rate);
    await reserve(here.holder, ['src/*.ts'], {});
    const firstAskedAt = second;
    const freeAt = await rivalGets(here, 3 * limits.ttlMs, second);
    expect(freeAt).toBeGreaterThanOrEqual(limits.ttlMs + limits.graceMs);
    expect(freeAt).toBeLessThanOrEqual(
      firstAskedAt +
        ((1 + limits.clockRateError) * (limits.ttlMs + limits.graceMs)) / rate +
        2 * second,
    );
  });

  test('an agent that dies after steady work: free after the doubled TTL and grace, not after a tripled one [SYS-3]', async () => {
    const here = desk();
    await reserve(here.holder, ['src/*.ts'], {});
    for (let i = 0; i < 20; i += 1) {
      here.time.ms += 5 * minute;
      await edits(here.holder, 'src');
    }
    const diedAt = here.time.ms;
    const freeAt = await rivalGets(here, 4 * limits.ttlMs, second);
    expect((freeAt ?? 0) - diedAt).toBeGreaterThan(limits.ttlSteadyMs + limits.graceMs);
    expect((freeAt ?? 0) - diedAt).toBeLessThanOrEqual(
      limits.ttlSteadyMs + limits.graceMs + second,
    );
  });
});

interface Edit {
  readonly afterMs: number;
  readonly in: string;
}

async function ttlsAfter(
  ttlMs: number | undefined,
  plan: readonly Edit[],
): Promise<readonly (number | undefined)[]> {
  const here = desk();
  await reserve(here.holder, ['src/*.ts'], { ttlMs });
  const ttls: (number | undefined)[] = [];
  for (const edit of plan) {
    here.time.ms += edit.afterMs;
    await edits(here.holder, edit.in);
    ttls.push((await here.lease())?.ttlMs);
  }
  return ttls.map((ms) => (ms === undefined ? ms : ms / minute));
}

describe('steady edits double a TTL once [SYS-3]', () => {
  test.for<[string, number | undefined, readonly Edit[], readonly number[]]>([
    [
      'two edits in one directory within a TTL',
      undefined,
      [
        { afterMs: 5 * minute, in: 'src' },
        { afterMs: 5 * minute, in: 'src' },
      ],
      [15, 30],
    ],
    [
      'six of them: still only once',
      undefined,
      Array.from({ length: 6 }, () => ({ afterMs: 5 * minute, in: 'src' })),
      [15, 30, 30, 30, 30, 30],
    ],
    [
      'two edits in different directories',
      undefined,
      [
        { afterMs: 5 * minute, in: 'src' },
        { afterMs: 5 * minute, in: 'docs' },
      ],
      [15, 15],
    ],
    [
      'two edits further apart than the TTL, the second in grace',
      undefined,
      [
        { afterMs: minute, in: 'src' },
        { afterMs: 16 * minute, in: 'src' },
      ],
      [15, 15],
    ],
    ['a single edit', undefined, [{ afterMs: minute, in: 'src' }], [15]],
    [
      'a TTL of 20 minutes: to 30, not to 40',
      20 * minute,
      [
        { afterMs: minute, in: 'src' },
        { afterMs: minute, in: 'src' },
      ],
      [20, 30],
    ],
    [
      'a TTL of 5 minutes: to 10',
      5 * minute,
      [
        { afterMs: minute, in: 'src' },
        { afterMs: minute, in: 'src' },
        { afterMs: minute, in: 'src' },
      ],
      [5, 10, 10],
    ],
    [
      'a TTL of 45 minutes, asked for: stays',
      45 * minute,
      [
        { afterMs: minute, in: 'src' },
        { afterMs: minute, in: 'src' },
      ],
      [45, 45],
    ],
  ])('%s [SYS-3]', async ([, ttlMs, plan, minutes]) => {
    expect(await ttlsAfter(ttlMs, plan)).toEqual(minutes);
  });
});
