/** Something others have to know, that changes nothing but the record. */
import { describe, expect } from 'vitest';
import { decideTell } from '../../../src/core/decide/tell.ts';
import type { Event } from '../../../src/core/event.ts';
import {
  agent,
  ago,
  callerOf,
  changeIn,
  heldIn,
  minute,
  named,
  type Row,
  reservation,
  stateOf,
  table,
} from '../../support/states.ts';

const word = (by: string): Event => ({ event: 'landed', agent: named(by) });

const rows: readonly Row<string, 'told'>[] = [
  {
    says: 'is told by the agent on record',
    state: stateOf({ agents: ['ann'] }),
    ask: 'ann',
    gives: 'landed ann',
    also: (decision, given) => {
      expect(changeIn(decision).actor).toEqual(named('ann'));
      expect(changeIn(decision).state.leases).toBe(given.leases);
    },
  },
  {
    says: 'puts who was never here on record first',
    state: stateOf(),
    ask: 'ann',
    gives: 'started ann, landed ann',
  },
  {
    says: 'is activity: what its agent holds is renewed',
    state: stateOf({ leases: [reservation('ann', 'src/a', { renewed: ago(2 * minute) })] }),
    ask: 'ann',
    gives: 'landed ann, renewed ann',
    also: (decision) => expect(heldIn(changeIn(decision).state)).toEqual(['ann src/a']),
  },
  {
    says: 'is not told under the name of a session without its key',
    state: stateOf({ agents: [agent('ann', { session: 'key' })] }),
    ask: 'ann',
    gives: 'refused: not_your_session',
  },
];

describe('a word to others', () =>
  table(rows, (name, state, c) => decideTell(callerOf(name), (by) => [word(by.name)], state, c)));
