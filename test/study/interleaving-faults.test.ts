/** Every order with one fault at every swap that it could be at. */
import { describe, expect, test } from 'vitest';
import { releasing, reserving, transferring } from '../../src/study/deeds.ts';
import { ChosenFaults, type Fault } from '../../src/study/faulty-log-store.ts';
import { all, endingsOf, held, names, oneOf, sceneOf, standing } from './casts.ts';

const crashes: readonly Fault[] = ['crash-before', 'crash-after'];

describe('every interleaving with one fault at every swap it could be at', () => {
  test.for([
    2, 3,
  ])('%i agents, one of them killed at a swap: exactly one lease stands, and no survivor was told wrongly', async (count) => {
    const cast = Object.fromEntries(
      names.slice(0, count).map((name, i) => [name, [reserving([all[i] ?? ''])]]),
    );
    const scene = await sceneOf(
      cast,
      {},
      { faults: (choices) => new ChosenFaults(choices, crashes, 1) },
    );
    const found = await endingsOf(scene, (played) => {
      expect(standing(played), played.trace).toHaveLength(1);
      expect(
        [...played.results.values()].filter(([word]) => word === 'granted').length,
      ).toBeLessThanOrEqual(1);
    });
    for (const name of names.slice(0, count))
      expect(found.endings.some((ending) => ending.includes(`${name} killed`))).toBe(true);
  });

  test('a holder killed while it releases, and two who want it: one holder at most, and nobody lost it without a word', async () => {
    const scene = await sceneOf(
      { ann: [releasing(['src/a.ts'])], bob: [held], cy: [held] },
      { done: [['ann', held]] },
      { faults: (choices) => new ChosenFaults(choices, crashes, 1) },
    );
    const found = await endingsOf(scene, (played) =>
      expect(standing(played).length, played.trace).toBeLessThanOrEqual(1),
    );
    expect(found.endings).toContain('ann killed, bob refused:held, cy refused:held');
    expect(found.endings).toContain('ann killed, bob granted, cy refused:held');
  });

  test('a giver killed in a transfer, and a third who wants it: it stands with one of the two, never with the third', async () => {
    const before = {
      done: [
        ['ann', held],
        ['bob', reserving(['lib/**'])],
      ],
    } as const;
    const scene = await sceneOf(
      { ann: [transferring(['src/a.ts'], 'bob')], cy: [reserving(['src/*.ts'])] },
      before,
      { faults: (choices) => new ChosenFaults(choices, crashes, 1) },
    );
    const found = await endingsOf(scene, (played) =>
      expect(['ann src/a.ts,bob lib/**', 'bob lib/**,bob src/a.ts']).toContain(
        standing(played).join(),
      ),
    );
    expect(found.endings).toEqual([
      'ann killed, cy refused:held',
      'ann transferred, cy refused:held',
    ]);
  });

  test('3 agents, one swap whose answer is lost: one is granted and has it; whoever was told of a failure has nothing', async () => {
    const cast = Object.fromEntries(
      names.slice(0, 3).map((name, i) => [name, [reserving([all[i] ?? ''])]]),
    );
    const scene = await sceneOf(
      cast,
      {},
      { faults: (choices) => new ChosenFaults(choices, ['lost-reply'], 1) },
    );
    const found = await endingsOf(scene, (played) => {
      const granted = [...played.results]
        .filter(([, [word]]) => word === 'granted')
        .map(([name]) => name);
      expect(
        standing(played).map((lease) => lease.split(' ')[0]),
        played.trace,
      ).toEqual(granted);
      expect(granted).toHaveLength(1);
    });
    expect(found.endings).toEqual(expect.arrayContaining(oneOf(3)));
  });

  test.for([
    'false-no',
    'false-yes',
    'busy',
  ] as const)('3 agents, one swap with %s: still exactly one is granted and the others are refused', async (fault) => {
    const cast = Object.fromEntries(
      names.slice(0, 3).map((name, i) => [name, [reserving([all[i] ?? ''])]]),
    );
    const found = await endingsOf(
      await sceneOf(cast, {}, { faults: (choices) => new ChosenFaults(choices, [fault], 1) }),
    );
    expect(found.endings).toEqual(oneOf(3));
  });

  test('2 agents, one of whom can read nothing after its swap: it is told that the outcome is unknown, and it may hold the lease', async () => {
    const scene = await sceneOf(
      { ann: [held], bob: [held] },
      {},
      { faults: (choices) => new ChosenFaults(choices, ['blind'], 1) },
    );
    const found = await endingsOf(scene, (played) => expect(standing(played)).toHaveLength(1));
    expect(found.endings).toContain('ann unknown_outcome, bob refused:held');
    expect(found.endings).not.toContain('ann unknown_outcome, bob unknown_outcome');
  });
});
