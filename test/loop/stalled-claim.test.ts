/** A claim whose agent works on no file. */
import { describe, expect, test } from 'vitest';
import { MemoryLogStore } from '../../src/log/memory-log-store.ts';
import { stayActive } from '../../src/loop/activity.ts';
import { claim, release, reserve } from '../support/rendered.ts';
import { worldOf } from '../support/world.ts';
import { kindOf, minute, team, told, works } from './team.ts';

describe('a claim that stalls', () => {
  test('after an hour without file activity it is shown and may be taken, with a word to its holder; before that it may not [SYS-5]', async () => {
    const t = await team();
    await claim(t.ann, 'bd-1', {});
    await works(t.ann, 60);
    expect(kindOf(await claim(t.bob, 'bd-1', { take: true }))).toBe('held');
    await works(t.ann, 1);
    expect(kindOf(await claim(t.bob, 'bd-1', {}))).toBe('held');
    expect(await claim(t.bob, 'bd-1', { take: true, reason: 'it has to go on' })).toMatchObject({
      ok: true,
    });
    expect(told(t, 'ann').at(-1)).toMatch(
      /^you had stalled, and bob \(\w{8}\) has taken bead bd-1 over: it has to go on/,
    );
  });

  test('edits keep it going, also those of a child; other calls do not', async () => {
    const t = await team();
    const kid = worldOf('ann/kid', new MemoryLogStore(t.log), t.clock, 9);
    await claim(t.ann, 'bd-1', {});
    await works(t.ann, 40);
    await reserve(kid, ['src/b'], { edited: true });
    await release(kid, { by: 'all' });
    await works(t.ann, 40);
    expect(kindOf(await claim(t.bob, 'bd-1', { take: true }))).toBe('held');
    await works(t.ann, 21);
    expect(await claim(t.bob, 'bd-1', { take: true })).toMatchObject({ ok: true });
  });

  test('commits and moves of a stage keep it going [U7]', async () => {
    const t = await team();
    await claim(t.ann, 'bd-1', {});
    await works(t.ann, 40);
    t.clock.pass(minute);
    await stayActive(t.ann, true);
    await works(t.ann, 59);
    expect(kindOf(await claim(t.bob, 'bd-1', { take: true }))).toBe('held');
    await stayActive(t.ann, false);
    await works(t.ann, 2);
    expect(await claim(t.bob, 'bd-1', { take: true })).toMatchObject({ ok: true });
  });

  test('an agent works on eight beads at most', async () => {
    const t = await team();
    for (let i = 0; i < 8; i += 1) expect((await claim(t.bob, `bd-${i}`, {})).ok).toBe(true);
    expect((await claim(t.bob, 'bd-8', {})).facts['refusal']).toMatchObject({
      kind: 'cap',
      scope: 'claims',
    });
  });
});
