/** What an agent can give up without anybody's edit going along. */
import { describe, expect, test } from 'vitest';
import { changedIn, free, unchangedOf } from '../../../src/core/decide/unchanged.ts';
import { agent, claim, contextOf, lock, reservation } from '../../support/states.ts';

const { folding } = contextOf();

/** Whole leases and parts of leases, each as its patterns. */
function split(patterns: string, ...changed: readonly string[]): object {
  const { whole, parts } = unchangedOf([reservation('ann', patterns)], changed, folding);
  return {
    whole: whole.length,
    kept: parts.flatMap(({ kept }) => kept),
    lost: parts.flatMap(({ lost }) => lost),
  };
}

describe('of a reservation', () => {
  test.for<readonly [string, string, readonly string[], object]>([
    ['all goes where nothing is changed', 'a b', [], { whole: 1, kept: [], lost: [] }],
    ['nothing goes where all is', 'a b', ['a', 'b'], { whole: 0, kept: [], lost: [] }],
    ['only what is unchanged goes', 'a b', ['a'], { whole: 0, kept: ['a'], lost: ['b'] }],
    [
      'a pattern stays with any path that it matches',
      'src/* b',
      ['src/x'],
      { whole: 0, kept: ['src/*'], lost: ['b'] },
    ],
    [
      'a folder stays with any file below it',
      'src b',
      ['src/x/y'],
      { whole: 0, kept: ['src'], lost: ['b'] },
    ],
    ['a change elsewhere keeps nothing', 'a', ['c'], { whole: 1, kept: [], lost: [] }],
    [
      'a name that looks like a pattern is one file',
      'a b',
      ['[ab]'],
      { whole: 1, kept: [], lost: [] },
    ],
  ])('%s', ([, patterns, changed, wanted]) => {
    expect(split(patterns, ...changed)).toEqual(wanted);
  });

  test('but a claim and a lock stay: nobody can tell what is changed in them', () => {
    const own = [claim('ann', 'bd-1'), lock('ann', 'test')];
    expect(unchangedOf(own, [], folding)).toEqual({ whole: [], parts: [] });
  });
});

test('changed paths are those that somebody holds', () => {
  const own = [reservation('ann', 'src/*'), lock('ann', 'test')];
  expect(changedIn(own, ['src/a', 'docs/b', 'test'], contextOf())).toEqual(['src/a']);
});

describe('what is given up', () => {
  const lease = reservation('ann', 'a b');
  const leases = new Map([[lease.id, lease]]);

  test('as a whole is gone, with what came of it', () => {
    const { leases: left, events } = free(
      leases,
      agent('ann'),
      { whole: [lease], parts: [] },
      { why: 'x' },
    );
    expect(left.size).toBe(0);
    expect(events).toMatchObject([
      { event: 'released', token: 10, patterns: ['a', 'b'], why: 'x' },
    ]);
  });

  test('in part leaves the rest under its token, and is told as that part', () => {
    const parts = [{ lease, kept: ['a'], lost: ['b'] }];
    const { leases: left, freed, events } = free(leases, agent('ann'), { whole: [], parts });
    expect([...left.values()]).toEqual([{ ...lease, patterns: ['a'] }]);
    expect(freed).toMatchObject([{ patterns: ['b'] }]);
    expect(events).toMatchObject([{ patterns: ['b'] }]);
  });
});
