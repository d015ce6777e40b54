/** The log is raised to the newest format once every agent at work can read it. */
import { describe, expect } from 'vitest';
import { decideRaise, type Raised } from '../../../src/core/decide/raise.ts';
import { formats, neededCoord } from '../../../src/core/format.ts';
import { limits } from '../../../src/core/limits.ts';
import {
  agent,
  ago,
  changeIn,
  named,
  type Row,
  reservation,
  stateOf,
  table,
  wait,
} from '../../support/states.ts';

const old = (name: string, idle: number): ReturnType<typeof agent> =>
  agent(name, { reads: formats.first, active: ago(idle) });
const away = limits.atWorkMs;

const rows: readonly Row<null, Raised>[] = [
  {
    says: 'is raised, and says which coord it needs from then on',
    state: stateOf({ agents: ['ann'] }),
    ask: null,
    gives: 'raised ann',
    also: (decision) =>
      expect(changeIn(decision).state.meta).toMatchObject({
        version: formats.newest,
        needs: neededCoord,
      }),
  },
  {
    says: 'is not raised twice',
    state: stateOf({ agents: ['ann'], meta: { version: formats.newest } }),
    ask: null,
    gives: 'no change',
  },
  {
    says: 'waits for an agent that was here lately and cannot read it, and names it',
    state: stateOf({ agents: ['ann', old('bob', away - 1)] }),
    ask: null,
    gives: 'no change',
    also: (decision) =>
      expect(decision).toMatchObject({ result: { isRaised: false, behind: [named('bob')] } }),
  },
  {
    says: 'waits for one that has never said what it reads',
    state: stateOf({ agents: [(({ reads: _, ...silent }) => silent)(agent('bob'))] }),
    ask: null,
    gives: 'no change',
  },
  {
    says: 'does not wait for one that has been away for long',
    state: stateOf({ agents: [old('bob', away)] }),
    ask: null,
    gives: 'raised ann',
  },
  {
    says: 'waits for one that is away and holds something',
    state: stateOf({ agents: [old('bob', away)], leases: [reservation('bob', 'src/a')] }),
    ask: null,
    gives: 'no change',
  },
  {
    says: 'waits for one that is away and stands in line',
    state: stateOf({ agents: [old('bob', away)], waits: [wait('bob', 'src/a')] }),
    ask: null,
    gives: 'no change',
  },
];

describe('the format of the log', () =>
  table(rows, (_ask, state, c) => decideRaise(named('ann'), state, c)));
