/** Lines: for several editors of one file in one work tree, and in everybody's way elsewhere. */
import { describe, expect, test } from 'vitest';
import { decideAcquire } from '../../../src/core/decide/acquire.ts';
import type { Hold, Lease, Mode } from '../../../src/core/lease.ts';
import { type AcquireRow, asks, paths, theLock } from '../../support/acquisitions.ts';
import {
  changeIn,
  contextOf,
  expired,
  inGrace,
  lock,
  outcomeOf,
  refusalIn,
  reservation,
  stateOf,
  table,
  wait,
} from '../../support/states.ts';

const [here, there] = ['treehere', 'treethere'];
const lines = { mode: 'lines', workTree: here } as const;
const elsewhere = { mode: 'lines', workTree: there } as const;
const nowhere = { mode: 'lines' } as const;

/** Asked for in the work tree `here`. */
const c = { workTree: () => here };
const rows = (all: readonly AcquireRow[]): readonly AcquireRow[] =>
  all.map((row) => ({ c, ...row }));
const aLease = (decision: Parameters<NonNullable<AcquireRow['also']>>[0]): Lease | undefined =>
  [...changeIn(decision).state.leases.values()][0];

describe('who may have src/a beside whom', () => {
  /** What bob asks for, beside what ann holds. */
  const together: readonly (readonly [Mode, string, Hold, boolean])[] = [
    ['lines', 'lines here', lines, true],
    ['lines', 'lines in another work tree', elsewhere, false],
    ['lines', 'lines nobody knows where', nowhere, false],
    ['lines', 'all of it to read', { mode: 'shared' }, false],
    ['lines', 'all of it', { mode: 'exclusive' }, false],
    ['shared', 'lines here', lines, false],
    ['shared', 'lines in another work tree', elsewhere, false],
    ['shared', 'lines nobody knows where', nowhere, false],
    ['shared', 'all of it to read', { mode: 'shared' }, true],
    ['shared', 'all of it', { mode: 'exclusive' }, false],
    ['exclusive', 'lines here', lines, false],
    ['exclusive', 'lines in another work tree', elsewhere, false],
    ['exclusive', 'lines nobody knows where', nowhere, false],
    ['exclusive', 'all of it to read', { mode: 'shared' }, false],
    ['exclusive', 'all of it', { mode: 'exclusive' }, false],
  ];
  const asked = (who: string, mode: Mode, held: Partial<Lease>): string => {
    const state = stateOf({
      agents: ['bob', 'ann/kid'],
      leases: [reservation('ann', 'src/*', held)],
    });
    return outcomeOf(decideAcquire(asks(who, paths('src/a'), { mode }), state, contextOf(c)));
  };

  test.for(together)('%s where another has %s', ([mode, , held, isGranted]) => {
    expect(asked('bob', mode, held)).toBe(isGranted ? 'acquired bob' : 'refused: held');
    expect(asked('bob', mode, { ...held, ...inGrace })).toBe(
      isGranted ? 'acquired bob' : 'refused: grace',
    );
    expect(asked('bob', mode, { ...held, ...expired })).toBe(
      isGranted ? 'acquired bob' : 'expired ann, acquired bob',
    );
    expect(asked('ann/kid', mode, held)).toBe('acquired ann/kid');
  });

  test.for(together)('%s where another waits for %s', ([mode, , held, isGranted]) => {
    const state = stateOf({ agents: ['bob'], waits: [wait('ann', 'src/*', held)] });
    const decision = decideAcquire(asks('bob', paths('src/a'), { mode }), state, contextOf(c));
    expect(outcomeOf(decision)).toBe(isGranted ? 'acquired bob' : 'refused: held');
  });
});

describe('a lease of lines', () =>
  table(
    rows([
      {
        says: 'says which work tree it is for',
        state: stateOf({ agents: ['ann'] }),
        ask: asks('ann', paths('src/a'), { mode: 'lines' }),
        gives: 'acquired ann',
        also: (decision) => expect(aLease(decision)).toMatchObject(lines),
      },
      {
        says: 'is renewed in place, under its token',
        state: stateOf({ leases: [reservation('ann', 'src/a', lines)] }),
        ask: asks('ann', paths('src/a'), { mode: 'lines' }),
        gives: 'renewed ann',
        also: (decision) => expect(aLease(decision)).toMatchObject({ ...lines, token: 10 }),
      },
      {
        says: 'of another work tree stays, and one of this is beside it',
        state: stateOf({ leases: [reservation('ann', 'src/a', elsewhere)] }),
        ask: asks('ann', paths('src/a'), { mode: 'lines' }),
        gives: 'acquired ann',
        also: (decision) =>
          expect([...changeIn(decision).state.leases.values()]).toMatchObject([elsewhere, lines]),
      },
      {
        says: 'becomes one of all of it where nobody else has lines, under a new token',
        state: stateOf({ leases: [reservation('ann', 'src/a', lines)] }),
        ask: asks('ann', paths('src/a')),
        gives: 'renewed ann',
        also: (decision) => {
          expect(aLease(decision)).toMatchObject({ mode: 'exclusive', token: 100 });
          expect(aLease(decision)).not.toHaveProperty('workTree');
        },
      },
      {
        says: 'does not where somebody has',
        state: stateOf({
          leases: [reservation('ann', 'src/a', lines), reservation('bob', 'src/**', lines)],
        }),
        ask: asks('ann', paths('src/a')),
        gives: 'refused: held',
      },
      {
        says: 'does not where somebody waits for lines of it elsewhere',
        state: stateOf({
          leases: [reservation('ann', 'src/a', lines)],
          waits: [wait('bob', 'src/a', elsewhere)],
        }),
        ask: asks('ann', paths('src/a')),
        gives: 'refused: held',
      },
      {
        says: 'ends with it, where the one beside it has expired',
        state: stateOf({
          leases: [
            reservation('ann', 'src/a', lines),
            reservation('bob', 'src/a', { ...lines, ...expired }),
          ],
        }),
        ask: asks('ann', paths('src/a')),
        gives: 'expired bob, renewed ann',
      },
      {
        says: 'becomes one to read under a new token, for it is in the way of other lines now',
        state: stateOf({ leases: [reservation('ann', 'src/a', lines)] }),
        ask: asks('ann', paths('src/a'), { mode: 'shared' }),
        gives: 'renewed ann',
        also: (decision) => expect(aLease(decision)).toMatchObject({ mode: 'shared', token: 100 }),
      },
      {
        says: 'is made of one to read under a new token, for it is in the way of readers now',
        state: stateOf({ leases: [reservation('ann', 'src/a', { mode: 'shared' })] }),
        ask: asks('ann', paths('src/a'), { mode: 'lines' }),
        gives: 'renewed ann',
        also: (decision) => expect(aLease(decision)).toMatchObject({ ...lines, token: 100 }),
      },
      {
        says: 'is renewed past those who wait for all of it',
        state: stateOf({
          leases: [reservation('ann', 'src/a', lines)],
          waits: [wait('bob', 'src/a')],
        }),
        ask: asks('ann', paths('src/a'), { mode: 'lines' }),
        gives: 'renewed ann',
      },
      {
        says: 'is not granted to anybody else past them',
        state: stateOf({
          agents: ['eve'],
          leases: [reservation('ann', 'src/a', lines)],
          waits: [wait('bob', 'src/a')],
        }),
        ask: asks('eve', paths('src/a'), { mode: 'lines' }),
        gives: 'refused: held',
        also: (decision) =>
          expect(refusalIn(decision)).toMatchObject({ blockers: [], ahead: [{}] }),
      },
    ]),
    decideAcquire,
  ));

describe('of what one has all of', () =>
  table(
    rows([
      {
        says: 'one keeps lines where one asks for that, under its token',
        state: stateOf({ leases: [reservation('ann', 'src/a')] }),
        ask: asks('ann', paths('src/a'), { mode: 'lines' }),
        gives: 'renewed ann',
        also: (decision) => expect(aLease(decision)).toMatchObject({ ...lines, token: 10 }),
      },
      {
        says: 'and who waits for lines is served',
        state: stateOf({
          leases: [reservation('ann', 'src/a', lines)],
          waits: [wait('bob', 'src/a', lines)],
        }),
        ask: asks('bob', paths('src/a'), {
          mode: 'lines',
          wait: true,
          waitId: wait('bob', 'src/a').id,
        }),
        gives: 'acquired bob',
      },
      {
        says: 'nothing is given up by an edit that would do with lines',
        state: stateOf({ leases: [reservation('ann', 'src/a')] }),
        ask: asks('ann', paths('src/a'), { mode: 'lines', edited: ['src'] }),
        gives: 'renewed ann',
        also: (decision) =>
          expect(aLease(decision)).toMatchObject({ mode: 'exclusive', token: 10 }),
      },
      {
        says: 'nothing is given up where lines of a part are asked for, and no lease is beside it',
        state: stateOf({ leases: [reservation('ann', 'src/a src/b')] }),
        ask: asks('ann', paths('src/a'), { mode: 'lines' }),
        gives: 'renewed ann',
        also: (decision) => expect(aLease(decision)).toMatchObject({ mode: 'exclusive' }),
      },
      {
        says: 'a part to read makes no second lease either',
        state: stateOf({ leases: [reservation('ann', 'src/a src/b')] }),
        ask: asks('ann', paths('src/a'), { mode: 'shared' }),
        gives: 'renewed ann',
      },
    ]),
    decideAcquire,
  ));

describe('more than lines is held', () =>
  table(
    rows([
      {
        says: 'where the work tree has no id',
        state: stateOf({ agents: ['ann'] }),
        ask: asks('ann', paths('src/a'), { mode: 'lines' }),
        c: { workTree: () => undefined },
        gives: 'acquired ann',
        also: (decision) => expect(aLease(decision)).toMatchObject({ mode: 'exclusive' }),
      },
      {
        says: 'and so it is refused beside lines',
        state: stateOf({ agents: ['bob'], leases: [reservation('ann', 'src/a', lines)] }),
        ask: asks('bob', paths('src/a'), { mode: 'lines' }),
        c: { workTree: () => undefined },
        gives: 'refused: held',
      },
      {
        says: 'of what has no lines',
        state: stateOf({ leases: [lock('ann', 'test')] }),
        ask: asks('ann', theLock, { mode: 'lines' }),
        gives: 'renewed ann',
        also: (decision) => expect(aLease(decision)).toMatchObject({ mode: 'exclusive' }),
      },
    ]),
    decideAcquire,
  ));
