/** Taking a lease away from somebody else: when, and for whom. */
import { describe, expect, test } from 'vitest';
import { type Break, breakableInMs, decideBreak } from '../../../src/core/decide/break.ts';
import { pauseLock } from '../../../src/core/ids.ts';
import type { Lease } from '../../../src/core/lease.ts';
import { limits } from '../../../src/core/limits.ts';
import {
  agent,
  ago,
  callerOf,
  changeIn,
  contextOf,
  expired,
  heldIn,
  lock,
  minute,
  named,
  type Row,
  refusalIn,
  request,
  reservation,
  stateOf,
  table,
} from '../../support/states.ts';

const lease = reservation('ann', 'src/a');
const rested = ago(limits.breakMs);
const breaks = (name: string, more: Partial<Break> = {}): Break => ({
  caller: callerOf(name),
  id: lease.id,
  reason: 'gone',
  ...more,
});

const rows: readonly Row<Break, { readonly lease: Lease }>[] = [
  {
    says: 'a lease whose holder was here just now is not broken',
    state: stateOf({ agents: ['bob'], leases: [lease] }),
    ask: breaks('bob'),
    gives: 'refused: too_early',
    also: (decision) => expect(refusalIn(decision)).toMatchObject({ retryInMs: limits.breakMs }),
  },
  {
    says: 'nor one whose holder was, though the lease was renewed long ago',
    state: stateOf({ agents: ['bob'], leases: [{ ...lease, renewed: rested }] }),
    ask: breaks('bob'),
    gives: 'refused: too_early',
  },
  {
    says: 'a lease whose holder has rested for long enough is broken, and it is told',
    state: stateOf({
      agents: ['bob', agent('ann', { active: rested })],
      leases: [{ ...lease, renewed: rested }],
    }),
    ask: breaks('bob'),
    gives: 'broken ann',
    also: (decision) => expect(heldIn(changeIn(decision).state)).toEqual([]),
  },
  {
    says: 'a lease whose holder is off the record goes by its own age',
    state: {
      ...stateOf({ agents: ['bob'], leases: [{ ...lease, renewed: rested }] }),
      agents: new Map([[named('bob').id, agent('bob')]]),
    },
    ask: breaks('bob'),
    gives: 'broken ann',
  },
  {
    says: 'what has expired is broken at once',
    state: stateOf({ agents: ['bob'], leases: [{ ...lease, ...expired }] }),
    ask: breaks('bob'),
    gives: 'broken ann',
  },
  {
    says: 'anybody may end a pause',
    state: stateOf({ agents: ['bob'], leases: [lock('ann', pauseLock)] }),
    ask: breaks('bob', { id: lock('ann', pauseLock).id }),
    gives: 'broken ann',
  },
  {
    says: 'a lease that is not there is refused',
    state: stateOf({ agents: ['bob'] }),
    ask: breaks('bob'),
    gives: 'refused: no_such_lease',
  },
  {
    says: 'who breaks under the name of a session shows its key',
    state: stateOf({ agents: [agent('bob', { session: 'key' })], leases: [lease] }),
    ask: breaks('bob'),
    gives: 'refused: not_your_session',
  },
];

describe('breaking a lease', () => table(rows, decideBreak));

describe('how long until who asks may break it', () => {
  const { breakMs } = limits;
  test.for([
    ['is the time that nobody must have seen its holder', {}, breakMs],
    ['is less where its request has waited', { asked: ago(breakMs + minute) }, breakMs - minute],
    ['is half of that where it is urgent', { asked: ago(minute), urgent: true }, breakMs - minute],
    ['is nothing where nobody has answered in time', { asked: ago(2 * breakMs) }, 0],
    [
      'is what was promised, however long it has waited',
      { asked: ago(3 * breakMs), deferred: { stamp: ago(0), etaMs: 20 * minute, reason: '' } },
      20 * minute,
    ],
    [
      'is not made shorter by a request of another grant',
      { token: 9, asked: ago(3 * breakMs) },
      breakMs,
    ],
    [
      'is not made shorter by a request of a stranger',
      { from: named('eve'), asked: ago(3 * breakMs) },
      breakMs,
    ],
    ['is made shorter by a request of kin', { from: named('bob/kid'), asked: ago(2 * breakMs) }, 0],
  ] as const)('%s', ([, more, wanted]) => {
    const state = stateOf({ leases: [lease], requests: [request('bob', lease, more)] });
    expect(breakableInMs(lease, named('bob'), state, contextOf())).toBe(wanted);
  });

  test('is what the holder has asked for, where that is more', () => {
    const longer = { ...lease, protection: { graceMs: 0, stalledMs: 0, breakMs: 10 * minute } };
    expect(breakableInMs(longer, named('bob'), stateOf({ leases: [longer] }), contextOf())).toBe(
      10 * minute,
    );
  });
});
