/** A while of life in work trees, and what must be there after it. */
import { expect, test } from 'vitest';
import { seeded } from '../support/world.ts';
import { Life } from './life.ts';

const seed = Number(process.env['COORD_SEED'] ?? 20260101);

test.for([0, 1, 2])('nothing that was written is lost, seed %i [22]', { timeout: 600_000 }, (n) => {
  const life = new Life(seeded(seed + n));
  const told: string[] = [];
  for (let i = 0; i < 60; i += 1) {
    told.push(life.step());
    if (i % 15 === 14) expect({ missing: life.missing(), told }).toMatchObject({ missing: [] });
  }
  expect({ missing: life.missing(), told }).toMatchObject({ missing: [] });
  expect(told.join('\n')).toMatch(/removed by force: 0|deleted by its program/);
});

test('planted bug: a removal that keeps nothing is found', () => {
  const life = new Life(seeded(seed));
  life.repo.git('worktree', 'add', '-q', '-b', 'x', '../x');
  for (let i = 0; i < 25; i += 1) life.step();
  expect(life.missing()).toEqual([]);
  for (const ref of life.repo
    .git('for-each-ref', '--format=%(refname)', 'refs/coord/quarantine')
    .trim()
    .split('\n'))
    if (ref !== '') life.repo.git('update-ref', '-d', ref);
  for (const path of life.repo.git('worktree', 'list', '--porcelain').matchAll(/^worktree (.+)$/gm))
    if (path[1] !== life.repo.top)
      life.repo.git('worktree', 'remove', '--force', '--force', path[1] ?? '');
  expect(life.missing()).not.toEqual([]);
});
