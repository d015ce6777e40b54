/** How an agent of `npm run effect` edits, and what it takes from a refusal. */
import { expect, test } from 'vitest';
import { Chance } from './chance.ts';
import { nextOf, wayOf } from './ways.ts';

test('one edit in three writes the whole file, one in five is a shell command', () => {
  const chance = new Chance(1);
  const ways = Array.from({ length: 15_000 }, () => wayOf(chance));
  const share = (...wanted: readonly string[]): number =>
    ways.filter((way) => wanted.includes(way)).length / ways.length;
  expect(share('write')).toBeCloseTo(1 / 3, 1);
  expect(share('python', 'sed', 'cat')).toBeCloseTo(1 / 5, 1);
});

test('the same seed draws the same', () => {
  const draw = (seed: number): readonly number[] => {
    const chance = new Chance(seed);
    return [chance.next(), chance.next()];
  };
  expect(draw(3)).toEqual(draw(3));
  expect(draw(3)).not.toEqual(draw(4));
});

test.each([
  [
    'a plain one',
    'coord: f is held.\nNext: coord reserve --wait 2m -- f',
    'coord reserve --wait 2m -- f',
  ],
  [
    'a message to fill in',
    "  next: git commit -m '<what it does>' -- f",
    "git commit -m 'bd-1' -- f",
  ],
  ['one that wants more', "  next: coord ask k9 --reason '<why>'", null],
  ['a program that is neither', '  next: bd close bd-1', null],
  ['none', 'coord: no', null],
])('the next command of a refusal: %s', (_, told, next) => {
  expect(nextOf(told, 'bd-1')).toBe(next);
});
