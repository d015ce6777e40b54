/** An agent's life: begun, taken over, ended, swept. */
import { describe, expect } from 'vitest';
import type { Agent } from '../../../src/core/agent.ts';
import {
  decideAdopt,
  decideEnd,
  decideStart,
  decideSweep,
  type SessionAdopt,
  type SessionStart,
} from '../../../src/core/decide/session.ts';
import type { Leftovers } from '../../../src/core/decide/tidy.ts';
import type { AgentName, Lease } from '../../../src/core/lease.ts';
import { limits } from '../../../src/core/limits.ts';
import {
  agent,
  ago,
  callerOf,
  changeIn,
  expired,
  heldIn,
  named,
  type Row,
  reservation,
  stateOf,
  table,
  wait,
} from '../../support/states.ts';

const starts = (name: string, more: Partial<SessionStart> = {}): SessionStart => ({
  caller: callerOf(name),
  newSession: 'new key',
  ...more,
});
const anns = agent('ann', { session: 'key' });

const beginnings: readonly Row<SessionStart, { readonly agent: Agent }>[] = [
  {
    says: 'a name that nobody has begins under a key',
    state: stateOf(),
    ask: starts('ann'),
    gives: 'started ann',
    also: (decision) => expect(changeIn(decision).result.agent.session).toBe('new key'),
  },
  {
    says: 'an agent that only said its name gets one, and its children with it',
    state: stateOf({ agents: ['ann', 'ann/kid', 'bob'] }),
    ask: starts('ann'),
    gives: 'started ann',
    also: (decision) =>
      expect([...changeIn(decision).state.agents.values()].map(({ session }) => session)).toEqual([
        'new key',
        'new key',
        null,
      ]),
  },
  {
    says: "a child that is begun inside its parent's session keeps to that key",
    state: stateOf({ agents: [anns] }),
    ask: starts('ann/kid', { caller: callerOf('ann/kid', 'key') }),
    gives: 'started ann/kid',
    also: (decision) => expect(changeIn(decision).result.agent.session).toBe('key'),
  },
  {
    says: 'a name that belongs to a session is taken',
    state: stateOf({ agents: [anns] }),
    ask: starts('ann'),
    gives: 'refused: name_taken',
  },
  {
    says: 'a name whose session nobody is left in is taken over',
    state: stateOf({ agents: [anns] }),
    ask: starts('ann', { takes: 'key' }),
    gives: 'adopted ann',
  },
  {
    says: 'but not where another session has it by now',
    state: stateOf({ agents: [anns] }),
    ask: starts('ann', { takes: 'older key' }),
    gives: 'refused: name_taken',
  },
  {
    says: 'a child of a session that is not its own does not begin',
    state: stateOf({ agents: [anns] }),
    ask: starts('ann/kid'),
    gives: 'refused: not_your_session',
  },
  {
    says: 'a child of nobody does not begin',
    state: stateOf(),
    ask: starts('ann/kid'),
    gives: 'refused: no_such_agent',
  },
];

const takesOver = (token: string): SessionAdopt => ({
  token,
  newSession: 'new key',
  host: 'there',
});

const adoptions: readonly Row<SessionAdopt, { readonly agent: Agent }>[] = [
  {
    says: 'its token opens it, children and all, and the old key opens nothing more',
    state: stateOf({ agents: [agent('ann/kid', { session: 'key' }), anns, 'bob'] }),
    ask: takesOver('key'),
    gives: 'adopted ann',
    also: (decision) => {
      const { agents } = changeIn(decision).state;
      expect([...agents.values()].map(({ session }) => session)).toEqual([
        'new key',
        'new key',
        null,
      ]);
      expect(agents.get(anns.id)?.host).toBe('there');
    },
  },
  {
    says: 'what its agent holds is renewed by it',
    state: stateOf({
      agents: [anns],
      leases: [reservation('ann', 'src/a', { renewed: ago(2 * limits.renewEveryMs) })],
    }),
    ask: takesOver('key'),
    gives: 'adopted ann, renewed ann',
  },
  {
    says: 'no other token does',
    state: stateOf({ agents: [anns] }),
    ask: takesOver('another'),
    gives: 'refused: wrong_token',
  },
];

const ends: readonly Row<
  readonly [name: string, key: string | null],
  { readonly agent: AgentName; readonly leases: readonly Lease[] }
>[] = [
  {
    says: 'frees what it holds, leaves the lines it stands in, and its children end with it',
    state: stateOf({
      agents: ['ann', 'ann/kid', 'bob'],
      leases: [reservation('ann', 'a'), reservation('ann/kid', 'b'), reservation('bob', 'c')],
      waits: [wait('ann', 'c')],
    }),
    ask: ['ann', null],
    gives: 'released ann, released ann/kid, wait-ended ann, ended ann, ended ann/kid',
    also: (decision) => {
      const { state, result } = changeIn(decision);
      expect(heldIn(state)).toEqual(['bob c']);
      expect([...state.agents.keys()]).toEqual([named('bob').id]);
      expect(result.leases).toHaveLength(2);
    },
  },
  {
    says: 'of a child leaves its parent at work',
    state: stateOf({ agents: ['ann', 'ann/kid'] }),
    ask: ['ann/kid', null],
    gives: 'ended ann/kid',
  },
  {
    says: 'is nothing of who was never here',
    state: stateOf(),
    ask: ['ann', null],
    gives: 'refused: nothing_matched',
  },
  {
    says: 'wants the key of the session',
    state: stateOf({ agents: [anns] }),
    ask: ['ann', 'another'],
    gives: 'refused: not_your_session',
  },
];

const gone = stateOf({
  agents: ['bob'],
  leases: [reservation('ann', 'src/a', expired), reservation('ann', 'src/b')],
});
const sweeps: readonly Row<readonly [olderThanMs: number, dryRun: boolean], Leftovers>[] = [
  {
    says: 'ends what has expired, and nothing else',
    state: gone,
    ask: [0, false],
    gives: 'expired ann',
  },
  {
    says: 'looks only, where that was asked for',
    state: gone,
    ask: [0, true],
    gives: 'no change',
    also: (decision) => expect(decision).toMatchObject({ result: { leases: [{}] } }),
  },
  {
    says: 'leaves what is younger than was asked for',
    state: gone,
    ask: [limits.leftoverMs, false],
    gives: 'no change',
  },
  { says: 'finds nothing where nothing is', state: stateOf(), ask: [0, false], gives: 'no change' },
];

describe('a session begins', () => table(beginnings, decideStart));
describe('a session is taken over', () => table(adoptions, decideAdopt));
describe('the end of an agent', () =>
  table(ends, ([name, key], state) => decideEnd(callerOf(name, key), state)));
describe('a sweep', () =>
  table(sweeps, ([olderThanMs, dryRun], state, c) =>
    decideSweep({ caller: named('bob'), olderThanMs, dryRun }, state, c),
  ));
