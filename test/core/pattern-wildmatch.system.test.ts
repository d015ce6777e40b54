/**
 * Matches against git's own wildmatch, by way of `git ls-files ':(glob)...'`. An index can't hold a
 * file and a folder of one name, so there is one index for each depth of path. Where they are meant
 * to differ the table says so and why, and both columns are checked.
 */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { exactSpelling, type Folding, matches } from '../../src/core/overlap.ts';
import { canonical } from '../../src/core/pattern.ts';
import { repository } from '../support/repository.ts';
import { chanceOf, everyPath, type Grammar, generatedPattern, seeds } from './pattern-generator.ts';
import { expand } from './pattern-naive.ts';

const odd = [
  '*',
  '?',
  '[',
  ']',
  '-',
  '!',
  '^',
  '{a}',
  'a-b',
  '(a)',
  'a*b',
  '.a.b',
  'aa/!b',
  'a/x*y/b',
  'b/[x]',
];

const names = everyPath('ab.', 2).filter((path) => !path.includes('/'));

const deep = names.flatMap((a) =>
  names.flatMap((b) => [`${a}/${b}`, `a/${a}/${b}`, `${a}/${b}/.b`, `${a}/b/${b}/a`]),
);

const lowerPaths = [...new Set([...everyPath('ab.', 4), ...deep, ...odd])];

const letters = everyPath('aAbB', 2).filter((path) => !path.includes('/'));

const mixedPaths = [
  ...everyPath('aAbB', 4),
  ...letters.flatMap((a) => letters.map((b) => `${a}/.x/${b}`)),
  '-',
  '_',
  '[',
  'A_',
];

/** Asks git which of these paths match. */
function gitMatcher(
  paths: readonly string[],
  magic: string,
): (pattern: string) => ReadonlySet<string> {
  const { top, env } = repository({ unborn: true });
  const blob = execFileSync('git', ['hash-object', '-w', '--stdin'], {
    cwd: top,
    env,
    input: '',
    encoding: 'utf8',
  }).trim();
  const depths = new Map<number, string[]>();
  for (const path of paths) {
    const depth = path.split('/').length;
    depths.set(depth, [...(depths.get(depth) ?? []), path]);
  }
  const indexes = [...depths].map(([depth, some]) => {
    const indexed = { ...env, GIT_INDEX_FILE: join(top, '.git', `index-${depth}`) };
    const input = some.map((path) => `100644 ${blob}\t${path}\0`).join('');
    execFileSync('git', ['update-index', '-z', '--index-info'], { cwd: top, env: indexed, input });
    return indexed;
  });
  const list = (indexed: Record<string, string>, specs: readonly string[]): string[] =>
    execFileSync('git', ['ls-files', '-z', '--', ...specs], {
      cwd: top,
      env: indexed,
      encoding: 'utf8',
    }).split('\0');
  const held = indexes.flatMap((indexed) => list(indexed, [])).filter((path) => path !== '');
  expect(held.toSorted()).toEqual([...paths].toSorted());
  return (pattern) => {
    const specs = expand(pattern).map((text) => `:(${magic})${text}`);
    return new Set(indexes.flatMap((indexed) => list(indexed, specs)));
  };
}

/**
 * A pathspec without a wildcard is a folder too, and the text before the first wildcard is compared
 * and cut off, which makes `a**` a globstar: both are no business of wildmatch.
 */
function isShared(pattern: string): boolean {
  return expand(pattern).every(
    (text) =>
      /[*?[\\]/.test(text) &&
      !/^[^*?[\\]*[^*?[\\/]\*\*/.test(text) &&
      text.split('/').every((segment) => !['', '.', '..'].includes(segment)),
  );
}

interface Compared {
  readonly pairs: number;
  readonly yes: number;
  readonly wrong: (readonly [pattern: string, path: string, git: boolean])[];
}

type Matcher = (pattern: string, path: string) => boolean;

function compared(
  seed: number,
  grammar: Grammar,
  paths: readonly string[],
  magic: string,
  matcher: Matcher,
  count = 100,
): Compared {
  const chance = chanceOf(seed);
  const git = gitMatcher(paths, magic);
  const wrong: Compared['wrong'] = [];
  let [pairs, yes] = [0, 0];
  for (let patterns = 0; patterns < count; ) {
    const text = generatedPattern(chance, grammar);
    if (!isShared(text)) continue;
    patterns += 1;
    const said = git(text);
    const key = canonical(text);
    for (const path of paths) {
      pairs += 1;
      if (said.has(path)) yes += 1;
      if (matcher(key, path) !== said.has(path)) wrong.push([text, path, said.has(path)]);
    }
  }
  return { pairs, yes, wrong };
}

const plain: Grammar = {
  units: [
    ...Array.from('aaabbb.***???'),
    '[ab]',
    '[!a]',
    '[^b.]',
    '[a-b]',
    '[]a]',
    '[a-]',
    '[!]-]',
    '[\\]a]',
    '\\a',
    '\\*',
    '\\[',
    '-',
    '!',
    ']',
  ],
  maxUnits: 3,
  maxSegments: 4,
  globstar: 0.2,
  braces: 0.05,
};

const cased: Grammar = {
  units: [
    ...Array.from('aAbBaAbB**??'),
    '[a]',
    '[ab]',
    '[a-b]',
    '[A-B]',
    '[!a]',
    '[!b]',
    '[^A-B]',
    '[a_-]',
  ],
  maxUnits: 3,
  maxSegments: 3,
  globstar: 0.2,
  braces: 0.05,
};

const exactly: Matcher = (pattern, path) => matches(pattern, path, exactSpelling);

const ignoringCase: Folding = { ignoreCase: true, composeUnicode: false };

test.for(seeds)(
  'seed %i: of 50,000 generated pairs of pattern and path, git says what matches says',
  { timeout: 60_000 },
  (seed) => {
    const { pairs, yes, wrong } = compared(seed, plain, lowerPaths, 'glob', exactly);
    expect(wrong).toEqual([]);
    expect(pairs).toBeGreaterThan(50_000);
    expect(yes).toBeGreaterThan(1_000);
  },
);

test.for(seeds)(
  'seed %i: of 20,000 pairs in mixed case, git with icase says what matches says ignoring case',
  { timeout: 60_000 },
  (seed) => {
    const { pairs, yes, wrong } = compared(seed, cased, mixedPaths, 'glob,icase', (pattern, path) =>
      matches(pattern, path, ignoringCase),
    );
    expect(wrong).toEqual([]);
    expect(pairs).toBeGreaterThan(20_000);
    expect(yes).toBeGreaterThan(1_000);
  },
);

test.for<readonly [string, Grammar, string, Matcher]>([
  [
    'lets a star cross a slash',
    plain,
    'glob',
    (pattern, path) => matches(pattern.replaceAll('*', '**/*'), path),
  ],
  [
    'lets a trailing globstar match the folder',
    plain,
    'glob',
    (pattern, path) => exactly(pattern, path) || exactly(pattern, `${path}/x`),
  ],
  [
    'forgets case where it counts',
    cased,
    'glob',
    (pattern, path) => matches(pattern, path, ignoringCase),
  ],
  ['minds case where it does not count', cased, 'glob,icase', exactly],
])('the comparison catches a matcher that %s', { timeout: 60_000 }, ([, grammar, magic, wrong]) => {
  const paths = grammar === plain ? lowerPaths : mixedPaths;
  expect(compared(1, grammar, paths, magic, wrong, 30).wrong.length).toBeGreaterThan(100);
});
