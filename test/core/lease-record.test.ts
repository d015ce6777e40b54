/** Leases as they stand in the log: what is read back, and what is no record at all. */
import { describe, expect, test } from 'vitest';
import type { Lease } from '../../src/core/lease.ts';
import { encodeLease, encodeWait, readLease, readWait } from '../../src/core/lease-record.ts';
import { claim, lock, reservation, wait } from '../support/states.ts';

const lines = { mode: 'lines', workTree: 'treehere' } as const;
const readAs = (lease: Lease, more: object = {}): Lease | null =>
  readLease({ ...encodeLease(lease), ...more });

describe('lines in the log', () => {
  test('are read back with their work tree', () => {
    expect(readAs(reservation('ann', 'src/a', lines))).toEqual(reservation('ann', 'src/a', lines));
    const waiting = wait('ann', 'src/a', lines);
    expect(readWait(encodeWait(waiting))).toEqual(waiting);
  });

  test('are all of it to whoever does not know of them', () => {
    expect(encodeLease(reservation('ann', 'src/a', lines))).toMatchObject({
      mode: 'exclusive',
      workTree: 'treehere',
    });
    expect(encodeWait(wait('ann', 'src/a', lines))).toMatchObject({ mode: 'exclusive' });
  });

  test('nobody knows where are all of it from then on', () => {
    expect(readAs(reservation('ann', 'src/a', { mode: 'lines' }))).toEqual(
      reservation('ann', 'src/a'),
    );
  });

  test.for([
    '',
    'A',
    'short',
    'x y z 1 2 3',
    'x'.repeat(65),
    8,
    null,
  ])('are all of it where the work tree is %j', (workTree) => {
    expect(readAs(reservation('ann', 'src/a', lines), { workTree })).toEqual(
      reservation('ann', 'src/a'),
    );
  });

  test('are of files that are held alone, and of nothing else', () => {
    const workTree = 'treehere';
    const read = reservation('ann', 'src/a', { mode: 'shared' });
    for (const other of [claim('ann', 'bd-1'), lock('ann', 'test'), read])
      expect(readAs(other, { workTree })).toEqual(other);
  });
});

test.for(['', 'line', 'lines', null, 7])('a mode that there is not (%j) is no record', (mode) => {
  expect(readAs(reservation('ann', 'src/a'), { mode })).toBeNull();
});
