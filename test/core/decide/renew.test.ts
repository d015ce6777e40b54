/** Keeping what one has. */
import { describe, expect, test } from 'vitest';
import {
  decideActive,
  decideRenew,
  isStalled,
  markWork,
  type Renewal,
  renewalDueMs,
  renewCloneAgents,
  renewEveryMs,
  renewed,
  touch,
} from '../../../src/core/decide/renew.ts';
import { pauseLock } from '../../../src/core/ids.ts';
import type { Lease } from '../../../src/core/lease.ts';
import { limits } from '../../../src/core/limits.ts';
import type { State } from '../../../src/core/state.ts';
import {
  agent,
  ago,
  callerOf,
  changeIn,
  claim,
  contextOf,
  expired,
  idOf,
  inGrace,
  lock,
  minute,
  now,
  type Row,
  refusalIn,
  reservation,
  stateOf,
  table,
} from '../../support/states.ts';

const lease = reservation('ann', 'src/a', { renewed: ago(2 * minute) });
const renews = (more: Partial<Renewal> = {}): Renewal => ({
  caller: callerOf('ann'),
  ids: [],
  ttlMs: null,
  edited: [],
  ...more,
});

const rows: readonly Row<Renewal, readonly Lease[]>[] = [
  {
    says: 'all that an agent holds is renewed',
    state: stateOf({ leases: [lease, claim('ann', 'bd-1'), reservation('bob', 'src/b')] }),
    ask: renews(),
    gives: 'renewed ann, renewed ann',
  },
  {
    says: 'what is in grace is live again, for as long as was asked',
    state: stateOf({ leases: [{ ...lease, ...inGrace }] }),
    ask: renews({ ttlMs: 20 * minute }),
    gives: 'renewed ann',
    also: (decision) =>
      expect(changeIn(decision).result).toMatchObject([{ ttlMs: 20 * minute, renewed: ago(0) }]),
  },
  {
    says: 'of several the one that has expired stays so, and the others are renewed',
    state: stateOf({ leases: [lease, reservation('ann', 'src/b', expired)] }),
    ask: renews(),
    gives: 'renewed ann',
  },
  {
    says: 'what has expired is not brought back',
    state: stateOf({ leases: [{ ...lease, ...expired }] }),
    ask: renews(),
    gives: 'refused: expired',
  },
  {
    says: 'where it is named beside another, neither is renewed',
    state: stateOf({ leases: [lease, reservation('ann', 'src/b', expired)] }),
    ask: renews({ ids: [lease.id, idOf('ann src/b')] }),
    gives: 'refused: expired',
  },
  {
    says: 'who renews one is there for all it holds',
    state: stateOf({ leases: [lease, reservation('ann', 'src/b', { renewed: ago(2 * minute) })] }),
    ask: renews({ ids: [lease.id] }),
    gives: 'renewed ann, renewed ann',
  },
  {
    says: 'what another holds is not renewed',
    state: stateOf({ leases: [lease, reservation('bob', 'src/b')] }),
    ask: renews({ ids: [idOf('bob src/b')] }),
    gives: 'refused: not_owner',
  },
  {
    says: 'what is not there is named, and nothing is renewed',
    state: stateOf({ leases: [lease] }),
    ask: renews({ ids: [lease.id, 'nothing0'] }),
    gives: 'refused: nothing_matched',
    also: (decision) => expect(refusalIn(decision)).toMatchObject({ named: ['nothing0'] }),
  },
  {
    says: 'a pause is not made longer',
    state: stateOf({ leases: [lock('ann', pauseLock)] }),
    ask: renews(),
    gives: 'refused: nothing_matched',
  },
  {
    says: 'nobody renews before it was ever here',
    state: stateOf(),
    ask: renews(),
    gives: 'refused: nothing_matched',
  },
  {
    says: 'who renews under the name of a session shows its key',
    state: stateOf({ agents: [agent('ann', { session: 'key' })], leases: [lease] }),
    ask: renews(),
    gives: 'refused: not_your_session',
  },
];

describe('a renewal', () => table(rows, decideRenew));

const active: readonly Row<boolean, { readonly leases: readonly string[] }>[] = [
  {
    says: 'renews what was renewed a while ago',
    state: stateOf({ leases: [lease] }),
    ask: false,
    gives: 'renewed ann',
  },
  {
    says: 'renews nothing within a minute',
    state: stateOf({ leases: [{ ...lease, renewed: ago(minute - 1) }] }),
    ask: true,
    gives: 'no change',
  },
  {
    says: 'of work is noted at a claim also where a look has just renewed it',
    state: stateOf({
      leases: [
        claim('ann', 'bd-1', {
          renewed: ago(1),
          edited: { stamp: ago(minute), directories: ['src'] },
        }),
      ],
    }),
    ask: true,
    gives: 'renewed ann',
    also: (decision) => {
      if (decision.kind !== 'change') throw new Error(decision.kind);
      const [marked] = decision.state.leases.values();
      expect(marked?.edited).toEqual({ stamp: ago(0), directories: ['src'] });
    },
  },
  {
    says: 'that only looks is no work',
    state: stateOf({
      leases: [
        claim('ann', 'bd-1', {
          renewed: ago(1),
          edited: { stamp: ago(minute), directories: ['src'] },
        }),
      ],
    }),
    ask: false,
    gives: 'no change',
  },
  {
    says: 'does not bring back what has expired',
    state: stateOf({ leases: [{ ...lease, ...expired }] }),
    ask: false,
    gives: 'no change',
  },
  { says: 'is nothing of who was never here', state: stateOf(), ask: false, gives: 'no change' },
  {
    says: 'is nothing of who does not show the key of its session',
    state: stateOf({ agents: [agent('ann', { session: 'key' })], leases: [lease] }),
    ask: false,
    gives: 'no change',
  },
  {
    says: 'is less often where the log is far away',
    state: stateOf({ leases: [{ ...lease, renewed: ago(limits.renewRemoteEveryMs - 1) }] }),
    ask: false,
    c: { isRemote: true },
    gives: 'no change',
  },
];

describe('activity', () => {
  table(active, (hasWorked, state, c) => decideActive(callerOf('ann'), state, c, hasWorked));

  test('of a child renews what its parent holds; that of a parent nothing of its child', () => {
    const kids = stateOf({ agents: ['ann/kid'], leases: [lease] });
    expect(touch(kids, agent('ann/kid'), contextOf()).events).toHaveLength(1);
    const parents = stateOf({ agents: ['ann'], leases: [{ ...lease, agent: agent('ann/kid') }] });
    expect(touch(parents, agent('ann'), contextOf()).events).toHaveLength(0);
  });

  test('comes in time for a short lease, and is due when the first lease is', () => {
    expect(renewEveryMs({ ...lease, ttlMs: 30_000 }, {})).toBe(10_000);
    const due = renewalDueMs(stateOf({ leases: [lease] }), [agent('ann')], contextOf());
    expect(due).toBe(lease.renewed.at + minute);
    expect(renewalDueMs(stateOf(), [agent('ann')], contextOf())).toBeNull();
  });
});

describe('steady work', () => {
  const edited = { stamp: ago(minute), directories: ['src'] };
  test.for<readonly [string, Partial<Lease>, readonly string[], number]>([
    ['doubles the time of a lease', { edited }, ['src'], 30 * minute],
    ['doubles it once', { edited, steady: true }, ['src'], 15 * minute],
    ['is in one directory', { edited }, ['docs'], 15 * minute],
    ['is twice', { edited: null }, ['src'], 15 * minute],
    ['is within one TTL', { edited: { ...edited, stamp: ago(16 * minute) } }, ['src'], 15 * minute],
    ['goes up to a bound', { edited, ttlMs: 20 * minute }, ['src'], limits.ttlSteadyMs],
    ['makes nothing shorter', { edited, ttlMs: 45 * minute }, ['src'], 45 * minute],
  ])('%s', ([, more, directories, wanted]) => {
    const held = { ...lease, ...more } as Lease;
    expect(renewed(held, contextOf(), held.ttlMs, directories).ttlMs).toBe(wanted);
  });
});

describe('a claim stalls', () => {
  const rest = limits.stalledMs + 1;
  const idle = claim('ann', 'bd-1', { edited: { stamp: ago(rest), directories: [] } });
  const work = { edited: { stamp: ago(0), directories: [] } };
  test.for<readonly [string, Lease, State, boolean]>([
    ['when nobody has worked on it for long', idle, stateOf(), true],
    ['not while its agent works', claim('ann', 'bd-1'), stateOf(), false],
    [
      'not while a child works',
      idle,
      stateOf({ leases: [reservation('ann/kid', 'src/a', work)] }),
      false,
    ],
    [
      'though a stranger works',
      idle,
      stateOf({ leases: [reservation('bob', 'src/a', work)] }),
      true,
    ],
    [
      'later where its holder has asked for that',
      { ...idle, protection: { graceMs: 0, breakMs: 0, stalledMs: 2 * rest } },
      stateOf(),
      false,
    ],
    ['and a reservation never does', { ...lease, edited: idle.edited }, stateOf(), false],
  ])('%s', ([, held, state, wanted]) => {
    expect(isStalled(held, state, contextOf())).toBe(wanted);
  });

  test('not after work is noted, at most once a minute', () => {
    const state = stateOf({ leases: [idle] });
    const marked = markWork(state, agent('ann'), ['src'], contextOf());
    expect(marked.leases.get(idle.id)?.edited).toEqual({ stamp: ago(0), directories: ['src'] });
    expect(markWork(marked, agent('ann'), ['docs'], contextOf())).toBe(marked);
  });
});

describe('the agents of one clone are renewed in one entry', () => {
  const state = stateOf({
    leases: [lease, reservation('bob', 'src/b', { renewed: ago(2 * minute) })],
  });
  test.for<readonly [string, readonly (readonly [string, number])[], readonly string[]]>([
    [
      'each that has worked since',
      [
        ['ann', 0],
        ['bob', minute],
      ],
      ['ann', 'bob'],
    ],
    [
      'none that has not',
      [
        ['ann', 0],
        ['bob', 3 * minute],
      ],
      ['ann'],
    ],
    ['nobody where nobody has', [], []],
  ])('%s', ([, worked, wanted]) => {
    const at = new Map(worked.map(([name, age]) => [idOf(name), now.uptimeMs - age]));
    const { events, state: after } = renewCloneAgents(state, at, contextOf());
    expect(events.map(({ agent: { name } }) => name)).toEqual(wanted);
    expect(after === state).toBe(wanted.length === 0);
  });
});
