/**
 * What protects a holder is the holder's: grace, stalled-after and break-after go with the lease.
 */

import { describe, expect, test } from 'vitest';
import { readLease } from '../../src/core/lease-record.ts';
import { limits } from '../../src/core/limits.ts';
import { settingsFrom } from '../../src/core/settings.ts';
import { MemoryLog, MemoryLogStore } from '../../src/log/memory-log-store.ts';
import type { Report } from '../../src/render/report.ts';
import { breakLease, claim, reserve } from '../support/rendered.ts';
import { HandClock, type TestWorld, worldOf } from '../support/world.ts';

const minute = 60_000;
const impatient = { 'coord.grace': '0s', 'coord.stalledafter': '0s', 'coord.breakafter': '0s' };
const patient = { 'coord.grace': '9m', 'coord.stalledafter': '3h', 'coord.breakafter': '20m' };

interface Two {
  readonly holder: TestWorld;
  readonly taker: TestWorld;
  readonly clock: HandClock;
  readonly log: MemoryLog;
}

/** Two agents of one log, each with settings of its own. */
function two(
  ofHolder: Readonly<Record<string, string>>,
  ofTaker: Readonly<Record<string, string>>,
): Two {
  const [log, clock] = [new MemoryLog(), new HandClock()];
  const world = (
    name: string,
    seed: number,
    said: Readonly<Record<string, string>>,
  ): TestWorld => ({
    ...worldOf(name, new MemoryLogStore(log), clock, seed),
    settings: settingsFrom(new Map(Object.entries(said))),
  });
  return { holder: world('ann', 1, ofHolder), taker: world('bob', 2, ofTaker), clock, log };
}

const idOf = ({ facts }: Report): string =>
  (facts['leases'] as readonly { readonly id: string }[])[0]?.id ?? '';
const kindOf = ({ facts, result }: Report): unknown =>
  (facts['refusal'] as { readonly kind?: string } | undefined)?.kind ?? result;

describe('what protects a holder', () => {
  test("grace: the taker's setting frees nothing early [U13]", async () => {
    const { holder, taker, clock } = two({}, impatient);
    await reserve(holder, ['src/a'], { ttlMs: minute });
    clock.pass(minute + limits.graceMs - 1_000);
    expect(kindOf(await reserve(taker, ['src/a'], {}))).toBe('grace');
    clock.pass(2_000);
    expect(kindOf(await reserve(taker, ['src/a'], {}))).toBe('granted');
  });

  test("break-after: the taker's setting breaks nothing early [U13]", async () => {
    const { holder, taker, clock } = two({}, impatient);
    const lease = idOf(await reserve(holder, ['src/a'], {}));
    clock.pass(limits.breakMs - 1_000);
    expect(kindOf(await breakLease(taker, lease, 'I want it'))).toBe('too_early');
    clock.pass(2_000);
    expect(kindOf(await breakLease(taker, lease, 'I want it'))).toBe('broken');
  });

  test("stalled-after: the taker's setting takes no claim early [U13]", async () => {
    const { holder, taker, clock } = two({}, impatient);
    await claim(holder, 'bd-1', { ttlMs: 5 * 60 * minute });
    clock.pass(limits.stalledMs - 1_000);
    expect(kindOf(await claim(taker, 'bd-1', { take: true }))).toBe('held');
    clock.pass(2_000);
    expect(kindOf(await claim(taker, 'bd-1', { take: true }))).toBe('granted');
  });

  test('a holder that asks for more has more, also where the taker knows nothing of it', async () => {
    const { holder, taker, clock } = two(patient, {});
    const lease = idOf(await reserve(holder, ['src/a'], { ttlMs: minute }));
    clock.pass(9 * minute);
    expect(kindOf(await reserve(taker, ['src/a'], {}))).toBe('grace');
    expect(kindOf(await breakLease(taker, lease, 'I want it'))).toBe('too_early');
    clock.pass(2 * minute);
    expect(kindOf(await reserve(taker, ['src/a'], {}))).toBe('granted');
  });

  test('a holder that asks for less has less', async () => {
    const { holder, taker, clock } = two(impatient, impatient);
    await reserve(holder, ['src/a'], { ttlMs: minute });
    clock.pass(minute + 1_000);
    expect(kindOf(await reserve(taker, ['src/a'], {}))).toBe('granted');
  });

  test("a taker's own settings can only make it longer", async () => {
    const { holder, taker, clock } = two(impatient, patient);
    await reserve(holder, ['src/a'], { ttlMs: minute });
    clock.pass(8 * minute);
    expect(kindOf(await reserve(taker, ['src/a'], {}))).toBe('grace');
  });

  test('nobody can ask for more than the caps', async () => {
    const most = { 'coord.grace': '24h', 'coord.stalledafter': '24h', 'coord.breakafter': '24h' };
    const { holder, taker, clock } = two(most, {});
    const lease = idOf(await reserve(holder, ['src/a'], { ttlMs: minute }));
    await claim(holder, 'bd-1', { ttlMs: 23 * 60 * minute });
    clock.pass(minute + limits.graceMaxMs + 1_000);
    expect(kindOf(await reserve(taker, ['src/a'], {}))).toBe('granted');
    const again = idOf(await reserve(holder, ['src/b'], { ttlMs: 5 * 60 * minute }));
    clock.pass(limits.breakMaxMs + 1_000);
    expect(lease !== again).toBe(true);
    expect(kindOf(await breakLease(taker, again, 'gone'))).toBe('broken');
    clock.pass(limits.stalledMaxMs);
    expect(kindOf(await claim(taker, 'bd-1', { take: true }))).toBe('granted');
  });

  test('the log has it only where it is not as usual, and believes no more than the caps', async () => {
    const { holder, taker, log } = two(patient, {});
    await reserve(holder, ['src/a'], {});
    await reserve(taker, ['src/b'], {});
    const rows = (log.entries.at(-1)?.files.leases ?? '')
      .split('\n')
      .filter((row) => row !== '')
      .map((row) => JSON.parse(row) as Record<string, any>);
    const of = (name: string): Record<string, any> | undefined =>
      rows.find(({ agent }) => agent.name === name);
    expect(of('ann')?.['protection']).toEqual({
      grace: 540,
      stalledAfter: 10_800,
      breakAfter: 1_200,
    });
    expect(of('bob')?.['protection']).toBeUndefined();
    const forged = readLease({
      ...of('ann'),
      protection: { grace: 1e9, stalledAfter: 1e9, breakAfter: 1e9 },
    });
    expect(forged?.protection).toEqual({
      graceMs: limits.graceMaxMs,
      stalledMs: limits.stalledMaxMs,
      breakMs: limits.breakMaxMs,
    });
  });
});
