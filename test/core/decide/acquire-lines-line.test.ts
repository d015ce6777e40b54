/** Lines that are refused, what is said of it, and standing in line for them. */
import { describe, expect, test } from 'vitest';
import { decideAcquire } from '../../../src/core/decide/acquire.ts';
import type { Lease, Mode } from '../../../src/core/lease.ts';
import type { State } from '../../../src/core/state.ts';
import { type AcquireRow, asks, paths } from '../../support/acquisitions.ts';
import {
  changeIn,
  contextOf,
  refusalIn,
  reservation,
  stateOf,
  table,
  wait,
} from '../../support/states.ts';

const [here, there] = ['treehere', 'treethere'];
const lines = { mode: 'lines', workTree: here } as const;
const elsewhere = { mode: 'lines', workTree: there } as const;

/** Asked for in the work tree `here`. */
const rows = (all: readonly AcquireRow[]): readonly AcquireRow[] =>
  all.map((row) => ({ c: { workTree: () => here }, ...row }));

describe('a refusal says that lines can be had', () => {
  const says = (state: State, mode: Mode = 'exclusive', place?: string): boolean => {
    const circumstances = contextOf({ workTree: () => place ?? here });
    const decision = decideAcquire(asks('bob', paths('src/a'), { mode }), state, circumstances);
    return 'lines' in refusalIn(decision);
  };
  const held = (...leases: readonly Lease[]): State => stateOf({ agents: ['bob'], leases });

  test.for<readonly [string, boolean, State, Mode?, string?]>([
    ['where only lines are held here', true, held(reservation('ann', 'src/a', lines))],
    [
      'not where all of it is held besides',
      false,
      held(reservation('ann', 'src/a', lines), reservation('ann/kid', 'src/a')),
    ],
    ['not where they are held elsewhere', false, held(reservation('ann', 'src/a', elsewhere))],
    [
      'not where somebody waits for all of it',
      false,
      stateOf({
        agents: ['bob'],
        leases: [reservation('ann', 'src/a', lines)],
        waits: [wait('eve', 'src/a')],
      }),
    ],
    ['not to readers', false, held(reservation('ann', 'src/a', lines)), 'shared'],
    ['not where all is held', false, held(reservation('ann', 'src/a'))],
    [
      'not in another work tree',
      false,
      held(reservation('ann', 'src/a', lines)),
      'exclusive',
      there,
    ],
  ])('%s', ([, wanted, state, mode, place]) => {
    expect(says(state, mode, place)).toBe(wanted);
  });
});

describe('waiting for lines', () =>
  table(
    rows([
      {
        says: 'is for those of this work tree',
        state: stateOf({ agents: ['bob'], leases: [reservation('ann', 'src/a')] }),
        ask: asks('bob', paths('src/a'), { mode: 'lines', wait: true }),
        gives: 'waiting bob',
        also: (decision) =>
          expect([...changeIn(decision).state.waits.values()]).toMatchObject([lines]),
      },
      {
        says: 'in another work tree closes a circle like any other',
        state: stateOf({
          leases: [reservation('ann', 'src/a', elsewhere), reservation('bob', 'src/b')],
          waits: [wait('ann', 'src/b')],
        }),
        ask: asks('bob', paths('src/a'), { mode: 'lines', wait: true }),
        gives: 'refused: deadlock',
      },
      {
        says: 'in one work tree closes none, for there is nothing to wait for',
        state: stateOf({
          leases: [reservation('ann', 'src/a', lines), reservation('bob', 'src/b')],
          waits: [wait('ann', 'src/b')],
        }),
        ask: asks('bob', paths('src/a'), { mode: 'lines', wait: true }),
        gives: 'acquired bob',
      },
      {
        says: 'gives up only lines of the same work tree for it',
        state: stateOf({
          leases: [
            reservation('ann', 'src/a', elsewhere),
            reservation('bob', 'src/b', lines),
            reservation('bob', 'src/c', elsewhere),
          ],
          waits: [wait('ann', 'src/b')],
        }),
        ask: asks('bob', paths('src/a'), { mode: 'lines', wait: true, yields: { changed: [] } }),
        gives: 'released bob, waiting bob',
        also: (decision) => {
          const [left] = [...changeIn(decision).state.waits.values()].filter(
            ({ agent }) => agent.name === 'bob',
          );
          expect(left).toMatchObject({ ...lines, patterns: ['src/a', 'src/b'] });
        },
      },
    ]),
    decideAcquire,
  ));
