/**
 * Patterns from somebody who means harm are refused with the right code; strange names are names.
 */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { CoordError, type ErrorCode } from '../../src/core/errors.ts';
import { cutsMeet, matches, overlaps } from '../../src/core/overlap.ts';
import {
  type CharUnit,
  canonical,
  checkText,
  compile,
  literal,
  type Segment,
} from '../../src/core/pattern.ts';

interface Name {
  readonly what: string;
  readonly path: string;
}

const names = JSON.parse(
  readFileSync(new URL('../../fixtures/hostile-names.json', import.meta.url), 'utf8'),
) as readonly Name[];

function refusal(act: () => unknown): CoordError | null {
  try {
    act();
    return null;
  } catch (error) {
    if (error instanceof CoordError) return error;
    throw error;
  }
}

const times = (count: number, text: string): string => text.repeat(count);
const listed = (count: number): string =>
  `{${Array.from({ length: count }, (_, i) => `a${i}`).join(',')}}`;
const nested = (depth: number): string => `${times(depth, '{a,')}b${times(depth, '}')}`;

test.for<readonly [what: string, text: string, code: ErrorCode]>([
  ['nothing', '', 'bad_pattern'],
  ['a NUL', 'a\0b', 'bad_pattern'],
  ['only a NUL', '\0', 'bad_pattern'],
  ['a replacement character, which is what invalid UTF-8 becomes', 'a\ufffdb', 'bad_pattern'],
  ['a lone high surrogate', 'a\ud83d', 'bad_pattern'],
  ['a lone low surrogate', '\ude00a', 'bad_pattern'],
  ['surrogates in the wrong order', '\ude00\ud83d', 'bad_pattern'],
  ['the parent', '..', 'path_outside'],
  ['below the parent', '../a', 'path_outside'],
  ['the parent behind a dot', './../a', 'path_outside'],
  ['up once too often', 'a/../..', 'path_outside'],
  ['up once too often and down again', 'a/b/../../../c', 'path_outside'],
  ['a system file by way of parents', '../../../../etc/passwd', 'path_outside'],
  ['up to a wildcard', '../*', 'path_outside'],
  ['the root', '/', 'path_outside'],
  ['an absolute path', '/etc/passwd', 'path_outside'],
  ['an absolute pattern', '/**', 'path_outside'],
  ['two leading slashes', '//a', 'path_outside'],
  ['up from a star', '*/../a', 'bad_pattern'],
  ['up from a globstar', 'a/**/..', 'bad_pattern'],
  ['up from a class', '[ab]/../c', 'bad_pattern'],
  ['up from a brace group', '{a,b}/../c', 'bad_pattern'],
  ['a range of numbers', '{1..3}', 'bad_pattern'],
  ['a range of padded numbers', 'f{01..10}.ts', 'bad_pattern'],
  ['a range of letters', '{a..z}/x', 'bad_pattern'],
  ['a range inside a group', '{{1..3},a}', 'bad_pattern'],
  ['a named class', '[[:alpha:]]', 'bad_pattern'],
  ['a named class that is negated', '[![:space:]x]', 'bad_pattern'],
  ['an equivalence class', '[[=a=]]', 'bad_pattern'],
  ['a collating symbol', '[[.a.]]', 'bad_pattern'],
  ['1,025 bytes', times(1_025, 'a'), 'pattern_too_complex'],
  ['513 characters of two bytes', times(513, 'é'), 'pattern_too_complex'],
  ['257 characters of four bytes', times(257, '😀'), 'pattern_too_complex'],
  ['100 KB of letters', times(102_400, 'a'), 'pattern_too_complex'],
  ['100 KB of stars', times(51_200, '*a'), 'pattern_too_complex'],
  ['10,000 brace groups', times(10_000, '{a,b}'), 'pattern_too_complex'],
  ['10,000 open braces', times(10_000, '{'), 'pattern_too_complex'],
  ['10,000 nested groups', nested(10_000), 'pattern_too_complex'],
  ['a million slashes', `a${times(1_000_000, '/')}`, 'pattern_too_complex'],
  ['65 alternatives', listed(65), 'pattern_too_complex'],
  ['128 alternatives', times(7, '{a,b}'), 'pattern_too_complex'],
  ['2^200 alternatives', times(200, '{a,b}'), 'pattern_too_complex'],
  ['2^341 alternatives of nothing', times(341, '{,}'), 'pattern_too_complex'],
  ['65 nested alternatives', nested(64), 'pattern_too_complex'],
  ['17 globstars', `${times(17, '**/a/')}b`, 'pattern_too_complex'],
  ['17 globstars in one alternative of two', `{x,${times(17, '**/a/')}b}`, 'pattern_too_complex'],
])('%s is refused', ([, text, code]) => {
  const refused = refusal(() => canonical(text));
  expect(refused?.code).toBe(code);
  // What is quoted of it is short, and says what to do where there is something to do.
  expect(refused?.message.length).toBeLessThan(200);
  if (code !== 'path_outside') expect(refused?.hint).toMatch(/\w/);
});

test.for<readonly [what: string, text: string, alternatives: number]>([
  ['1,024 bytes of one name', times(1_024, 'a'), 1],
  ['512 characters of two bytes', times(512, 'é'), 1],
  ['512 segments', times(512, 'a/').slice(0, -1), 1],
  ['64 alternatives', listed(64), 64],
  ['64 alternatives of six groups', times(6, '{a,b}'), 64],
  ['64 nested alternatives', nested(63), 64],
  ['16 globstars', `${times(16, '**/a/')}b`, 1],
  ['256 globstars side by side, which are one', times(256, '**/'), 1],
  ['512 stars', times(512, '*a'), 1],
  ['1,024 stars side by side', times(1_024, '*'), 1],
  ['1,024 question marks', times(1_024, '?'), 1],
  ['512 open brackets', times(512, '['), 1],
  ['512 open braces', times(512, '{'), 1],
  ['256 nested groups without a comma', times(256, '{') + times(256, '}'), 1],
  ['1,024 backslashes', times(1_024, '\\'), 1],
  ['204 classes', times(204, '[a-z]'), 1],
  ['one class of 1,022 characters', `[${times(511, 'ab')}]`, 1],
  ['a path that goes 200 times down and up', `${times(200, 'a/../')}b`, 1],
])('%s is within the limits, meets itself and is bounded', ([, text, alternatives]) => {
  const key = canonical(text);
  expect(canonical(key)).toBe(key);
  expect(overlaps(key, key)).toBe(true);
  const compiled = compile(key);
  expect(compiled).toHaveLength(alternatives);
  const units = compiled.flatMap(({ pieces }) =>
    pieces.flat().flatMap((segment) => segment.pieces.flat()),
  );
  expect(units.length).toBeLessThanOrEqual(64 * 1_024);
});

const worst: readonly (readonly [what: string, a: string, b: string])[] = [
  ['a long name and as many stars', times(500, 'a'), `${times(500, '*a')}b`],
  [
    'a long name and a long piece that nearly fits everywhere',
    times(1_000, 'a'),
    `*${times(500, 'a')}b*a`,
  ],
  ['question marks and stars', times(1_000, '?'), times(333, '*?a')],
  ['stars on both sides that differ at the end', times(500, '*a'), `${times(500, 'a*')}b`],
  ['stars on both sides that agree at the ends', times(500, '*a'), times(500, 'a*')],
  ['a long name and classes', times(1_000, 'a'), times(100, '*[!b]aaaaa')],
];

test.for(worst)('%s takes at most as many steps as the product of the lengths', ([, a, b]) => {
  let steps = 0;
  const meets = (x: CharUnit, y: CharUnit): boolean => {
    steps += 1;
    return x === y || typeof x !== 'number' || typeof y !== 'number';
  };
  const [left, right] = [a, b].map((text) => compile(text)[0]?.pieces[0]?.[0]) as [
    Segment,
    Segment,
  ];
  const length = ({ pieces }: Segment): number => pieces.flat().length + 1;
  cutsMeet(left, right, meets);
  expect(steps).toBeLessThanOrEqual(length(left) * length(right));
  expect(overlaps(a, b)).toBe(overlaps(b, a));
});

test('the step bound is not empty talk: a matcher that tries every way takes more than the product of the lengths', () => {
  let steps = 0;
  const tries = (pattern: string, text: string): boolean => {
    steps += 1;
    if (pattern === '') return text === '';
    if (pattern.startsWith('*'))
      return tries(pattern.slice(1), text) || (text !== '' && tries(pattern, text.slice(1)));
    return text.startsWith(pattern[0] ?? '') && tries(pattern.slice(1), text.slice(1));
  };
  const [pattern, text] = [`${times(6, '*a')}b`, times(18, 'a')];
  expect(tries(pattern, text)).toBe(false);
  expect(steps).toBeGreaterThan(pattern.length * text.length);
  expect(matches(pattern, text)).toBe(false);
});

test.for([
  'a/b/c.txt',
  `${times(40, 'abcd/')}f.ts`,
  times(200, 'x'),
  `packages/${times(20, 'some-name/')}index.test.ts`,
  times(60, '日本語'),
])('the ordinary long path %s is its own pattern', (path) => {
  expect(canonical(path)).toBe(path);
  expect(matches(path, path)).toBe(true);
  expect(matches('**', path)).toBe(true);
  expect(matches(path, `${path}x`)).toBe(false);
});

test.for(names)('a name with $what is an ordinary path', ({ path }) => {
  expect(() => checkText(path)).not.toThrow();
  const key = literal(path);
  expect(canonical(key)).toBe(key);
  expect(names.filter((other) => matches(key, other.path)).map((other) => other.path)).toEqual([
    path,
  ]);
  expect(
    names.filter((other) => overlaps(key, literal(other.path))).map((other) => other.path),
  ).toEqual([path]);
  expect(matches('**', path)).toBe(true);
});

test.for(
  names.filter(({ path }) => !/[*?[\]{}\\]/.test(path)),
)('a name with $what needs no escaping', ({ path }) => {
  expect(literal(path)).toBe(path);
  expect(canonical(path)).toBe(path);
});
