/** Who is calling: put on record, known, or not let in under a name of somebody else's. */
import { describe, expect, test } from 'vitest';
import { agentNamed, type Caller, enrol, present, recall } from '../../../src/core/decide/enrol.ts';
import { formats } from '../../../src/core/format.ts';
import type { State } from '../../../src/core/state.ts';
import {
  agent,
  ago,
  callerOf,
  contextOf,
  idOf,
  minute,
  named,
  stateOf,
} from '../../support/states.ts';

const anns = agent('ann', { session: 'key' });

/** Known, put on record as what kind, or refused and why. */
function outcome(caller: Caller, state: State): string {
  const enrolled = enrol(state, caller, contextOf());
  if (enrolled.kind !== 'enrolled') return `refused: ${enrolled.kind}`;
  return enrolled.events.length === 0 ? 'known' : `started as ${enrolled.agent.kind}`;
}

describe('a caller', () => {
  test.for<readonly [string, Caller, State, string]>([
    ['that was never here is put on record', callerOf('ann'), stateOf(), 'started as agent'],
    [
      'that is a person is put on record as one',
      { ...callerOf('ann'), kind: 'person' },
      stateOf(),
      'started as person',
    ],
    ['that was here is known', callerOf('ann'), stateOf({ agents: ['ann'] }), 'known'],
    [
      'that shows the key of its session is known',
      callerOf('ann', 'key'),
      stateOf({ agents: [anns] }),
      'known',
    ],
    [
      'that does not show it is refused',
      callerOf('ann'),
      stateOf({ agents: [anns] }),
      'refused: not_your_session',
    ],
    [
      'that shows another key is refused',
      callerOf('ann', 'other'),
      stateOf({ agents: [anns] }),
      'refused: not_your_session',
    ],
    [
      'that is a child is put on record as one',
      callerOf('ann/kid', 'key'),
      stateOf({ agents: [anns] }),
      'started as subagent',
    ],
    [
      "that is a child shows its parent's key",
      callerOf('ann/kid'),
      stateOf({ agents: [anns] }),
      'refused: not_your_session',
    ],
    [
      'that is a child of nobody is refused',
      callerOf('ann/kid'),
      stateOf(),
      'refused: no_such_agent',
    ],
  ])('%s', ([, caller, state, wanted]) => {
    expect(outcome(caller, state)).toBe(wanted);
  });

  test("belongs, as a child, to its parent's session; an agent belongs to none of itself", () => {
    const kid = enrol(stateOf({ agents: [anns] }), callerOf('ann/kid', 'key'), contextOf());
    expect(kid).toMatchObject({ agent: { session: 'key', id: idOf('made 1') } });
    expect(enrol(stateOf(), callerOf('bob', 'key'), contextOf())).toMatchObject({
      agent: { session: null, reads: formats.newest },
    });
  });
});

describe('looking somebody up', () => {
  const state = stateOf({ agents: [anns, 'bob'] });

  test('finds by name and by id', () => {
    expect(agentNamed(state, 'bob')).toMatchObject(named('bob'));
    expect(agentNamed(state, named('bob').id)).toMatchObject(named('bob'));
    expect(agentNamed(state, 'eve')).toBeNull();
  });

  test('tells a caller apart that is not on record from one that may not act', () => {
    expect(recall(state, callerOf('eve'))).toBeNull();
    expect(recall(state, callerOf('bob'))).toMatchObject(named('bob'));
    expect(recall(state, callerOf('ann'))).toEqual({
      kind: 'not_your_session',
      agent: named('ann'),
    });
  });
});

test('whoever is present was here now, and reads the newest format', () => {
  const { reads: _, ...old } = agent('ann', { active: ago(minute) });
  expect(present(old, contextOf())).toMatchObject({ active: ago(0), reads: formats.newest });
});
