/** Breaking a lease: only once its holder has had time to speak. */
import { describe, expect, test } from 'vitest';
import { answer, ask, breakLease } from '../support/rendered.ts';
import { kindOf, minute, requestOf, team, told, works } from './team.ts';

describe('breaking a lease', () => {
  test('is refused while its holder is at work, and says when and what first', async () => {
    const t = await team();
    await works(t.ann, 3);
    const refused = await breakLease(t.bob, t.lease, 'mine');
    expect(kindOf(refused)).toBe('too_early');
    expect(refused.facts['next']).toBe(`coord ask ${t.lease} --reason '<why>'`);
  });

  test('is allowed once its holder has shown no activity for five minutes, not before', async () => {
    const t = await team();
    t.clock.pass(5 * minute - 1);
    expect(kindOf(await breakLease(t.bob, t.lease, 'gone'))).toBe('too_early');
    t.clock.pass(1);
    expect(kindOf(await breakLease(t.bob, t.lease, 'gone'))).toBe('broken');
  });

  test.for([
    [false, 10],
    [true, 5],
  ] as const)('urgent %s: ten or five minutes after a request that nobody answered, by who asked', async ([
    urgent,
    minutes,
  ]) => {
    const t = await team();
    await ask(t.bob, t.lease, 'why', urgent);
    await works(t.ann, minutes - 1);
    expect(kindOf(await breakLease(t.bob, t.lease, 'no answer'))).toBe('too_early');
    await works(t.ann, 1);
    expect(kindOf(await breakLease(t.eve, t.lease, 'no answer'))).toBe('too_early');
    expect(kindOf(await breakLease(t.bob, t.lease, 'no answer'))).toBe('broken');
  });

  test('a promise holds although its holder is not seen meanwhile', async () => {
    const t = await team();
    await answer(t.ann, requestOf(await ask(t.bob, t.lease, 'why', true)), 'defer', {
      etaMs: 10 * minute,
    });
    t.clock.pass(10 * minute - 1);
    expect(kindOf(await breakLease(t.bob, t.lease, 'gone'))).toBe('too_early');
    t.clock.pass(1);
    expect(kindOf(await breakLease(t.bob, t.lease, 'gone'))).toBe('broken');
  });

  test('a promise holds until its time, a refusal for good', async () => {
    const t = await team();
    const asked = await ask(t.bob, t.lease, 'why', false);
    await answer(t.ann, requestOf(asked), 'defer', { etaMs: 12 * minute });
    await works(t.ann, 11);
    expect(kindOf(await breakLease(t.bob, t.lease, 'no answer'))).toBe('too_early');
    await works(t.ann, 1);
    expect(kindOf(await breakLease(t.bob, t.lease, 'no answer'))).toBe('broken');
    const u = await team();
    await answer(u.ann, requestOf(await ask(u.bob, u.lease, 'why', false)), 'decline', {
      reason: 'in the middle of it',
    });
    await works(u.ann, 12);
    expect(kindOf(await breakLease(u.bob, u.lease, 'no answer'))).toBe('too_early');
    expect(told(u, 'bob')).toEqual([expect.stringContaining('keeps src/a: in the middle of it')]);
  });
});
