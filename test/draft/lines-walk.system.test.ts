/** Random walks of three sessions and a person in three files. COORD_SEED replays a walk. */
import { describe, expect, test } from 'vitest';
import { Walk } from './lines-walk.ts';

const given = process.env['COORD_SEED'];
const seeds = given === undefined ? [1, 2, 3] : given.split(',').map(Number);
const steps = Number(process.env['COORD_STEPS'] ?? 40);

describe('a random walk of three sessions and a person in three files', () => {
  test.for(seeds)('COORD_SEED=%d: each commits their own lines', { timeout: 600_000 }, (seed) => {
    const walk = new Walk(seed);
    for (let i = 0; i < steps && walk.problems.length === 0; i++) walk.step();
    walk.end();
    expect(walk.problems, walk.did.join('\n')).toEqual([]);
  });
});
