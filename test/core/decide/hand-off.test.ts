/** The end of a session whose work goes on. */
import { describe, expect } from 'vitest';
import { decideHandOff } from '../../../src/core/decide/finish.ts';
import type { AgentName, Lease } from '../../../src/core/lease.ts';
import {
  agent,
  bead,
  callerOf,
  changeIn,
  claim,
  expired,
  heldIn,
  named,
  type Row,
  reservation,
  stateOf,
  table,
} from '../../support/states.ts';

const rows: readonly Row<
  string | null,
  { readonly agent: AgentName; readonly leases: readonly Lease[] }
>[] = [
  {
    says: 'gives all that it holds to whom it names, and ends',
    state: stateOf({ agents: ['bob'], leases: [reservation('ann', 'src/a')] }),
    ask: 'bob',
    gives: 'transferred bob, ended ann',
    also: (decision) => {
      expect(heldIn(changeIn(decision).state)).toEqual(['bob src/a']);
      expect(changeIn(decision).result.leases).toMatchObject([{ token: 100 }]);
    },
  },
  {
    says: 'ends where it holds nothing, whoever is named',
    state: stateOf({ agents: ['ann'] }),
    ask: 'bob',
    gives: 'ended ann',
  },
  {
    says: 'does not end where whom it names is not there',
    state: stateOf({ leases: [reservation('ann', 'src/a')] }),
    ask: 'bob',
    gives: 'refused: no_such_agent',
  },
  {
    says: 'does not end where whom it names cannot have it',
    state: stateOf({
      agents: ['bob'],
      leases: [reservation('ann', 'src/a'), reservation('ann/kid', 'src/a')],
    }),
    ask: 'bob',
    gives: 'refused: held',
  },
  {
    says: 'leaves a word on each of its beads where it names nobody, with the paths it held',
    state: stateOf({ leases: [claim('ann', 'bd-1'), reservation('ann', 'src/a')] }),
    ask: null,
    gives: 'released ann, released ann, ended ann',
    also: (decision) =>
      expect(changeIn(decision).state.beads.records.get('bd-1')).toMatchObject({
        status: 'open',
        note: { by: named('ann'), reason: 'to be continued', held: ['src/a'] },
      }),
  },
  {
    says: 'keeps what a bead was already known by',
    state: stateOf({
      leases: [claim('ann', 'bd-1')],
      beads: [bead('bd-1', 'eve', { failures: 2, labels: ['ui'] })],
    }),
    ask: null,
    gives: 'released ann, ended ann',
    also: (decision) =>
      expect(changeIn(decision).state.beads.records.get('bd-1')).toMatchObject({
        failures: 2,
        labels: ['ui'],
      }),
  },
  {
    says: 'leaves no word on a bead whose claim has expired',
    state: stateOf({ leases: [claim('ann', 'bd-1', { ...expired })] }),
    ask: null,
    gives: 'released ann, ended ann',
    also: (decision) => expect(changeIn(decision).state.beads.records.size).toBe(0),
  },
  {
    says: 'is nothing of who was never here',
    state: stateOf(),
    ask: null,
    gives: 'refused: nothing_matched',
  },
  {
    says: 'wants the key of the session',
    state: stateOf({ agents: [agent('ann', { session: 'key' })] }),
    ask: null,
    gives: 'refused: not_your_session',
  },
];

describe('a session that is handed on', () =>
  table(rows, (to, state, c) =>
    decideHandOff({ caller: callerOf('ann'), to, reason: 'to be continued' }, state, c),
  ));
