/** Whatever an agent does keeps what it holds. */
import { describe, expect, test } from 'vitest';
import { decideActive } from '../../src/core/decide/renew.ts';
import { MemoryLogStore } from '../../src/log/memory-log-store.ts';
import { operate } from '../../src/loop/operate.ts';
import { reserve } from '../support/rendered.ts';
import { type TestWorld, worldOf } from '../support/world.ts';
import { kindOf, minute, team } from './team.ts';

describe('activity of any kind', () => {
  test('renews what an agent holds, and what its parent holds while it works; at most once a minute, and writes nothing else', async () => {
    const t = await team();
    const kid = worldOf('ann/kid', new MemoryLogStore(t.log), t.clock, 9);
    await reserve(kid, ['src/k'], {});
    const entries = t.log.entries.length;
    const isHere = (world: TestWorld): Promise<unknown> =>
      operate(world, (now, c) => decideActive(world.caller(), now, c));
    await isHere(kid);
    expect(t.log.entries.length).toBe(entries);
    for (let i = 0; i < 40; i += 1) {
      t.clock.pass(minute);
      await isHere(kid);
    }
    expect(t.log.entries.length).toBe(entries + 40);
    expect(kindOf(await reserve(t.bob, ['src/a'], {}))).toBe('held');
    t.clock.pass(18 * minute);
    expect(kindOf(await reserve(t.bob, ['src/a'], {}))).toBe('granted');
  });
});
