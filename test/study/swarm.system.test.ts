/**
 * Long runs from seeds: machines with clocks of their own, deaths, faults, jumps of the wall clock.
 * What is judged after every step: no conflicting leases in any prefix (promise 1), one winner (3),
 * true answers, each with one effect (4), no trust in any wall clock nor in another machine's (5),
 * nothing back to life (7), growing tokens (8); and in the end everything becomes free (10).
 *
 * COORD_SEED=17 npx vitest run test/study/swarm.system.test.ts plays one seed again.
 */
import { describe, expect, test } from 'vitest';
import { type SwarmOptions, type SwarmRun, swarm } from '../../src/study/swarm.ts';
import { seeded, seededRandom } from '../support/world.ts';

const fixed = Array.from({ length: 60 }, (_, i) => i + 1);
const replayed = process.env['COORD_SEED'];
const seeds = replayed === undefined ? fixed : [Number(replayed)];

const options: Omit<SwarmOptions, 'seed' | 'wallJumps'> = {
  chance: seeded,
  random: seededRandom,
  deeds: 200,
  modes: ['exclusive', 'exclusive', 'shared'],
};

const ofLines: typeof options = { ...options, modes: ['lines', 'lines', 'exclusive', 'shared'] };

const runs = new Map<string, Promise<SwarmRun>>();

function runOf(seed: number, wallJumps: boolean): Promise<SwarmRun> {
  const key = `${seed} ${wallJumps}`;
  const run = runs.get(key) ?? swarm({ ...options, seed, wallJumps });
  runs.set(key, run);
  return run;
}

describe('long runs', () => {
  test.for(
    seeds,
  )('COORD_SEED=%i: every prefix of the log and every answer holds, and years of wall-clock jumps change no decision', async (seed) => {
    const jumped = await runOf(seed, true);
    expect(jumped.problems, `COORD_SEED=${seed} ${jumped.plan}\n${jumped.trace}`).toEqual([]);
    const still = await runOf(seed, false);
    expect(still.decisions).toEqual(jumped.decisions);
  });

  test.for(
    seeds,
  )('COORD_SEED=%i, with lines in a work tree of each machine: the same', async (seed) => {
    const jumped = await swarm({ ...ofLines, seed, wallJumps: true });
    expect(jumped.problems, `COORD_SEED=${seed} ${jumped.plan}\n${jumped.trace}`).toEqual([]);
    const still = await swarm({ ...ofLines, seed, wallJumps: false });
    expect(still.decisions).toEqual(jumped.decisions);
  });

  test('all fixed seeds together: they meet every kind of answer and of ending', async () => {
    const met = new Set<string>();
    for (const seed of fixed) {
      for (const decision of (await runOf(seed, true)).decisions)
        met.add(decision.split(' -> ')[1]?.split(' ')[0] ?? '');
    }
    expect([...met]).toEqual(
      expect.arrayContaining([
        'granted',
        'refused:held',
        'refused:grace',
        'refused:timeout',
        'refused:deadlock',
        'refused:expired',
        'refused:not_owner',
        'refused:nothing_matched',
        'renewed',
        'released',
        'transferred',
        'broken',
        'swept',
        'ended',
        'free',
        'mine',
        'held',
        'unknown_outcome',
      ]),
    );
  });

  test('one seed twice: the same run, operation for operation', async () => {
    const once = await swarm({ ...options, seed: 5, wallJumps: true });
    expect(await runOf(5, true)).toEqual(once);
    expect(once.operations).toBeGreaterThan(20);
  });
});
