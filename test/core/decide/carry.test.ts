/** Leases that go from one log to another: nothing is taken from anybody. */
import { describe, expect, test } from 'vitest';
import {
  areSame,
  type Carried,
  type Carrying,
  carryInto,
  decideCarry,
  decideGone,
  decideLeave,
  decideReturn,
  standingOf,
} from '../../../src/core/decide/carry.ts';
import type { Lease } from '../../../src/core/lease.ts';
import { limits } from '../../../src/core/limits.ts';
import {
  agent,
  bead,
  changeIn,
  contextOf,
  expired,
  heldIn,
  idOf,
  inGrace,
  named,
  type Row,
  request,
  reservation,
  stateOf,
  table,
} from '../../support/states.ts';

const lease = reservation('ann', 'src/a');
const to = { remote: 'origin', ref: 'refs/coord/log' };
const from = stateOf({
  agents: ['ann', agent('cid', { session: 'key' }), 'idle'],
  leases: [lease],
  requests: [request('bob', lease)],
  beads: [bead('bd-1', 'ann', { at: 2 })],
});
const carrying = (more: Partial<Carrying> = {}): Carrying => ({
  from,
  leases: [lease],
  to,
  by: named('ann'),
  isFirst: false,
  ...more,
});

const carries: readonly Row<Carrying, Carried>[] = [
  {
    says: 'leases come with who holds them, open sessions, requests and beads',
    state: stateOf(),
    ask: carrying(),
    gives: 'moved ann',
    also: (decision) => {
      const { state } = changeIn(decision);
      expect(heldIn(state)).toEqual(['ann src/a']);
      expect([...state.agents.values()].map(({ name }) => name)).toEqual(['ann', 'cid']);
      expect(state.requests.size).toBe(1);
      expect([...state.beads.records.keys()]).toEqual(['bd-1']);
    },
  },
  {
    says: 'what is sent again has one effect',
    state: stateOf({ agents: ['ann', 'cid'], leases: [lease] }),
    ask: carrying(),
    gives: 'no change',
  },
  {
    says: 'a log that is begun by it is written, though all is there',
    state: stateOf({ agents: ['ann', 'cid'], leases: [lease] }),
    ask: carrying({ isFirst: true }),
    gives: 'moved ann',
  },
  {
    says: 'what another holds over there is in the way',
    state: stateOf({ leases: [reservation('bob', 'src/a')] }),
    ask: carrying(),
    gives: 'refused: held',
  },
  {
    says: 'what has expired over there is not',
    state: stateOf({ leases: [reservation('bob', 'src/a', expired)] }),
    ask: carrying(),
    gives: 'moved ann',
  },
  {
    says: 'a namesake that holds something is in the way',
    state: stateOf({
      agents: [agent('ann', { id: idOf('another ann') })],
      leases: [{ ...reservation('ann', 'docs/'), agent: { id: idOf('another ann'), name: 'ann' } }],
    }),
    ask: carrying(),
    gives: 'refused: held',
  },
  {
    says: 'a namesake that holds nothing gives way',
    state: stateOf({ agents: [agent('ann', { id: idOf('another ann') })] }),
    ask: carrying(),
    gives: 'moved ann',
    also: (decision) =>
      expect(changeIn(decision).state.agents.has(idOf('another ann'))).toBe(false),
  },
  {
    says: 'a log holds no more than a log may',
    state: stateOf({
      leases: Array.from({ length: limits.leasesInAll }, (_, i) => reservation('bob', `f${i}`)),
    }),
    ask: carrying(),
    gives: 'refused: cap of all',
  },
];

const lines = reservation('ann', 'src/a', { mode: 'lines', workTree: 'treehere' });

describe('carrying leases into another log', () => {
  table(carries, decideCarry);

  table(
    [
      {
        says: 'beside lines of the same work tree there is nothing in their way',
        state: stateOf({
          leases: [reservation('bob', 'src/a', { mode: 'lines', workTree: 'treehere' })],
        }),
        ask: carrying({ leases: [lines] }),
        gives: 'moved ann',
      },
      {
        says: 'those of another one are',
        state: stateOf({
          leases: [reservation('bob', 'src/a', { mode: 'lines', workTree: 'treethere' })],
        }),
        ask: carrying({ leases: [lines] }),
        gives: 'refused: held',
      },
    ],
    decideCarry,
  );

  test('a bead that is known there as newer stays as it is there', () => {
    const there = stateOf({ beads: [bead('bd-1', 'bob', { at: 3 })] });
    const carried = carryInto(there, from, [lease], contextOf());
    expect(carried).toMatchObject({ kind: 'carried' });
    expect(carried.kind === 'carried' ? carried.state.beads.records.get('bd-1')?.by : null).toEqual(
      named('bob'),
    );
  });
});

const leaves: readonly Row<readonly Lease[], Carried>[] = [
  {
    says: 'is left empty, with where to look',
    state: from,
    ask: [lease],
    gives: 'moved ann',
    also: (decision) => {
      const { state } = changeIn(decision);
      expect(state.meta.moved).toEqual(to);
      expect(state.agents.size + state.leases.size + state.requests.size).toBe(0);
      expect(state.beads.records.size).toBe(0);
    },
  },
  {
    says: 'is not left while it holds more than has been carried',
    state: stateOf({ leases: [lease, reservation('bob', 'src/b')] }),
    ask: [lease],
    gives: 'refused: lease_changed',
  },
  {
    says: 'is left with what has expired since',
    state: stateOf({ leases: [lease, reservation('bob', 'src/b', expired)] }),
    ask: [lease],
    gives: 'moved ann',
  },
];

describe('a log that was the truth', () =>
  table(leaves, (ask, state, c) => decideLeave(ask, to, named('ann'), state, c)));

const moved = stateOf({ meta: { moved: to } });
const returns: readonly Row<readonly Lease[], Carried>[] = [
  {
    says: 'is the truth again with the leases of its own agents',
    state: moved,
    ask: [lease],
    gives: 'moved ann',
    also: (decision) => {
      expect(changeIn(decision).state.meta.moved).toBeUndefined();
      expect(heldIn(changeIn(decision).state)).toEqual(['ann src/a']);
    },
  },
  {
    says: 'that never moved does not come back',
    state: stateOf(),
    ask: [lease],
    gives: 'no change',
  },
  {
    says: 'does not come back over what stands in it',
    state: stateOf({ leases: [reservation('bob', 'src/a')], meta: { moved: to } }),
    ask: [lease],
    gives: 'refused: held',
  },
];

describe('a log that comes back', () =>
  table(returns, (ask, state, c) => decideReturn(from, ask, named('ann'), state, c)));

const goes: readonly Row<readonly Lease[], Carried>[] = [
  {
    says: 'is given back here',
    state: from,
    ask: [lease],
    gives: 'moved ann',
    also: (decision) => expect(heldIn(changeIn(decision).state)).toEqual([]),
  },
  {
    says: 'is left alone where it was granted anew',
    state: from,
    ask: [{ ...lease, token: 9 }],
    gives: 'no change',
  },
];

describe('what has gone elsewhere', () =>
  table(goes, (ask, state) => decideGone(ask, named('ann'), state)));

describe('what would have to go along', () => {
  const all = stateOf({
    leases: [lease, reservation('bob', 'src/b', inGrace), reservation('eve', 'src/c', expired)],
  });

  test('is what is live or in grace', () => {
    expect(standingOf(all, contextOf()).map(({ agent: { name } }) => name)).toEqual(['ann', 'bob']);
  });

  test('is that of the agents who are named, where some are', () => {
    const bobs = standingOf(all, contextOf(), new Set([named('bob').id]));
    expect(bobs.map(({ agent: { name } }) => name)).toEqual(['bob']);
  });

  test('is the same in any order, and another with another token or holder', () => {
    const other = reservation('bob', 'src/b');
    expect(areSame([lease, other], [other, lease])).toBe(true);
    expect(areSame([lease], [{ ...lease, token: 11 }])).toBe(false);
    expect(areSame([lease], [{ ...lease, agent: named('bob') }])).toBe(false);
    expect(areSame([lease], [])).toBe(false);
  });
});
