/** What every decision is made of: who still counts, and how records change. */
import { describe, expect, test } from 'vitest';
import {
  amend,
  facts,
  freshId,
  isActive,
  isWaiting,
  refused,
  waitTtlMs,
} from '../../../src/core/decide/decision.ts';
import { limits } from '../../../src/core/limits.ts';
import { ago, contextOf, idOf, reservation, stateOf, wait } from '../../support/states.ts';

describe('a lease counts', () => {
  const { ttlMs, graceMs } = limits;
  test.for([
    ['while it is live', 0, true],
    ['at the very end of its time', ttlMs, true],
    ['in grace', ttlMs + 1, true],
    ['at the very end of its grace', ttlMs + graceMs, true],
    ['and no longer', ttlMs + graceMs + 1, false],
  ] as const)('%s', ([, age, counts]) => {
    const lease = reservation('ann', 'src/a', { renewed: ago(age) });
    expect(isActive(lease, contextOf())).toBe(counts);
  });
});

describe('a wait counts', () => {
  test.for([
    ['while its process renews it', limits.waitTtlMs, {}, true],
    ['and no longer', limits.waitTtlMs + 1, {}, false],
    ['longer where the log is far away', limits.waitTtlMs + 1, { isRemote: true }, true],
    ['and there no longer either', limits.waitRemoteTtlMs + 1, { isRemote: true }, false],
  ] as const)('%s', ([, age, more, counts]) => {
    const c = contextOf(more);
    expect(isWaiting(wait('ann', 'src/a', { renewed: ago(age) }), c)).toBe(counts);
    expect(waitTtlMs(c)).toBe('isRemote' in more ? limits.waitRemoteTtlMs : limits.waitTtlMs);
  });
});

describe('records that change', () => {
  const before = new Map([
    ['a', 1],
    ['b', 2],
  ]);

  test('are put in, replaced and taken out, and what was there before stays as it was', () => {
    const after = amend(before, [
      ['a', null],
      ['b', 3],
      ['c', 4],
    ]);
    expect(Object.fromEntries(after)).toEqual({ b: 3, c: 4 });
    expect(Object.fromEntries(before)).toEqual({ a: 1, b: 2 });
  });

  test('are the very same where nothing changes', () => {
    expect(amend(before, [])).toBe(before);
  });
});

describe('a fresh id', () => {
  test('is none that an agent, a lease, a wait or a request has', () => {
    const taken = reservation('ann', 'src/a', { id: idOf('made 1') });
    const place = wait('ann', 'src/b', { id: idOf('made 2') });
    const state = stateOf({ leases: [taken], waits: [place] });
    expect(freshId(state, contextOf())).toBe(idOf('made 3'));
  });
});

test('what an event tells of a lease is its id and what it is of', () => {
  const lease = reservation('ann', 'src/a');
  expect(facts(lease)).toEqual({ lease: lease.id, kind: 'reservation', patterns: ['src/a'] });
});

test('a refusal is a value of its own', () => {
  expect(refused({ kind: 'wrong_token' })).toEqual({
    kind: 'refused',
    refusal: { kind: 'wrong_token' },
  });
});
