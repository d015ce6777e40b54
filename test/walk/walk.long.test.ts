/**
 * The walk with a model at length, and the planted bugs that prove it can fail: with COORD_LONG=1.
 * COORD_WALK_SUMMARY names a file for the counters; COORD_SEED (a list) and COORD_WALK_STEPS change
 * its length.
 */
import { writeFileSync } from 'node:fs';
import { afterAll, describe, expect, test } from 'vitest';
import { allSteps } from './plan.ts';
import { plant, planted } from './planted.ts';
import { asJson, asText, lineOf, merged, type Tally } from './tally.ts';
import { Walk } from './walk.ts';

const { env } = process;
const isLong = env['COORD_LONG'] === '1';
const seeds = (env['COORD_SEED'] ?? '1,2,3,4,5,6,7,8,9,10').split(',').map(Number);
const steps = Number(env['COORD_WALK_STEPS'] ?? 10_000);
const timeout = 4 * 3_600_000;

describe('the walk with a model, at length', () => {
  const tallies: Tally[] = [];

  afterAll(() => {
    if (env['COORD_WALK_SUMMARY'] !== undefined && tallies.length > 0) {
      writeFileSync(env['COORD_WALK_SUMMARY'], JSON.stringify(asJson(merged(tallies), seeds)));
    }
  });

  test.runIf(isLong).for(seeds)(`COORD_SEED=%s: ${steps} steps`, { timeout }, async (seed) => {
    const tally = await new Walk({ seed, steps, renews: true }).run();
    tallies.push(tally);
    const { found } = tally;
    expect(
      found.map(lineOf),
      found
        .slice(0, 5)
        .map((one) => asText(one))
        .join('\n\n'),
    ).toEqual([]);
  });

  test.runIf(isLong && steps * seeds.length >= 100_000)(
    'every command was done often enough',
    () => {
      const { steps: counts } = merged(tallies);
      const rare = allSteps.filter(({ label }) => {
        const one = counts.get(label);
        return one === undefined || one.went + one.refusedByGit + one.refusedByCoord < 200;
      });
      expect(rare.map(({ label }) => label)).toEqual([]);
    },
  );

  test.runIf(isLong).for(planted)('planted bug: $rule', { timeout }, async ({ edits, finds }) => {
    const copy = plant(edits);
    const found: string[] = [];
    for (const seed of seeds.slice(0, 3)) {
      const tally = await new Walk({
        seed,
        steps: 1_000,
        program: copy.program,
        stops: finds,
        renews: true,
      }).run();
      found.push(...tally.found.map(lineOf));
      if (found.some((line) => finds.test(line))) break;
    }
    copy.end();
    expect(found.filter((line) => finds.test(line))).not.toEqual([]);
  });

  test('a planted bug that has lost its place in the program is not taken for planted', () => {
    expect(() =>
      plant([{ file: 'dist/guard/evaluate.js', inFunction: 'noSuchFunction', does: 'return;' }]),
    ).toThrow(/put elsewhere/);
    for (const { edits } of planted) plant(edits).end();
  });
});
