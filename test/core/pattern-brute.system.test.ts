/** What a pattern matches and its canonical form, against brute force. */
import { expect, test } from 'vitest';
import { matches } from '../../src/core/overlap.ts';
import { canonical, compile } from '../../src/core/pattern.ts';
import { mixed, paths, patient, pool } from './brute-force.ts';
import { chanceOf, generatedPattern, seeds } from './pattern-generator.ts';
import { naiveMatcher } from './pattern-naive.ts';

test.for(seeds)(
  'seed %i: matches says of every generated pattern and short path what the naive matcher says',
  patient,
  (seed) => {
    const short = paths.filter((path) => path.length <= 3);
    const wrong = pool(seed).flatMap(({ pattern, accepts }) =>
      short
        .filter((path) => matches(pattern, path) !== accepts(path))
        .map((path) => [pattern, path]),
    );
    expect(wrong).toEqual([]);
  },
);

test.for(seeds)(
  'seed %i: canonical is its own canonical and matches the same paths as the text it came from',
  patient,
  (seed) => {
    const chance = chanceOf(seed + 1_000);
    const spoilt = { ...mixed, units: [...mixed.units, '/', './', '//'] };
    let checked = 0;
    for (let i = 0; i < 300; i += 1) {
      const text = `${generatedPattern(chance, spoilt)}${chance.pick(['', '', '/', '/.'])}`;
      let spelling: string;
      try {
        spelling = canonical(text);
      } catch (error) {
        expect(error).toMatchObject({ name: 'CoordError' });
        continue;
      }
      expect(canonical(spelling)).toBe(spelling);
      expect(compile(spelling).length).toBeLessThanOrEqual(64);
      // What goes up has a table of its own.
      if (text.split('/').includes('..')) continue;
      const below = /(^|\/)\.?$/.test(text) ? naiveMatcher(`${text}/**`) : naiveMatcher(text);
      const accepts = naiveMatcher(spelling);
      const differs = paths.find((path) => path.length < 5 && accepts(path) !== below(path));
      expect({ text, spelling, differs: differs ?? 'same paths' }).toEqual({
        text,
        spelling,
        differs: 'same paths',
      });
      checked += 1;
    }
    expect(checked).toBeGreaterThan(150);
  },
);
