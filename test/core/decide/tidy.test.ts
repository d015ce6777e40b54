/** What has run out is cleared away, and nothing that somebody may still want. */
import { describe, expect, test } from 'vitest';
import { clear, expiredEvent, leftovers } from '../../../src/core/decide/tidy.ts';
import { limits } from '../../../src/core/limits.ts';
import type { State } from '../../../src/core/state.ts';
import {
  agent,
  ago,
  contextOf,
  expired,
  heldIn,
  inGrace,
  minute,
  named,
  reservation,
  stateOf,
  wait,
} from '../../support/states.ts';

const dead = { renewed: ago(limits.waitTtlMs + minute) };
const away = { active: ago(limits.agentIdleMs + minute) };

/** Each as `lease ann`, `wait ann`, `agent ann`. */
function found(state: State, olderThanMs: number, isRemote = false): readonly string[] {
  const { leases, waits, agents } = leftovers(state, contextOf({ isRemote }), olderThanMs);
  return [
    ...leases.map((one) => `lease ${one.agent.name}`),
    ...waits.map((one) => `wait ${one.agent.name}`),
    ...agents.map(({ name }) => `agent ${name}`),
  ];
}

describe('what is left over', () => {
  test.for<readonly [string, State, number, readonly string[]]>([
    [
      'is a lease that has expired',
      stateOf({ leases: [reservation('ann', 'a', expired)] }),
      0,
      ['lease ann'],
    ],
    ['is none in grace', stateOf({ leases: [reservation('ann', 'a', inGrace)] }), 0, []],
    [
      'is none that expired lately, where older ones are meant',
      stateOf({ leases: [reservation('ann', 'a', expired)] }),
      2 * minute,
      [],
    ],
    [
      'is a wait whose process is gone',
      stateOf({ waits: [wait('ann', 'a', dead)] }),
      0,
      ['wait ann'],
    ],
    ['is no wait that is renewed', stateOf({ waits: [wait('ann', 'a')] }), 0, []],
    [
      'is an agent that was not seen for a day',
      stateOf({ agents: [agent('ann', away)] }),
      0,
      ['agent ann'],
    ],
    ['is no agent that was here today', stateOf({ agents: ['ann'] }), 0, []],
    [
      'is no agent that holds something',
      stateOf({ agents: [agent('ann', away)], leases: [reservation('ann', 'a', inGrace)] }),
      0,
      [],
    ],
    [
      'is an agent whose last lease is left over too',
      stateOf({ agents: [agent('ann', away)], leases: [reservation('ann', 'a', expired)] }),
      0,
      ['lease ann', 'agent ann'],
    ],
    [
      'is no parent while its child is on record',
      stateOf({ agents: [agent('ann', away), 'ann/kid'] }),
      0,
      [],
    ],
  ])('%s', ([, state, olderThanMs, wanted]) => {
    expect(found(state, olderThanMs)).toEqual(wanted);
  });

  test('is a wait later where the log is far away', () => {
    expect(found(stateOf({ waits: [wait('ann', 'a', dead)] }), 0, true)).toEqual([]);
  });
});

describe('clearing away', () => {
  const [lease, place] = [reservation('ann', 'a', expired), wait('ann', 'b', dead)];
  const state = stateOf({
    agents: ['bob'],
    leases: [lease, reservation('bob', 'c')],
    waits: [place],
  });

  test('takes out what it was told, and tells each', () => {
    const cleared = clear(
      state,
      { leases: [lease], waits: [place], agents: [agent('ann')] },
      named('bob'),
    );
    expect(cleared.events.map(({ event, why }) => ({ event, why }))).toEqual([
      { event: 'expired', why: undefined },
      { event: 'wait-ended', why: 'abandoned' },
      { event: 'ended', why: 'idle' },
    ]);
    expect(heldIn(cleared.state)).toEqual(['bob c']);
    expect(cleared.state.waits.size).toBe(0);
    expect([...cleared.state.agents.values()].map(({ name }) => name)).toEqual(['bob']);
  });

  test('changes nothing where there is nothing', () => {
    const cleared = clear(state, { leases: [], waits: [], agents: [] }, named('bob'));
    expect(cleared.events).toEqual([]);
    expect(cleared.state).toEqual(state);
  });

  test("names who did it, but for one's own", () => {
    expect(expiredEvent(lease, named('bob'))).toMatchObject({ by: named('bob') });
    expect(expiredEvent(lease, named('ann'))).not.toHaveProperty('by');
  });
});
