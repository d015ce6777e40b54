/**
 * Matches against picomatch, over the syntax that both define. Where they are meant to differ the
 * table says so and why, and both columns are checked: a change on either side is noticed.
 */
import picomatch from 'picomatch';
import { expect, test } from 'vitest';
import { CoordError } from '../../src/core/errors.ts';
import { matches } from '../../src/core/overlap.ts';
import { canonical } from '../../src/core/pattern.ts';
import { chanceOf, everyPath, type Grammar, generatedPattern, seeds } from './pattern-generator.ts';
import { expand } from './pattern-naive.ts';

/**
 * Its short cut for patterns such as `*.*` differs from its own parser, which is what is meant
 * here.
 */
const options = {
  dot: true,
  posix: true,
  noextglob: true,
  nonegate: true,
  strictSlashes: true,
  fastpaths: false,
};
const grammar: Grammar = {
  units: [
    ...Array.from('aaabbb.***???'),
    '[ab]',
    '[!a]',
    '[^b.]',
    '[a-b]',
    '[]a]',
    '[a-]',
    '\\a',
    '\\*',
    'c',
    '-',
    '!',
  ],
  maxUnits: 3,
  maxSegments: 4,
  globstar: 0.2,
  braces: 0.08,
};
const paths = [
  ...everyPath('abc.', 4),
  'a*',
  '*',
  ']',
  '-',
  '!',
  'a-b',
  'a/!b',
  'a/b/c/a',
  'b/a/c/b/a',
  'abcabc',
  'a.b.c/a.b',
];

/** The syntax that both define alike; the table below has the rest. */
function isShared(pattern: string): boolean {
  return (
    !/\.\.|\*{3}|\{.*\.\*|[{,}]\*|\*[{,}]|\{[^}]*\*\*/.test(pattern) &&
    expand(pattern).every((text) =>
      text.split('/').every((segment) => !['', '.', '..'].includes(segment)),
    )
  );
}

type Matcher = (pattern: string) => (path: string) => boolean;

const coord: Matcher = (pattern) => (path) => matches(pattern, path);

/** How many pairs were compared, and those on which the matcher and picomatch disagree. */
function compared(
  seed: number,
  matcher: Matcher,
): { readonly pairs: number; readonly yes: number; readonly wrong: (readonly [string, string])[] } {
  const chance = chanceOf(seed);
  const wrong: (readonly [string, string])[] = [];
  let [pairs, yes] = [0, 0];
  for (let patterns = 0; patterns < 400; ) {
    const text = generatedPattern(chance, grammar);
    if (!isShared(text)) continue;
    patterns += 1;
    const theirs = picomatch(text, options);
    const ours = matcher(canonical(text));
    for (const path of paths) {
      pairs += 1;
      if (theirs(path)) yes += 1;
      if (ours(path) !== theirs(path)) wrong.push([text, path]);
    }
  }
  return { pairs, yes, wrong };
}

test.for(seeds)(
  'seed %i: of 150,000 generated pairs of pattern and path, picomatch says what matches says',
  { timeout: 60_000 },
  (seed) => {
    const { pairs, yes, wrong } = compared(seed, coord);
    expect(wrong).toEqual([]);
    expect(pairs).toBeGreaterThan(150_000);
    expect(yes).toBeGreaterThan(1_000);
  },
);

test.for<readonly [string, Matcher]>([
  [
    'lets a star cross a slash',
    (pattern) => (path) => matches(pattern.replaceAll('*', '**/*'), path),
  ],
  ['skips dotfiles', (pattern) => (path) => !/(^|\/)\./.test(path) && matches(pattern, path)],
  [
    'takes a negated class for a plain one',
    (pattern) => (path) => matches(pattern.replace(/\[[!^]/g, '['), path),
  ],
])('the comparison catches a matcher that %s', ([, wrong]) => {
  expect(compared(1, wrong).wrong.length).toBeGreaterThan(100);
});

type Said = boolean | 'refused';

function ours(pattern: string, path: string): Said {
  try {
    return matches(canonical(pattern), path);
  } catch (error) {
    if (error instanceof CoordError) return 'refused';
    throw error;
  }
}

test.for<readonly [pattern: string, path: string, coord: Said, picomatch: boolean, why: string]>([
  ['***', 'a/b', true, false, 'git takes three stars for two'],
  ['a/***/b', 'a/b', true, false, 'git takes three stars for two'],
  ['a{**,b}', 'a/b', false, true, 'a globstar is a whole segment, wherever it was written'],
  ['{**,b}c', 'a/c', false, true, 'a globstar is a whole segment, wherever it was written'],
  [
    'b{.*,a}',
    'b.',
    true,
    false,
    'it minds names that are dots, and takes the brace for the start of a segment',
  ],
  ['*{*,a}', 'a/b', true, false, 'braces are expanded first, as in a shell'],
  ['{a,}/**', 'b', true, false, 'an empty segment folds away'],
  ['a/{b,}/c', 'a/c', true, false, 'an empty segment folds away'],
  ['a//b', 'a/b', true, false, 'an empty segment folds away'],
  ['a/./b', 'a/b', true, false, 'a segment that is a dot folds away'],
  ['a/../b', 'b', true, false, 'a segment that goes up folds away'],
  ['a/', 'a/b', true, false, 'a directory is all that is below it'],
  ['a/', 'a', false, false, 'a directory is not a file'],
  ['?', '😀', true, false, 'a character is a code point, not half of one'],
  ['[!a]', '😀', true, false, 'a character is a code point, not half of one'],
  ['[😀]', '😀', true, false, 'a character is a code point, not half of one'],
  ['{1..3}', '2', 'refused', true, 'ranges are not expanded, and so not taken for names'],
  ['[[:alpha:]]', 'a', 'refused', true, 'named classes are not known, and so not taken for names'],
  ['[ab]', '[ab]', false, true, 'a class is not its own text; --literal is for that'],
  ['(a)', 'a', false, true, 'a parenthesis is a plain character'],
  ['(a|b)', 'b', false, true, 'a parenthesis is a plain character'],
  ['*(a)', '(a)', true, false, 'a parenthesis is a plain character'],
  ['"a"', 'a', false, true, 'a quote is a plain character'],
  ['"a"', '"a"', true, true, 'a quote is a plain character'],
  ['+(a)', 'aa', false, false, 'neither knows extglobs'],
  ['!a', 'b', false, false, 'neither negates'],
])('%j and %j: coord says %s, picomatch says %s, for %s', ([pattern, path, said, theirs]) => {
  expect(ours(pattern, path)).toBe(said);
  expect(picomatch(pattern, options)(path)).toBe(theirs);
});
