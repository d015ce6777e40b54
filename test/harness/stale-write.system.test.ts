/** Races for whole files, each step forced: none takes back what another has written. */
import { expect, test } from 'vitest';
import type { TestRepository } from '../support/repository.ts';
import { checkout } from '../support/sessions.ts';
import { Family, orders, type Planted } from './write-races.ts';

function files(count: number): {
  readonly repo: TestRepository;
  readonly paths: readonly string[];
} {
  const repo = checkout();
  // Kin may write where others of them write: that is what is raced for.
  repo.git('config', 'coord.editMode', 'exclusive');
  const paths = Array.from({ length: count }, (_, i) => `races/f${i}`);
  for (const path of paths) repo.write(path, `one of ${path}\ntwo\n`);
  // Half of them are in a commit.
  repo.git('add', ...paths.slice(0, count / 2));
  repo.git('commit', '-q', '-m', 'files');
  return { repo, paths };
}

interface Ended {
  readonly refused: number;
  readonly wrong: readonly string[];
}

/** An agent holds no more files at once. */
const mostFiles = 50;

async function raced(from: number, count: number, planted: Planted = {}): Promise<Ended> {
  const { repo, paths } = files(count);
  const family = new Family(repo, planted);
  const wrong: string[] = [];
  let refused = 0;
  for (const [i, path] of paths.entries()) {
    const order = orders[(from + i) % orders.length] ?? '';
    const race = await family.run(path, order, Math.floor((from + i) / orders.length) % 8);
    refused += race.refused;
    wrong.push(...race.wrong.map((what) => `${order} ${path}: ${what}`));
  }
  return { refused, wrong };
}

test(
  'of 1,000 races in all orders none loses a line, and all end',
  { timeout: 1_800_000 },
  async () => {
    expect(orders).toHaveLength(20);
    let refused = 0;
    for (let from = 0; from < 1_000; from += mostFiles) {
      const race = await raced(from, mostFiles);
      expect(race.wrong).toEqual([]);
      refused += race.refused;
    }
    expect(refused).toBeGreaterThan(500);
  },
);

test.for<readonly [string, Planted, RegExp]>([
  ['a note that somebody else’s write renews', { isRenewedByOthers: true }, /lost/],
  ['a note that is made after the read', { isNotedLate: true }, /lost/],
  ['a refusal that does not count as reading', { isRefusalForgotten: true }, /never wrote/],
])('%s is found out', { timeout: 300_000 }, async ([, planted, wrong]) => {
  expect((await raced(0, 40, planted)).wrong.join('\n')).toMatch(wrong);
});
