/**
 * Overlap against brute force. A "no" is attacked with every short path and with a search for a
 * witness; a "yes" has to be backed by a path that the naive matcher accepts for both. So it does
 * not matter how long the enumerated paths are. Names made of dots count as names here: no file is
 * called `..`, and `?.` and `.?` are still said to overlap.
 */
import { expect, test } from 'vitest';
import { collide, covers, exactSpelling, overlaps } from '../../src/core/overlap.ts';
import { pathOf } from '../../src/core/pattern.ts';
import { type Known, known, mixed, paths, patient, pool } from './brute-force.ts';
import { type Grammar, seeds } from './pattern-generator.ts';
import { naiveMatcher } from './pattern-naive.ts';
import { witness } from './pattern-witness.ts';

type Overlap = (a: string, b: string) => boolean;

interface Violation {
  readonly kind: 'missed' | 'invented' | 'asymmetric' | 'not itself';
  readonly pair: readonly [string, string];
  readonly path: string | null;
}

/** A path that both accept, enumerated or searched for. */
function common(a: Known, b: Known): string | null {
  const word = a.matched.findIndex((bits, i) => (bits & (b.matched[i] ?? 0)) !== 0);
  if (word >= 0)
    return (
      paths.slice(word * 31, word * 31 + 31).find((path) => a.accepts(path) && b.accepts(path)) ??
      null
    );
  const path = witness(a.pattern, b.pattern);
  return path !== null && a.accepts(path) && b.accepts(path) ? path : null;
}

function violations(
  overlap: Overlap,
  patterns: readonly Known[],
): { readonly pairs: number; readonly yes: number; readonly found: Violation[] } {
  const found: Violation[] = [];
  let [pairs, yes] = [0, 0];
  for (const [i, a] of patterns.entries()) {
    if (overlap(a.pattern, a.pattern) !== a.satisfiable)
      found.push({ kind: 'not itself', pair: [a.pattern, a.pattern], path: null });
    for (const b of patterns.slice(i + 1)) {
      const pair = [a.pattern, b.pattern] as const;
      const path = common(a, b);
      const said = overlap(...pair);
      pairs += 1;
      if (said) yes += 1;
      if (said !== (path !== null)) found.push({ kind: said ? 'invented' : 'missed', pair, path });
      if (said !== overlap(b.pattern, a.pattern)) found.push({ kind: 'asymmetric', pair, path });
    }
  }
  return { pairs, yes, found };
}

const plainer: Grammar = {
  ...mixed,
  units: [...Array.from('aaaaabbbb.c*?'), '[ab]', '\\*'],
  maxUnits: 2,
  globstar: 0.1,
  braces: 0.02,
};

const isPath = ({ pattern }: Known): boolean => pathOf(pattern) !== null;

/** A plain path that stands for all below it as well. */
const withBelow = ({ pattern }: Known): Known => known(`{${pattern},${pattern}/**}`);

interface Judged {
  /** How often the answer was the one that has to be met for the rule to be tested. */
  readonly met: number;
  readonly wrong: readonly (readonly string[])[];
}

/**
 * Leases that share a path collide; those that do not only if they would, were plain paths folders.
 */
function judgedCollisions(collides: Overlap, patterns: readonly Known[]): Judged {
  const widest = new Map(patterns.map((one) => [one, isPath(one) ? withBelow(one) : one]));
  const wrong: string[][] = [];
  let met = 0;
  for (const a of patterns) {
    for (const b of patterns) {
      const said = collides(a.pattern, b.pattern);
      const mayShare = common(widest.get(a) ?? a, widest.get(b) ?? b) !== null;
      const must = isPath(a) && isPath(b) ? mayShare : common(a, b) !== null;
      if ((must && !said) || (said && !mayShare)) wrong.push([a.pattern, b.pattern]);
      if (said && common(a, b) === null) met += 1;
    }
  }
  return { met, wrong };
}

function judgedCovers(covering: Overlap, patterns: readonly Known[]): Judged {
  const folders = patterns.filter(isPath).map(({ pattern }) => known(`${pattern}/**`));
  const wrong: string[][] = [];
  let met = 0;
  for (const held of patterns) {
    const widest = isPath(held) ? withBelow(held) : held;
    for (const asked of [...patterns, ...folders]) {
      if (asked.pattern === held.pattern || !covering(held.pattern, asked.pattern)) continue;
      met += 1;
      const missing = paths.find((path) => asked.accepts(path) && !widest.accepts(path));
      if (missing !== undefined) wrong.push([held.pattern, asked.pattern, missing]);
    }
  }
  return { met, wrong };
}

const textBeforeWildcard = (pattern: string): string => /^[^*?[{\\]*/.exec(pattern)?.[0] ?? '';

const planted: readonly (readonly [string, Overlap, Violation['kind']])[] = [
  [
    'compares the text before the first wildcard',
    (a, b) => {
      const [x, y] = [textBeforeWildcard(a), textBeforeWildcard(b)];
      return x.startsWith(y) || y.startsWith(x);
    },
    'invented',
  ],
  [
    'tries the text of each pattern as a path of the other',
    (a, b) => naiveMatcher(a)(b) || naiveMatcher(b)(a),
    'missed',
  ],
  [
    'asks for as many segments on both sides',
    (a, b) => a.split('/').length === b.split('/').length && overlaps(a, b),
    'missed',
  ],
  [
    'forgets the last brace alternative',
    (a, b) => overlaps(a.replace(/,[^,{}]*\}/, '}'), b),
    'missed',
  ],
  ['takes a star for a globstar', (a, b) => overlaps(a.replaceAll('*', '**'), b), 'invented'],
  ['answers for one order only', (a, b) => a < b && overlaps(a, b), 'asymmetric'],
];

test.for(seeds)(
  'seed %i: overlap of 40,000 generated pairs is what brute force says, both ways round',
  patient,
  (seed) => {
    const { pairs, yes, found } = violations(overlaps, pool(seed));
    expect(found).toEqual([]);
    expect(pairs).toBeGreaterThan(40_000);
    // Neither answer is rare, so neither is untested.
    expect(yes).toBeGreaterThan(pairs / 10);
    expect(pairs - yes).toBeGreaterThan(pairs / 10);
  },
);

test.for(seeds)(
  'seed %i: leases collide that share a path, and only those that share one when plain paths are folders',
  patient,
  (seed) => {
    const { met, wrong } = judgedCollisions(
      (a, b) => collide(a, b, exactSpelling),
      pool(seed, plainer),
    );
    expect(wrong).toEqual([]);
    expect(met).toBeGreaterThan(10);
  },
);

test.for(seeds)(
  'seed %i: what a lease covers it matches, or it is below a plain path',
  patient,
  (seed) => {
    const { met, wrong } = judgedCovers((a, b) => covers(a, b, exactSpelling), pool(seed, plainer));
    expect(wrong).toEqual([]);
    expect(met).toBeGreaterThan(50);
  },
);

test(
  'the checkers catch a collision that minds no folders, and a cover that is only an overlap',
  patient,
  () => {
    const patterns = pool(1, plainer).slice(0, 120);
    expect(judgedCollisions(overlaps, patterns).wrong.length).toBeGreaterThan(2);
    expect(judgedCovers(overlaps, patterns).wrong.length).toBeGreaterThan(50);
  },
);

test.for(planted)('the checker catches an overlap that %s', patient, ([, wrong, kind]) => {
  const caught = violations(wrong, pool(1).slice(0, 120)).found.filter(
    (violation) => violation.kind === kind,
  );
  expect(caught.length).toBeGreaterThan(10);
});
