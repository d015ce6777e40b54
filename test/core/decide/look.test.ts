/** Looking without changing anything. */
import { describe, expect, test } from 'vitest';
import { type Checked, check, isInGrace, overview } from '../../../src/core/decide/look.ts';
import type { Lease } from '../../../src/core/lease.ts';
import { limits } from '../../../src/core/limits.ts';
import {
  agent,
  ago,
  claim,
  contextOf,
  expired,
  inGrace,
  lock,
  minute,
  reservation,
  stateOf,
  wait,
} from '../../support/states.ts';

describe('may an agent edit this?', () => {
  test.for<readonly [string, readonly Lease[], string, string]>([
    ['it is free where nobody holds it', [], 'ann', 'free'],
    ['it is held where another does', [reservation('bob', 'src/*')], 'ann', 'held'],
    [
      'it is held where another does in grace',
      [reservation('bob', 'src/a', inGrace)],
      'ann',
      'held',
    ],
    [
      'it is free again once that has expired',
      [reservation('bob', 'src/a', expired)],
      'ann',
      'free',
    ],
    [
      'it is held where another reads it',
      [reservation('bob', 'src/a', { mode: 'shared' })],
      'ann',
      'held',
    ],
    ["it is one's own where one holds all of it", [reservation('ann', 'src/*')], 'ann', 'mine'],
    ["it is one's own where kin do", [reservation('ann', 'src/a')], 'ann/kid', 'mine'],
    ['it is free where one holds only a part', [reservation('ann', 'src/a/b')], 'ann', 'free'],
    [
      "a claim and a lock are in nobody's way",
      [claim('bob', 'src/a'), lock('bob', 'src')],
      'ann',
      'free',
    ],
  ])('%s', ([, leases, name, wanted]) => {
    expect(check(['src/a'], () => name, stateOf({ leases }), contextOf()).kind).toBe(wanted);
  });

  test('whoever looks is asked for only where somebody holds something of it', () => {
    const nobody = (): string => {
      throw new Error('was asked');
    };
    const state = stateOf({ leases: [reservation('bob', 'docs/**')] });
    expect(check(['src/a'], nobody, state, contextOf()).kind).toBe('free');
    expect(() => check(['docs/x'], nobody, state, contextOf())).toThrow('was asked');
  });

  test("of several paths all have to be one's own", () => {
    const state = stateOf({ leases: [reservation('ann', 'src/a')] });
    expect(check(['src/a', 'src/b'], () => 'ann', state, contextOf()).kind).toBe('free');
  });
});

describe('may an agent edit what lines of are held?', () => {
  const lines = { mode: 'lines', workTree: 'treehere' } as const;
  const elsewhere = { mode: 'lines', workTree: 'treethere' } as const;
  /** What ann is told, and who has lines beside. */
  const told = (leases: readonly Lease[], workTree?: string): string => {
    const c = contextOf({ workTree: () => workTree });
    const checked: Checked = check(['src/a'], () => 'ann', stateOf({ leases }), c);
    const sharers = 'sharers' in checked ? checked.sharers : [];
    return [checked.kind, ...sharers.map(({ agent }) => agent.name)].join(' ');
  };

  test.for<readonly [string, readonly Lease[], string, string?]>([
    [
      'it is shared where others hold them here',
      [reservation('bob', 'src/*', lines)],
      'shared bob',
    ],
    ['also in grace', [reservation('bob', 'src/a', { ...lines, ...inGrace })], 'shared bob'],
    ['free once that has expired', [reservation('bob', 'src/a', { ...lines, ...expired })], 'free'],
    ['held where they are of another work tree', [reservation('bob', 'src/a', elsewhere)], 'held'],
    ['held from another work tree', [reservation('bob', 'src/a', lines)], 'held', 'treethere'],
    ['held where nobody knows of which', [reservation('bob', 'src/a', { mode: 'lines' })], 'held'],
    [
      'held where somebody has all of it besides',
      [reservation('bob', 'src/a', lines), reservation('bob/kid', 'src/a')],
      'held',
    ],
    ["one's own where one has lines here", [reservation('ann', 'src/a', lines)], 'mine'],
    [
      "one's own, and shared with others",
      [reservation('ann', 'src/a', lines), reservation('bob', 'src/**', lines)],
      'mine bob',
    ],
    ['not by lines of another work tree', [reservation('ann', 'src/a', elsewhere)], 'free'],
  ])('%s', ([, leases, wanted, place = 'treehere']) => {
    expect(told(leases, place)).toBe(wanted);
  });

  test('it is held where this work tree has no id', () => {
    expect(told([reservation('bob', 'src/a', lines)])).toBe('held');
    expect(told([reservation('bob', 'src/a', { mode: 'lines' })])).toBe('held');
  });

  test('which work tree this is is asked only where lines are held', () => {
    const workTree = (): string => {
      throw new Error('was asked');
    };
    const state = stateOf({ leases: [reservation('bob', 'src/a')] });
    expect(check(['src/a'], () => 'ann', state, contextOf({ workTree })).kind).toBe('held');
  });
});

describe('an overview', () => {
  const state = stateOf({
    agents: [agent('ann', { active: ago(minute) }), agent('bob')],
    leases: [
      reservation('ann', 'old', { renewed: ago(minute) }),
      reservation('ann', 'new', { token: 9 }),
      reservation('ann', 'newer', { token: 12 }),
      reservation('ann', 'gone', expired),
    ],
    waits: [
      wait('bob', 'old', { since: 30 }),
      wait('bob', 'new', { since: 20 }),
      wait('bob', 'dead', { renewed: ago(limits.waitTtlMs + 1) }),
    ],
  });
  const seen = overview(state, contextOf());

  test('has agents with the last active first', () => {
    expect(seen.agents.map(({ name }) => name)).toEqual(['bob', 'ann']);
  });

  test('has what counts, the last renewed first, then the newest', () => {
    expect(
      seen.leases.map((lease) => (lease.kind === 'reservation' ? lease.patterns[0] : '')),
    ).toEqual(['newer', 'new', 'old']);
  });

  test('has the line in its order, without those whose process is gone', () => {
    expect(seen.waits.map(({ since }) => since)).toEqual([20, 30]);
  });
});

test.for([
  ['not while it is live', ago(0), false],
  ['after its time', inGrace.renewed, true],
  ['not once it has expired', expired.renewed, false],
] as const)('a lease is in grace %s', ([, renewed, wanted]) => {
  expect(isInGrace(reservation('ann', 'src/a', { renewed }), contextOf())).toBe(wanted);
});
