/**
 * Production code under every interleaving of its reads and swaps. A row says who does what, on
 * what log, and exactly which endings there may be; each of them has to be met, so that a schedule
 * that explores nothing fails too.
 */
import { describe, expect, test } from 'vitest';
import { releasing, reserving } from '../../src/study/deeds.ts';
import { all, endingsOf, held, names, oneOf, sceneOf, standing } from './casts.ts';

describe('every interleaving of agents that ask for what only one can have', () => {
  // Whoever swaps first, each of the others looked either before or after: n winners, 2 ways for
  // each loser.
  test.for([
    [2, 4],
    [3, 12],
    [4, 32],
  ] as const)('%i agents with overlapping patterns: exactly one is granted, whoever it is, in %i or more orders that differ', async ([
    count,
    orders,
  ]) => {
    const cast = Object.fromEntries(
      names.slice(0, count).map((name, i) => [name, [reserving([all[i] ?? ''])]]),
    );
    const found = await endingsOf(await sceneOf(cast), (played) =>
      expect(standing(played)).toHaveLength(1),
    );
    expect(found.endings).toEqual(oneOf(count));
    expect(found.complete).toBeGreaterThanOrEqual(orders);
  });

  test('4 agents with one and the same request: exactly one is granted', async () => {
    const cast = Object.fromEntries(names.map((name) => [name, [held]]));
    expect((await endingsOf(await sceneOf(cast))).endings).toEqual(oneOf(4));
  });

  test('two agents in every order of their steps, reads too: the same endings as without the orders that cannot differ', async () => {
    const cast = {
      ann: [reserving(['src/*.ts']), releasing(['src/*.ts'])],
      bob: [reserving(['src/a.ts'])],
    };
    const reduced = await endingsOf(await sceneOf(cast));
    const whole = await endingsOf(await sceneOf(cast, {}, { everyRun: true }));
    expect(whole.endings).toEqual(reduced.endings);
    expect(whole.redundant).toBe(0);
    expect(whole.complete).toBeGreaterThan(10 * reduced.complete);
  });
});
