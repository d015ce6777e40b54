/**
 * What the log tells outlives its roots: notes that a writer has carried, and those that still wait
 * for one, are told after a new root as before it.
 */
import { describe, expect, test } from 'vitest';
import { type RealWorld, realWorld } from '../../src/agent/world.ts';
import { compact } from '../../src/log/maintain.ts';
import { repository, run, type TestRepository } from '../support/repository.ts';
import { seeded } from '../support/world.ts';
import { plant } from '../walk/planted.ts';

interface Told {
  readonly event: string;
  readonly patterns?: readonly string[];
  readonly id?: string;
}

function toldIn(stdout: string): readonly Told[] {
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Told);
}

/** Which refusals the log tells of, by what was asked for. */
function refusals(stdout: string): readonly string[] {
  return toldIn(stdout)
    .filter(({ event }) => event === 'conflict')
    .map(({ patterns = [] }) => patterns.join())
    .toSorted();
}

function worldOf(repo: TestRepository): RealWorld {
  return realWorld({ cwd: repo.top, env: repo.env, agent: 'ann' });
}

async function newRoot({ store, repository: of, clock }: RealWorld): Promise<void> {
  expect(await compact(store, of, await store.observe(), clock.now().at)).toBe(true);
}

/** Bob is refused again and again; in between somebody writes, or the log gets a new root. */
async function refuseAndCompact(repo: TestRepository, seed: number): Promise<readonly string[]> {
  const chance = seeded(seed);
  expect(repo.coord('ann', 'reserve', 'held').code).toBe(0);
  const asked: string[] = [];
  for (let i = 0; i < 40; i += 1) {
    const kind = chance();
    if (kind < 0.6) {
      const patterns = ['held', `x${i}`];
      expect(repo.coord('bob', 'reserve', ...patterns).code).toBe(1);
      asked.push(patterns.join());
    } else if (kind < 0.85) expect(repo.coord('eve', 'reserve', `y${i}`).code).toBe(0);
    else await newRoot(worldOf(repo));
  }
  await newRoot(worldOf(repo));
  return asked.toSorted();
}

describe('[U9] notes and new roots of the log', () => {
  test.for([
    1, 2, 3,
  ])('seed %i: each refusal is told once, whatever roots came between', async (seed) => {
    const repo = repository();
    const asked = await refuseAndCompact(repo, seed);
    expect(refusals(repo.text(null, 'log', '--json').stdout)).toEqual(asked);
  });

  test('planted bug: history that ends at the newest root loses them', async () => {
    const copy = plant([
      {
        file: 'dist/log/history.js',
        from: 'meta.previous === null',
        to: 'true || meta.previous === null',
      },
    ]);
    const repo = repository();
    const asked = await refuseAndCompact(repo, 1);
    const { code, stdout } = run(repo.top, repo.env, ['log', '--json'], [], copy.program);
    copy.end();
    const told = refusals(stdout);
    expect(code).toBe(0);
    expect(told.length).toBeGreaterThan(0);
    expect(told.length).toBeLessThan(asked.length);
  });
});
