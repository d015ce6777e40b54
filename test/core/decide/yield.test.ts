/** Rather than close a circle of waits: what is given up, and what is then waited for. */
import { describe, expect, test } from 'vitest';
import { yieldFor } from '../../../src/core/decide/yield.ts';
import type { Lease, Wait } from '../../../src/core/lease.ts';
import { limits } from '../../../src/core/limits.ts';
import {
  agent,
  claim,
  contextOf,
  expired,
  heldIn,
  lock,
  reservation,
  stateOf,
  wait,
} from '../../support/states.ts';

const mine = wait('ann', 'wanted');

interface Given {
  readonly says: string;
  readonly leases: readonly Lease[];
  readonly waits?: readonly Wait[];
  readonly changed?: readonly string[];
  readonly waitsFor: readonly string[];
  readonly holds: readonly string[];
  readonly uncommitted?: readonly string[];
}

const rows: readonly Given[] = [
  {
    says: 'what is unchanged is given up and waited for with the rest',
    leases: [reservation('ann', 'a b')],
    waitsFor: ['wanted', 'a', 'b'],
    holds: [],
  },
  {
    says: 'what is changed is kept',
    leases: [reservation('ann', 'a b')],
    changed: ['a'],
    waitsFor: ['wanted', 'b'],
    holds: ['ann a'],
  },
  {
    says: 'what is changed and somebody waits for is said',
    leases: [reservation('ann', 'a b')],
    waits: [wait('bob', 'a')],
    changed: ['a', 'b'],
    waitsFor: ['wanted'],
    holds: ['ann a b'],
    uncommitted: ['a'],
  },
  {
    says: 'what is held in another mode cannot be asked for in the same breath, and is kept',
    leases: [reservation('ann', 'a', { mode: 'shared' })],
    waitsFor: ['wanted'],
    holds: ['ann a'],
  },
  {
    says: 'claims and locks are kept',
    leases: [claim('ann', 'bd-1'), lock('ann', 'test')],
    waitsFor: ['wanted'],
    holds: ['ann bd-1', 'ann test'],
  },
  {
    says: 'what has expired is not given up again',
    leases: [reservation('ann', 'a', expired)],
    waitsFor: ['wanted'],
    holds: ['ann a'],
  },
  {
    says: 'nothing of others is given up',
    leases: [reservation('bob', 'a')],
    waitsFor: ['wanted'],
    holds: ['bob a'],
  },
];

describe('an agent that would close a circle', () => {
  test.for(rows.map((row) => [row.says, row] as const))('%s', ([, row]) => {
    const state = stateOf({ leases: row.leases, ...(row.waits ? { waits: row.waits } : {}) });
    const yielded = yieldFor(mine, row.changed ?? [], agent('ann'), state, contextOf());
    if (yielded.kind !== 'yielded') throw new Error(yielded.refusal.kind);
    expect(yielded.wait).toMatchObject({ patterns: row.waitsFor });
    expect(heldIn(yielded.state)).toEqual(row.holds);
    expect(yielded.uncommitted).toEqual(row.uncommitted ?? []);
    expect(yielded.events.every(({ why }) => why === 'yielded')).toBe(true);
  });

  test('gives up for a lock too, and waits for the lock alone', () => {
    const place = { ...mine, kind: 'lock', name: 'test' } as Wait;
    const state = stateOf({ leases: [reservation('ann', 'a')] });
    const yielded = yieldFor(place, [], agent('ann'), state, contextOf());
    expect(yielded).toMatchObject({ kind: 'yielded', wait: place, patterns: ['a'] });
  });

  test('is refused where it would ask for more than one lease may have', () => {
    const many = Array.from({ length: limits.patternsPerLease }, (_, i) => `f${i}`).join(' ');
    const state = stateOf({ leases: [reservation('ann', many)] });
    expect(yieldFor(mine, [], agent('ann'), state, contextOf())).toMatchObject({
      kind: 'refused',
      refusal: { kind: 'cap', scope: 'patterns' },
    });
  });
});
