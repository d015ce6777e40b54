/** Taking something: what is granted, and what is refused. */
import { describe, expect } from 'vitest';
import { decideAcquire } from '../../../src/core/decide/acquire.ts';
import { limits } from '../../../src/core/limits.ts';
import { type AcquireRow, asks, paths, theLock } from '../../support/acquisitions.ts';
import {
  agent,
  ago,
  changeIn,
  expired,
  heldIn,
  inGrace,
  lock,
  minute,
  named,
  refusalIn,
  reservation,
  stateOf,
  table,
  wait,
} from '../../support/states.ts';

const granted: readonly AcquireRow[] = [
  {
    says: 'what nobody holds is granted under the number of the operation',
    state: stateOf({ agents: ['ann'] }),
    ask: asks('ann', paths('src/a')),
    gives: 'acquired ann',
    also: (decision) => {
      const [lease] = [...changeIn(decision).state.leases.values()];
      expect(lease).toMatchObject({ token: 100, ttlMs: limits.ttlMs, agent: named('ann') });
    },
  },
  {
    says: 'an agent that was never here is put on record by it',
    state: stateOf(),
    ask: asks('ann', paths('src/a')),
    gives: 'started ann, acquired ann',
  },
  {
    says: 'kin hold the same path beside each other',
    state: stateOf({ agents: ['ann/kid'], leases: [reservation('ann', 'src/a')] }),
    ask: asks('ann/kid', paths('src/a')),
    gives: 'acquired ann/kid',
  },
  {
    says: 'two readers share',
    state: stateOf({ agents: ['bob'], leases: [reservation('ann', 'src/a', { mode: 'shared' })] }),
    ask: asks('bob', paths('src/a'), { mode: 'shared' }),
    gives: 'acquired bob',
  },
  {
    says: 'what has expired is taken, and its former holder is told first',
    state: stateOf({ agents: ['bob'], leases: [reservation('ann', 'src/a', expired)] }),
    ask: asks('bob', paths('src/a')),
    gives: 'expired ann, acquired bob',
    also: (decision) => expect(heldIn(changeIn(decision).state)).toEqual(['bob src/a']),
  },
  {
    says: 'what an agent holds already is renewed in place and keeps its token',
    state: stateOf({ leases: [reservation('ann', 'src/a')] }),
    ask: asks('ann', paths('src/a')),
    gives: 'renewed ann',
    also: (decision) =>
      expect([...changeIn(decision).state.leases.values()][0]).toMatchObject({ token: 10 }),
  },
  {
    says: 'its holder takes again what is in grace',
    state: stateOf({ leases: [reservation('ann', 'src/a', inGrace)] }),
    ask: asks('ann', paths('src/a')),
    gives: 'renewed ann',
  },
  {
    says: 'of several patterns those that are not held yet are granted beside',
    state: stateOf({ leases: [reservation('ann', 'src/a')] }),
    ask: asks('ann', paths('src/a src/b')),
    gives: 'renewed ann, acquired ann',
    also: (decision) =>
      expect(heldIn(changeIn(decision).state)).toEqual(['ann src/a', 'ann src/b']),
  },
  {
    says: 'a path below a folder that one holds is held, and its time is not made shorter',
    state: stateOf({ leases: [reservation('ann', 'src/**')] }),
    ask: asks('ann', paths('src/a'), { ttlMs: minute }),
    gives: 'renewed ann',
    also: (decision) =>
      expect([...changeIn(decision).state.leases.values()][0]).toMatchObject({
        ttlMs: limits.ttlMs,
      }),
  },
  {
    says: 'from shared to exclusive is a new hold over others, under a new token',
    state: stateOf({ leases: [reservation('ann', 'src/a', { mode: 'shared' })] }),
    ask: asks('ann', paths('src/a')),
    gives: 'renewed ann',
    also: (decision) =>
      expect([...changeIn(decision).state.leases.values()][0]).toMatchObject({
        token: 100,
        mode: 'exclusive',
      }),
  },
  {
    says: 'whoever renews does not queue behind those who wait for it',
    state: stateOf({ leases: [reservation('ann', 'src/a')], waits: [wait('bob', 'src/a')] }),
    ask: asks('ann', paths('src/a')),
    gives: 'renewed ann',
  },
  {
    says: 'whoever stands first in line is granted, and leaves the line',
    state: stateOf({ waits: [wait('bob', 'src/a'), wait('eve', 'src/a', { since: 30 })] }),
    ask: asks('bob', paths('src/a'), { wait: true, waitId: wait('bob', 'src/a').id }),
    gives: 'acquired bob',
    also: (decision) => expect(changeIn(decision).state.waits.size).toBe(1),
  },
  {
    says: 'a wait whose process is gone holds up nobody',
    state: stateOf({
      agents: ['eve'],
      waits: [wait('bob', 'src/a', { renewed: ago(limits.waitTtlMs + 1) })],
    }),
    ask: asks('eve', paths('src/a')),
    gives: 'acquired eve',
  },
];

const refusedRows: readonly AcquireRow[] = [
  {
    says: 'what another holds is refused, with the holder and when it is free',
    state: stateOf({ agents: ['bob'], leases: [reservation('ann', 'src/a')] }),
    ask: asks('bob', paths('src/*')),
    gives: 'refused: held',
    also: (decision) =>
      expect(refusalIn(decision)).toMatchObject({
        blockers: [{ agent: named('ann') }],
        retryInMs: limits.ttlMs + limits.graceMs,
      }),
  },
  {
    says: 'what is in grace is refused to others as that',
    state: stateOf({ agents: ['bob'], leases: [reservation('ann', 'src/a', inGrace)] }),
    ask: asks('bob', paths('src/a')),
    gives: 'refused: grace',
  },
  {
    says: 'a reader and a writer are in conflict, whoever came first',
    state: stateOf({ agents: ['bob'], leases: [reservation('ann', 'src/a', { mode: 'shared' })] }),
    ask: asks('bob', paths('src/a')),
    gives: 'refused: held',
  },
  {
    says: 'of several patterns none is granted where one is held',
    state: stateOf({ agents: ['bob'], leases: [reservation('ann', 'src/a')] }),
    ask: asks('bob', paths('free src/a')),
    gives: 'refused: held',
  },
  {
    says: 'siblings are no kin',
    state: stateOf({ agents: ['ann', 'ann/two'], leases: [reservation('ann/one', 'src/a')] }),
    ask: asks('ann/two', paths('src/a')),
    gives: 'refused: held',
  },
  {
    says: 'who waits for it comes before who asks later',
    state: stateOf({ agents: ['eve'], waits: [wait('bob', 'src/a')] }),
    ask: asks('eve', paths('src/a')),
    gives: 'refused: held',
    also: (decision) => expect(refusalIn(decision)).toMatchObject({ blockers: [], ahead: [{}] }),
  },
  {
    says: 'a lock that is asked for anew is refused to its own holder',
    state: stateOf({ leases: [lock('ann', 'test')] }),
    ask: asks('ann', theLock, { anew: true }),
    gives: 'refused: held',
  },
  {
    says: "a name that belongs to a session is not anybody else's",
    state: stateOf({ agents: [agent('ann', { session: 'key' })] }),
    ask: asks('ann', paths('src/a')),
    gives: 'refused: not_your_session',
  },
  {
    says: 'a child of nobody is refused',
    state: stateOf(),
    ask: asks('ann/kid', paths('src/a')),
    gives: 'refused: no_such_agent',
  },
];

describe('a request is granted', () => table(granted, decideAcquire));
describe('a request is refused', () => table(refusedRows, decideAcquire));
