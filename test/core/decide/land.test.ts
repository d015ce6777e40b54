/** Work that goes to the branch everybody shares. */
import { describe, expect } from 'vitest';
import { decideLand, type Landed, type Landing } from '../../../src/core/decide/land.ts';
import {
  changeIn,
  expired,
  inGrace,
  named,
  type Row,
  refusalIn,
  reservation,
  stateOf,
  table,
} from '../../support/states.ts';

/** Bob lands src/a: what others hold is in the way, what he holds it was made under. */
const landing: Landing = {
  by: named('bob'),
  branch: 'refs/heads/main',
  commit: 'c0ffee',
  from: null,
  judge: (leases) => ({
    blockers: leases.filter(({ agent }) => agent.name !== 'bob'),
    own: leases.filter(({ agent }) => agent.name === 'bob'),
  }),
};
const [first, second] = [
  reservation('bob', 'src/a', { token: 12 }),
  reservation('bob', 'src/b', { token: 11 }),
];

const rows: readonly Row<Landing, Landed>[] = [
  {
    says: 'is on record with the tokens that it was made under, the oldest first',
    state: stateOf({ leases: [first, second] }),
    ask: landing,
    gives: 'landed bob',
    also: (decision, given) => {
      expect(changeIn(decision).result.tokens).toEqual([11, 12]);
      expect(changeIn(decision).events).toMatchObject([
        { branch: 'refs/heads/main', commit: 'c0ffee', from: null, leases: [first.id, second.id] },
      ]);
      expect(changeIn(decision).state).toBe(given);
    },
  },
  {
    says: 'lands under nothing where nothing was held',
    state: stateOf(),
    ask: { ...landing, from: 'bad' },
    gives: 'landed bob',
    also: (decision) => expect(changeIn(decision).events).toMatchObject([{ from: 'bad' }]),
  },
  {
    says: 'is refused over what another holds, with its holder',
    state: stateOf({ leases: [reservation('ann', 'src/a')] }),
    ask: landing,
    gives: 'refused: held',
    also: (decision) =>
      expect(refusalIn(decision)).toMatchObject({ blockers: [{ agent: named('ann') }] }),
  },
  {
    says: 'is refused over what another holds in grace',
    state: stateOf({ leases: [reservation('ann', 'src/a', inGrace)] }),
    ask: landing,
    gives: 'refused: held',
  },
  {
    says: 'lands over what has expired',
    state: stateOf({ leases: [reservation('ann', 'src/a', expired)] }),
    ask: landing,
    gives: 'landed bob',
  },
  {
    says: 'does not count what has expired as its own either',
    state: stateOf({ leases: [{ ...first, ...expired }] }),
    ask: landing,
    gives: 'landed bob',
    also: (decision) => expect(changeIn(decision).result.tokens).toEqual([]),
  },
];

describe('work', () => table(rows, decideLand));
