/** Circles of waits: found where there is one, and only there. */
import { describe, expect, test } from 'vitest';
import { findCycle } from '../../../src/core/decide/deadlock.ts';
import type { Wait } from '../../../src/core/lease.ts';
import { limits } from '../../../src/core/limits.ts';
import type { State } from '../../../src/core/state.ts';
import { ago, contextOf, expired, lock, reservation, stateOf, wait } from '../../support/states.ts';

const [a, b, c] = [
  reservation('ann', 'src/a'),
  reservation('bob', 'src/b'),
  reservation('cid', 'src/c'),
];
/** Bob is about to wait for what ann has. */
const bobs = wait('bob', 'src/a', { since: 50 });

const asksFor = (by: string, name: string, since: number): Wait =>
  ({ ...wait(by, 'x', { since }), kind: 'lock', name }) as Wait;

/** Each edge as `who>whom`. */
function circle(mine: Wait, state: State): string | null {
  const cycle = findCycle(mine, state, contextOf());
  return cycle === null
    ? null
    : cycle.map((edge) => `${edge.agent.name}>${edge.heldBy.name}`).join();
}

describe('a circle of waits', () => {
  test.for<readonly [string, State, string | null]>([
    [
      'is two who wait for each other',
      stateOf({ leases: [a, b], waits: [wait('ann', 'src/b')] }),
      'bob>ann,ann>bob',
    ],
    [
      'is found through a third',
      stateOf({ leases: [a, b, c], waits: [wait('ann', 'src/c'), wait('cid', 'src/b')] }),
      'bob>ann,ann>cid,cid>bob',
    ],
    [
      'counts leases of all kinds',
      stateOf({ leases: [a, lock('bob', 'test')], waits: [asksFor('ann', 'test', 20)] }),
      'bob>ann,ann>bob',
    ],
    [
      'counts those who asked earlier, though they hold nothing',
      stateOf({
        leases: [b],
        waits: [wait('ann', 'src/a', { since: 10 }), wait('ann', 'src/b', { since: 11 })],
      }),
      'bob>ann,ann>bob',
    ],
    ['is not a holder who waits for nothing', stateOf({ leases: [a, b] }), null],
    [
      'is not a holder who waits for something else',
      stateOf({ leases: [a, b, c], waits: [wait('ann', 'src/c')] }),
      null,
    ],
    [
      'is not a lease that has expired',
      stateOf({ leases: [{ ...a, ...expired }, b], waits: [wait('ann', 'src/b')] }),
      null,
    ],
    [
      'is not a wait whose process is gone',
      stateOf({
        leases: [a, b],
        waits: [wait('ann', 'src/b', { renewed: ago(limits.waitTtlMs + 1) })],
      }),
      null,
    ],
    [
      'is not one of other agents, in which whoever asks is not',
      stateOf({
        leases: [a, c, b],
        waits: [wait('ann', 'src/c'), wait('cid', 'src/a', { since: 40 })],
      }),
      null,
    ],
    [
      "is not one through kin, who do not stand in each other's way",
      stateOf({
        leases: [
          a,
          reservation('bob/kid', 'src/b'),
          reservation('eve', 'src/e'),
          lock('bob', 'test'),
        ],
        waits: [wait('ann', 'src/b'), wait('bob/kid', 'src/e'), asksFor('eve', 'test', 20)],
      }),
      null,
    ],
  ])('%s', ([, state, wanted]) => {
    expect(circle(bobs, state)).toBe(wanted);
  });

  test.for<readonly [string, Wait, State, string | null]>([
    [
      'are no circle where one of them is behind both',
      asksFor('ann', 'test', 50),
      stateOf({ leases: [lock('ann', 'test')], waits: [asksFor('bob', 'test', 10)] }),
      null,
    ],
    [
      'are no circle where somebody between them has a second one too',
      asksFor('ann', 'test', 20),
      stateOf({
        leases: [lock('bob', 'test')],
        waits: [asksFor('ann', 'test', 10), asksFor('bob', 'test', 30)],
      }),
      null,
    ],
    [
      'hide no circle of another lock',
      asksFor('ann', 'test', 50),
      stateOf({
        leases: [lock('ann', 'test'), lock('bob', 'test'), lock('ann', 'deploy')],
        waits: [asksFor('bob', 'test', 10), asksFor('bob', 'deploy', 11)],
      }),
      'ann>bob,bob>ann',
    ],
  ])('several runs of an agent under one lock %s', ([, mine, state, wanted]) => {
    expect(circle(mine, state)).toBe(wanted);
  });
});
