/** Giving things up: what is named, what is matched, and what is not one's own. */
import { describe, expect } from 'vitest';
import {
  decideLeaveLine,
  decideRelease,
  type Release,
  type Released,
  type Selection,
} from '../../../src/core/decide/release.ts';
import { pauseLock } from '../../../src/core/ids.ts';
import type { Wait } from '../../../src/core/lease.ts';
import {
  agent,
  callerOf,
  changeIn,
  claim,
  expired,
  heldIn,
  lock,
  named,
  type Row,
  refusalIn,
  reservation,
  stateOf,
  table,
  wait,
} from '../../support/states.ts';

const by = (name: string, selection: Selection): Release => ({
  caller: callerOf(name),
  selection,
  outcome: {},
});
const paths = (...patterns: readonly string[]): Selection => ({ by: 'named', ids: [], patterns });
const lease = reservation('ann', 'src/a src/b');

const rows: readonly Row<Release, Released>[] = [
  {
    says: 'all that an agent holds is freed, and nothing of others',
    state: stateOf({ leases: [lease, claim('ann', 'bd-1'), reservation('bob', 'docs/x')] }),
    ask: by('ann', { by: 'all' }),
    gives: 'released ann, released ann',
    also: (decision) => expect(heldIn(changeIn(decision).state)).toEqual(['bob docs/x']),
  },
  {
    says: 'a pause is not ended in passing',
    state: stateOf({ leases: [lock('ann', pauseLock)] }),
    ask: by('ann', { by: 'all' }),
    gives: 'refused: nothing_matched',
  },
  {
    says: 'a lease is freed by its id',
    state: stateOf({ leases: [lease] }),
    ask: by('ann', { by: 'named', ids: [lease.id], patterns: [] }),
    gives: 'released ann',
  },
  {
    says: 'of a lease one pattern is freed, and the rest is kept',
    state: stateOf({ leases: [lease] }),
    ask: by('ann', paths('src/a')),
    gives: 'released ann',
    also: (decision) => {
      expect(heldIn(changeIn(decision).state)).toEqual(['ann src/b']);
      expect(changeIn(decision).result.leases).toMatchObject([{ patterns: ['src/a'] }]);
    },
  },
  {
    says: 'a pattern frees the plain paths that it matches',
    state: stateOf({ leases: [lease] }),
    ask: by('ann', paths('src/*')),
    gives: 'released ann',
  },
  {
    says: 'a path does not free a pattern that says more',
    state: stateOf({ leases: [reservation('ann', 'src/*')] }),
    ask: by('ann', paths('src/a')),
    gives: 'refused: nothing_matched',
  },
  {
    says: 'the name of what has become a folder frees it',
    state: stateOf({ leases: [reservation('ann', 'src/a')] }),
    ask: by('ann', paths('src/a/**')),
    gives: 'released ann',
  },
  {
    says: 'what is held is freed though not all that was named is, and the rest is told',
    state: stateOf({ leases: [lease, reservation('bob', 'docs/x')] }),
    ask: by('ann', paths('src/a', 'docs/x', 'nothing')),
    gives: 'released ann',
    also: (decision) =>
      expect(changeIn(decision).result.notReleased).toEqual([
        { named: 'docs/x', heldBy: named('bob') },
        { named: 'nothing', heldBy: null },
      ]),
  },
  {
    says: 'what has expired is freed by its holder all the same',
    state: stateOf({ leases: [{ ...lease, ...expired }] }),
    ask: by('ann', { by: 'all' }),
    gives: 'released ann',
  },
  {
    says: 'a claim is freed by its bead',
    state: stateOf({ leases: [claim('ann', 'bd-1'), claim('ann', 'bd-2')] }),
    ask: by('ann', { by: 'bead', bead: 'bd-1' }),
    gives: 'released ann',
    also: (decision) => expect(heldIn(changeIn(decision).state)).toEqual(['ann bd-2']),
  },
  {
    says: 'a lock is freed by its name, and what came of its run is told',
    state: stateOf({ leases: [lock('ann', 'test')] }),
    ask: { ...by('ann', { by: 'lock', name: 'test' }), outcome: { exit: 3 } },
    gives: 'released ann',
    also: (decision) => expect(changeIn(decision).events).toMatchObject([{ exit: 3 }]),
  },
  {
    says: 'what is unchanged is freed, and the paths that kept the rest are told',
    state: stateOf({ leases: [lease, claim('ann', 'bd-1')] }),
    ask: by('ann', { by: 'unchanged', changed: ['src/b'] }),
    gives: 'released ann',
    also: (decision) => {
      expect(heldIn(changeIn(decision).state)).toEqual(['ann src/b', 'ann bd-1']);
      expect(changeIn(decision).result.kept).toEqual(['src/b']);
    },
  },
  {
    says: 'where all is changed nothing is freed',
    state: stateOf({ leases: [lease] }),
    ask: by('ann', { by: 'unchanged', changed: ['src/a', 'src/b'] }),
    gives: 'refused: uncommitted',
    also: (decision) => expect(refusalIn(decision)).toMatchObject({ paths: ['src/a', 'src/b'] }),
  },
  {
    says: 'what another holds is not freed, by its id',
    state: stateOf({ agents: ['bob'], leases: [lease] }),
    ask: by('bob', { by: 'named', ids: [lease.id], patterns: [] }),
    gives: 'refused: not_owner',
  },
  {
    says: 'nor by its pattern, its bead or its lock',
    state: stateOf({ agents: ['bob'], leases: [lock('ann', 'test')] }),
    ask: by('bob', { by: 'lock', name: 'test' }),
    gives: 'refused: not_owner',
  },
  {
    says: 'what another held and has expired is nothing that matches',
    state: stateOf({ agents: ['bob'], leases: [claim('ann', 'bd-1', { ...expired })] }),
    ask: by('bob', { by: 'bead', bead: 'bd-1' }),
    gives: 'refused: nothing_matched',
  },
  {
    says: 'nothing that matches is no success, also for who was never here',
    state: stateOf(),
    ask: by('ann', { by: 'all' }),
    gives: 'refused: nothing_matched',
  },
  {
    says: 'who releases under the name of a session shows its key',
    state: stateOf({ agents: [agent('ann', { session: 'key' })], leases: [lease] }),
    ask: by('ann', { by: 'all' }),
    gives: 'refused: not_your_session',
  },
];

describe('a release', () => table(rows, decideRelease));

const place = wait('ann', 'src/a');
const leaving: readonly Row<string, { readonly wait: Wait | null }>[] = [
  {
    says: 'is over, with why',
    state: stateOf({ waits: [place] }),
    ask: 'ann',
    gives: 'wait-ended ann',
    also: (decision) => {
      expect(changeIn(decision).state.waits.size).toBe(0);
      expect(changeIn(decision).events).toMatchObject([{ why: 'timeout' }]);
    },
  },
  {
    says: "is nobody else's to give up",
    state: stateOf({ agents: ['bob'], waits: [place] }),
    ask: 'bob',
    gives: 'no change',
  },
  {
    says: 'that is not there is given up already',
    state: stateOf(),
    ask: 'ann',
    gives: 'no change',
  },
];

describe('a place in line', () =>
  table(leaving, (name, state) => decideLeaveLine(callerOf(name), place.id, 'timeout', state)));
