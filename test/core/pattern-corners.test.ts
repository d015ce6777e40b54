/**
 * Corners of patterns that were once wrong: each of these rows has been a lost edit waiting to
 * happen.
 */
import { expect, test } from 'vitest';
import {
  collide,
  exactSpelling,
  type Folding,
  matchEverything,
  matches,
  overlaps,
} from '../../src/core/overlap.ts';
import { canonical, literal, pathOf } from '../../src/core/pattern.ts';

const ignoringCase: Folding = { ignoreCase: true, composeUnicode: false };

test('a class of 600 bytes, accepted exactly, is compared ignoring case without throwing', () => {
  const held = canonical(`[${'aB'.repeat(300)}]`);
  expect(overlaps(held, '*', ignoringCase)).toBe(true);
});

test.for<readonly [string, string]>([
  ['app/[userId]/page.tsx', 'app/[userid]/page.tsx'],
  ['a[b/C]d', 'a[b/c]d'],
  ['x{[A,b]}', 'X{[a,B]}'],
])('ignoring case, the literals of %j and %j are one key', ([a, b]) => {
  expect(overlaps(literal(a), literal(b), ignoringCase)).toBe(true);
});

test.for<readonly [string, string]>([
  ['[A-_]', 'b'],
  ['[A-_]', 'B'],
  ['[Z-a]', 'Z'],
  ['[Z-a]', 'z'],
  ['[]A-_]', '_'],
  ['[!\\]]', '\\'],
  ['a[b/C*]d', 'a[b/c]d'],
  ['?', 'İ'],
  ['*σ', 'ΟΔΟΣ'],
])('ignoring case, %j matches %j', ([pattern, path]) => {
  expect(matches(canonical(pattern), path, ignoringCase)).toBe(true);
});

test.for<readonly [string, string]>([
  ['.{/a,b}', 'a'],
  ['**/{[b-],{},}.', 'bba'],
])('%j matches %j by an alternative whose dot is a segment', ([pattern, path]) => {
  expect(matches(canonical(pattern), path)).toBe(true);
});

test.for<readonly [string, string]>([
  ['{src/,docs/}', 'src/a'],
  ['a/{b/,c}', 'a/b/x'],
  ['{a,b/.}', 'b/x'],
  ['dir\\/', 'dir/a'],
])('%j takes all below the directory, such as %j', ([pattern, path]) => {
  expect(matches(canonical(pattern), path)).toBe(true);
});

test.for<readonly [string, string]>([
  ['{..,a}/b', 'path_outside'],
  ['{../a,b}', 'path_outside'],
  ['{/etc,a}/x', 'path_outside'],
  ['a\\/../../b', 'path_outside'],
  ['\\.\\./b', 'path_outside'],
  ['a{/../b,c}', 'bad_pattern'],
])('%j goes up inside a group, or behind a backslash, and is refused', ([pattern, code]) => {
  expect(() => canonical(pattern)).toThrow(expect.objectContaining({ code }));
});

test.for([
  '[z-a]',
  '{,}',
  'x/[b-a]',
  '{[z-a],[b-a]}',
])('%j matches no path, so it is refused rather than granted', (pattern) => {
  expect(() => canonical(pattern)).toThrow(expect.objectContaining({ code: 'bad_pattern' }));
});

test.for([
  '**/?',
  '**/[!.]*',
  '**/[!a]',
  '{*,*/*,*/*/*}',
])('%j does not match every path', (pattern) => {
  expect(matchEverything([canonical(pattern)])).toBe(false);
});

test.for([
  `${'a'.repeat(1_100)}`,
  'a\nb',
  '['.repeat(600),
  'a\ufffdb',
])('** matches the path %j, whatever it is made of', (path) => {
  expect(matches('**', path)).toBe(true);
});

test.for<readonly [string, string]>([
  ['{x{a,b}', '{xa'],
  ['{x{a,b}', '{xb'],
  ['a{/{b,c}', 'a{/b'],
])('the first brace of %j is plain and its group is not: it matches %j', ([pattern, path]) => {
  expect(matches(canonical(pattern), path)).toBe(true);
});

test('an escaped dot is no range, and a range with a step is one', () => {
  expect(matches(canonical('{1\\..3}'), '{1..3}')).toBe(true);
  expect(() => canonical('{1..10..2}')).toThrow(expect.objectContaining({ code: 'bad_pattern' }));
});

test.for([
  '[a',
  'a]',
  '{a',
  '{a}',
  'a}',
  'app/[id/x',
])('the plain name %j is a path, so it stands for all below it', (name) => {
  expect(pathOf(canonical(name))).toBe(name);
  expect(collide(canonical(name), literal(`${name}/x`), exactSpelling)).toBe(true);
});

test('a sigma at the end of a word is a sigma', () => {
  expect(overlaps('ΟΔΟΣ', 'οδοσ', ignoringCase)).toBe(true);
  expect(collide('ΑΣ', 'ασ', ignoringCase)).toBe(true);
});
