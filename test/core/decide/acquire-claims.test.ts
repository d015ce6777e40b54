/** Taking a bead, and how much anybody may hold. */
import { describe, expect } from 'vitest';
import { decideAcquire } from '../../../src/core/decide/acquire.ts';
import { limits } from '../../../src/core/limits.ts';
import { type AcquireRow, asks, paths, theBead } from '../../support/acquisitions.ts';
import {
  agent,
  ago,
  bead,
  changeIn,
  claim,
  heldIn,
  minute,
  refusalIn,
  reservation,
  stateOf,
  table,
} from '../../support/states.ts';

/** Many of one agent's, none of which meets another. */
const many = (count: number, by: (i: number) => string): ReturnType<typeof reservation>[] =>
  Array.from({ length: count }, (_, i) => reservation(by(i), `f${i}`));

const claims: readonly AcquireRow[] = [
  {
    says: "a bead is one agent's, also in a family",
    state: stateOf({ agents: ['ann/kid'], leases: [claim('ann', 'bd-1')] }),
    ask: asks('ann/kid', theBead),
    gives: 'refused: held',
  },
  {
    says: 'a claim begins with the commit that it was begun at',
    state: stateOf({ agents: ['ann'] }),
    ask: asks('ann', theBead, { base: 'c0ffee' }),
    gives: 'acquired ann',
    also: (decision) =>
      expect([...changeIn(decision).state.leases.values()][0]).toMatchObject({ base: 'c0ffee' }),
  },
  {
    says: 'a bead that is done is refused',
    state: stateOf({ agents: ['ann'], beads: [bead('bd-1', 'bob', { status: 'done' })] }),
    ask: asks('ann', theBead),
    gives: 'refused: bead_done',
  },
  {
    says: 'a bead that is done is begun again where that was asked for, without its failures',
    state: stateOf({
      agents: ['ann'],
      beads: [bead('bd-1', 'bob', { status: 'done', failures: 2 })],
    }),
    ask: asks('ann', theBead, { again: true }),
    gives: 'acquired ann, reopened ann',
    also: (decision) =>
      expect(changeIn(decision).state.beads.records.get('bd-1')).toMatchObject({
        status: 'open',
        failures: 0,
      }),
  },
  {
    says: 'a bead that waits for a person is refused to an agent, also again',
    state: stateOf({ agents: ['ann'], beads: [bead('bd-1', 'bob', { status: 'parked' })] }),
    ask: asks('ann', theBead, { again: true }),
    gives: 'refused: bead_parked',
  },
  {
    says: 'a person takes a bead that waits for one',
    state: stateOf({
      agents: [agent('ann', { kind: 'person' })],
      beads: [bead('bd-1', 'bob', { status: 'parked', failures: 3 })],
    }),
    ask: asks('ann', theBead),
    gives: 'acquired ann, reopened ann',
    also: (decision) =>
      expect(changeIn(decision).state.beads.records.get('bd-1')).toMatchObject({ failures: 3 }),
  },
  {
    says: 'a claim that has stalled is taken on request, and its holder is told',
    state: stateOf({
      agents: ['bob'],
      leases: [claim('ann', 'bd-1', { edited: { stamp: ago(61 * minute), directories: [] } })],
    }),
    ask: asks('bob', theBead, { take: true }),
    gives: 'taken ann, acquired bob',
    also: (decision) => expect(heldIn(changeIn(decision).state)).toEqual(['bob bd-1']),
  },
  {
    says: 'a claim that has not stalled is not taken',
    state: stateOf({ agents: ['bob'], leases: [claim('ann', 'bd-1')] }),
    ask: asks('bob', theBead, { take: true }),
    gives: 'refused: held',
  },
  {
    says: 'one claim at a time: another bead waits its turn, and is told why',
    state: stateOf({ agents: ['bob'], leases: [claim('ann', 'bd-2')] }),
    ask: asks('bob', theBead, { sequential: true }),
    gives: 'refused: held',
    also: (decision) => expect(decision).toMatchObject({ refusal: { sequential: true } }),
  },
  {
    says: 'one claim at a time: kin go on beside each other',
    state: stateOf({ agents: ['ann/kid'], leases: [claim('ann', 'bd-2')] }),
    ask: asks('ann/kid', theBead, { sequential: true }),
    gives: 'acquired ann/kid',
  },
];

const caps: readonly AcquireRow[] = [
  {
    says: 'an agent holds no more than an agent may',
    state: stateOf({ leases: many(limits.leasesPerAgent, () => 'ann') }),
    ask: asks('ann', paths('more')),
    gives: 'refused: cap of agent',
  },
  {
    says: 'the last lease that an agent may hold is granted',
    state: stateOf({ leases: many(limits.leasesPerAgent - 1, () => 'ann') }),
    ask: asks('ann', paths('more')),
    gives: 'acquired ann',
  },
  {
    says: 'a log holds no more than a log may',
    state: stateOf({ agents: ['ann'], leases: many(limits.leasesInAll, (i) => `a${i >> 5}`) }),
    ask: asks('ann', paths('more')),
    gives: 'refused: cap of all',
  },
  {
    says: 'a lease has no more patterns than a lease may',
    state: stateOf({ agents: ['ann'] }),
    ask: asks('ann', {
      kind: 'reservation',
      patterns: Array.from({ length: limits.patternsPerLease + 1 }, (_, i) => `f${i}`),
    }),
    gives: 'refused: cap of patterns',
  },
  {
    says: 'one claim too many is refused, with the one that rested longest first',
    state: stateOf({
      leases: Array.from({ length: limits.claimsPerAgent }, (_, i) =>
        claim('ann', `own-${i}`, { edited: { stamp: ago(i * minute), directories: [] } }),
      ),
    }),
    ask: asks('ann', theBead),
    gives: 'refused: cap of claims',
    also: (decision) =>
      expect(refusalIn(decision)).toMatchObject({
        own: [{ bead: 'own-7' }, {}, {}, {}, {}, {}, {}, {}],
      }),
  },
];

describe('a claim', () => table(claims, decideAcquire));
describe('a cap', () => table(caps, decideAcquire));
