/** Standing in line for something. */
import { describe, expect } from 'vitest';
import { decideAcquire } from '../../../src/core/decide/acquire.ts';
import { limits } from '../../../src/core/limits.ts';
import { type AcquireRow, asks, paths } from '../../support/acquisitions.ts';
import {
  ago,
  changeIn,
  heldIn,
  refusalIn,
  reservation,
  stateOf,
  table,
  wait,
} from '../../support/states.ts';

const inLine: readonly AcquireRow[] = [
  {
    says: 'whoever would wait stands in line',
    state: stateOf({ agents: ['bob'], leases: [reservation('ann', 'src/a')] }),
    ask: asks('bob', paths('src/a'), { wait: true }),
    gives: 'waiting bob',
    also: (decision) => expect(changeIn(decision).result).toMatchObject({ kind: 'waiting' }),
  },
  {
    says: 'a place that was renewed just now is left as it is',
    state: stateOf({ leases: [reservation('ann', 'src/a')], waits: [wait('bob', 'src/a')] }),
    ask: asks('bob', paths('src/a'), { wait: true, waitId: wait('bob', 'src/a').id }),
    gives: 'no change',
  },
  {
    says: 'a place that was renewed a while ago is renewed without a word',
    state: stateOf({
      leases: [reservation('ann', 'src/a')],
      waits: [wait('bob', 'src/a', { renewed: ago(limits.waitRenewEveryMs) })],
    }),
    ask: asks('bob', paths('src/a'), { wait: true, waitId: wait('bob', 'src/a').id }),
    gives: 'a change without a word',
  },
  {
    says: 'where the log is far away a place is renewed less often',
    state: stateOf({
      leases: [reservation('ann', 'src/a')],
      waits: [wait('bob', 'src/a', { renewed: ago(limits.waitRenewEveryMs) })],
    }),
    ask: asks('bob', paths('src/a'), { wait: true, waitId: wait('bob', 'src/a').id }),
    c: { isRemote: true },
    gives: 'no change',
  },
  {
    says: 'whoever would close a circle of waits is told',
    state: stateOf({
      leases: [reservation('ann', 'src/a'), reservation('bob', 'src/b')],
      waits: [wait('ann', 'src/b')],
    }),
    ask: asks('bob', paths('src/a'), { wait: true }),
    gives: 'refused: deadlock',
  },
  {
    says: 'or gives up what is unchanged, and waits for all of it',
    state: stateOf({
      leases: [reservation('ann', 'src/a'), reservation('bob', 'src/b')],
      waits: [wait('ann', 'src/b')],
    }),
    ask: asks('bob', paths('src/a'), { wait: true, yields: { changed: [] } }),
    gives: 'released bob, waiting bob',
    also: (decision) => expect(heldIn(changeIn(decision).state)).toEqual(['ann src/a']),
  },
  {
    says: 'but not what is changed: then the circle is told, with what kept it',
    state: stateOf({
      leases: [reservation('ann', 'src/a'), reservation('bob', 'src/b')],
      waits: [wait('ann', 'src/b')],
    }),
    ask: asks('bob', paths('src/a'), { wait: true, yields: { changed: ['src/b'] } }),
    gives: 'refused: deadlock',
    also: (decision) => expect(refusalIn(decision)).toMatchObject({ uncommitted: ['src/b'] }),
  },
  {
    says: 'no more wait than may wait in all',
    state: stateOf({
      agents: ['bob'],
      leases: [reservation('ann', 'src/a')],
      waits: Array.from({ length: limits.waitsInAll }, (_, i) => wait('eve', `w${i}`)),
    }),
    ask: asks('bob', paths('src/a'), { wait: true }),
    gives: 'refused: cap of waits',
  },
];

describe('a request that may wait', () => table(inLine, decideAcquire));
