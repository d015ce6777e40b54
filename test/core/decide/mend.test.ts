/** A state put together from several witnesses, and what was written into it by hand. */
import { describe, expect, test } from 'vitest';
import { decideEndUnfit, rejoin, unite } from '../../../src/core/decide/mend.ts';
import type { Lease } from '../../../src/core/lease.ts';
import { limits } from '../../../src/core/limits.ts';
import type { State } from '../../../src/core/state.ts';
import {
  agent,
  ago,
  changeIn,
  contextOf,
  expired,
  heldIn,
  idOf,
  inGrace,
  minute,
  named,
  type Row,
  reservation,
  stateOf,
  table,
  wait,
} from '../../support/states.ts';

const base = 5;
const lease = reservation('ann', 'src/a', { token: 10 });

describe('what a witness knows', () => {
  test.for<readonly [string, State, readonly Lease[], readonly string[]]>([
    ['is put back', stateOf(), [lease], ['ann src/a']],
    ['is put back in grace too', stateOf(), [{ ...lease, ...inGrace }], ['ann src/a']],
    ['is not put back once it has expired', stateOf(), [{ ...lease, ...expired }], []],
    [
      'is not put back where the log itself says what became of it',
      stateOf(),
      [{ ...lease, token: base }],
      [],
    ],
    ['is there once', stateOf({ leases: [lease] }), [lease], ['ann src/a']],
    [
      'is not put back beside what stands in its way',
      stateOf({ leases: [reservation('bob', 'src/a')] }),
      [lease],
      ['bob src/a'],
    ],
    [
      'of two that are in conflict is the newer',
      stateOf(),
      [lease, reservation('bob', 'src/a', { token: 11 })],
      ['bob src/a'],
    ],
    [
      'of lines nobody knows where is one alone',
      stateOf(),
      [{ ...lease, mode: 'lines' }, reservation('bob', 'src/a', { token: 11, mode: 'lines' })],
      ['bob src/a'],
    ],
    [
      'of two with one token is the one that was renewed last',
      stateOf(),
      [{ ...lease, renewed: ago(minute) }, reservation('bob', 'src/a', { token: 10 })],
      ['bob src/a'],
    ],
  ])('%s', ([, state, leases, wanted]) => {
    expect(heldIn(unite(state, base, { leases, agents: [] }, contextOf()).state)).toEqual(wanted);
  });

  test('of lines is put back beside those of the same work tree', () => {
    const lines = (by: string, workTree: string): Lease =>
      reservation(by, 'src/a', { mode: 'lines', workTree });
    const leases = [lines('ann', 'treehere'), lines('bob', 'treehere'), lines('eve', 'treethere')];
    const { state } = unite(stateOf(), base, { leases, agents: [] }, contextOf());
    expect(heldIn(state)).toEqual(['ann src/a', 'bob src/a']);
  });

  test('brings back who holds something, and nobody else', () => {
    const agents = [agent('ann'), agent('idle')];
    const { state } = unite(stateOf(), base, { leases: [lease], agents }, contextOf());
    expect([...state.agents.values()].map(({ name }) => name)).toEqual(['ann']);
  });

  test("takes nobody's name away from who has it there", () => {
    const there = stateOf({ agents: [agent('ann', { id: idOf('another ann') })] });
    const { state } = unite(there, base, { leases: [lease], agents: [agent('ann')] }, contextOf());
    expect([...state.agents.keys()]).toEqual([idOf('another ann')]);
  });

  test('leaves nobody in line: whoever waits asks again', () => {
    const { state } = unite(
      stateOf({ waits: [wait('bob', 'src/b')] }),
      base,
      { leases: [], agents: [] },
      contextOf(),
    );
    expect(state.waits.size).toBe(0);
  });
});

describe('a log that went on from an older operation', () => {
  test.for<readonly [string, State, State, readonly string[]]>([
    ['has again what was granted after it', stateOf(), stateOf({ leases: [lease] }), ['ann src/a']],
    [
      'loses what had ended after it',
      stateOf({ leases: [{ ...lease, token: base }] }),
      stateOf(),
      [],
    ],
    [
      'keeps what it has granted itself since',
      stateOf({ leases: [reservation('bob', 'src/b', { token: base + 1 })] }),
      stateOf({ leases: [lease] }),
      ['bob src/b', 'ann src/a'],
    ],
    [
      'keeps what both know',
      stateOf({ leases: [{ ...lease, token: base }] }),
      stateOf({ leases: [{ ...lease, token: base }] }),
      ['ann src/a'],
    ],
  ])('%s', ([, there, ours, wanted]) => {
    expect(heldIn(rejoin(there, ours, base, contextOf()).state)).toEqual(wanted);
  });
});

const unfit: readonly Row<null, { readonly leases: readonly Lease[] }>[] = [
  {
    says: 'a log that coord has written is left as it is',
    state: stateOf({ leases: [lease] }),
    ask: null,
    gives: 'no change',
  },
  {
    says: 'a lease of more than a day is ended, and why is told',
    state: stateOf({
      leases: [lease, reservation('bob', 'src/b', { ttlMs: limits.ttlMaxMs + 1 })],
    }),
    ask: null,
    gives: 'broken bob',
    also: (decision) => {
      expect(heldIn(changeIn(decision).state)).toEqual(['ann src/a']);
      expect(changeIn(decision).events).toMatchObject([
        { by: named('ann'), reason: expect.stringContaining('TTL of over 24 h') },
      ]);
    },
  },
  {
    says: 'a lease of too many patterns is ended, and no more of them are told than a lease has',
    state: stateOf({
      leases: [
        reservation(
          'bob',
          Array.from({ length: limits.patternsPerLease + 5 }, (_, i) => `f${i}`).join(' '),
        ),
      ],
    }),
    ask: null,
    gives: 'broken bob',
    also: (decision) =>
      expect(changeIn(decision).events[0]?.['patterns']).toHaveLength(limits.patternsPerLease),
  },
  {
    says: 'a lease of a pattern that nobody can ask for is ended',
    state: stateOf({ leases: [reservation('bob', '{a,b}'.repeat(7))] }),
    ask: null,
    gives: 'broken bob',
  },
];

describe('what was written by hand', () =>
  table(unfit, (_ask, state) => decideEndUnfit(named('ann'), state)));
