/** Patterns with every short path that they match, and what brute force says of pairs of them. */
import { expect } from 'vitest';
import { canonical } from '../../src/core/pattern.ts';
import { chanceOf, everyPath, type Grammar, generatedPattern } from './pattern-generator.ts';
import { naiveMatcher } from './pattern-naive.ts';
import { witness } from './pattern-witness.ts';

export const mixed: Grammar = {
  units: [
    ...Array.from('aaabbb.*****???'),
    '[ab]',
    '[!a]',
    '[^b.]',
    '[a-b]',
    '[.a]',
    '[]a]',
    '[b-]',
    '[!a-b]',
    '\\a',
    '\\*',
    '\\[',
    'c',
    '-',
    '!',
    ']',
    '[',
  ],
  maxUnits: 4,
  maxSegments: 4,
  globstar: 0.2,
  braces: 0.12,
};

export const poolSize = 300;

/** Others may want the processor too. */
export const patient = { timeout: 60_000 };

export const paths = everyPath('abc.', 5);

export interface Known {
  readonly pattern: string;
  readonly accepts: (path: string) => boolean;
  /** A bit for each enumerated path. */
  readonly matched: readonly number[];
  readonly satisfiable: boolean;
}

export function known(pattern: string): Known {
  const accepts = naiveMatcher(pattern);
  const matched = Array.from({ length: Math.ceil(paths.length / 31) }, (_, word) =>
    paths
      .slice(word * 31, word * 31 + 31)
      .reduce((bits, path, i) => (accepts(path) ? bits | (1 << i) : bits), 0),
  );
  return {
    pattern,
    accepts,
    matched,
    satisfiable: matched.some((bits) => bits !== 0) || witness(pattern, pattern) !== null,
  };
}

/** Patterns that coord takes, in their canonical spelling. */
export function pool(seed: number, grammar: Grammar = mixed): Known[] {
  const chance = chanceOf(seed);
  const found = new Set<string>();
  for (let tries = 0; found.size < poolSize && tries < poolSize * 20; tries += 1) {
    const text = generatedPattern(chance, grammar);
    try {
      found.add(canonical(text));
    } catch (error) {
      // A pattern that leaves the repository, or `[.` that looks like a named class.
      expect(error).toMatchObject({ name: 'CoordError' });
    }
  }
  return [...found].map(known);
}
