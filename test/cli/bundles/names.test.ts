/** Each verb is looked for in the built file that has it. */
import { describe, expect, test } from 'vitest';
import { allVerbs } from '../../../src/cli/all-verbs.ts';
import { hookVerbs } from '../../../src/cli/bundles/hooks.ts';
import { hotVerbs } from '../../../src/cli/bundles/hot.ts';
import { type Bundle, bundleOf } from '../../../src/cli/bundles/names.ts';
import { workVerbs } from '../../../src/cli/bundles/work.ts';
import type { Verb } from '../../../src/cli/verb.ts';

const bundles: Readonly<Record<Exclude<Bundle, 'cold'>, readonly Verb[]>> = {
  hot: hotVerbs,
  hooks: hookVerbs,
  work: workVerbs,
};

function homeOf(verb: Verb): Bundle {
  const [home = 'cold'] = (['hot', 'hooks', 'work'] as const).filter((name) =>
    bundles[name].includes(verb),
  );
  return home;
}

describe('the built file that has a verb', () => {
  test.for(allVerbs.map((verb) => [verb.words.join(' '), verb] as const))('%s', ([, verb]) => {
    expect(bundleOf(verb.words).bundle).toBe(homeOf(verb));
  });

  test('is found behind options, and whatever is none is in the last', () => {
    expect(bundleOf(['--agent', 'ann', 'check', 'x'])).toEqual({ bundle: 'hot', at: 2 });
    expect(bundleOf(['--version'])).toEqual({ bundle: 'cold', at: -1 });
    expect(bundleOf([])).toEqual({ bundle: 'cold', at: -1 });
  });
});
