/** Handing over: all of it or nothing, under new tokens. */
import { describe, expect } from 'vitest';
import type { Transfer } from '../../../src/core/decide/transfer.ts';
import { decideTransfer } from '../../../src/core/decide/transfer.ts';
import type { AgentName, Lease } from '../../../src/core/lease.ts';
import { limits } from '../../../src/core/limits.ts';
import {
  agent,
  callerOf,
  changeIn,
  claim,
  expired,
  heldIn,
  inGrace,
  named,
  type Row,
  reservation,
  stateOf,
  table,
} from '../../support/states.ts';

const lease = reservation('ann', 'src/a');
const gives = (more: Partial<Transfer> = {}): Transfer => ({
  caller: callerOf('ann'),
  selection: { by: 'all' },
  to: 'bob',
  reason: '',
  ...more,
});

const rows: readonly Row<
  Transfer,
  { readonly leases: readonly Lease[]; readonly to: AgentName }
>[] = [
  {
    says: "what is handed over is the receiver's under a new token",
    state: stateOf({ agents: ['bob'], leases: [lease] }),
    ask: gives(),
    gives: 'transferred bob',
    also: (decision) =>
      expect(changeIn(decision).result.leases).toMatchObject([
        { id: lease.id, token: 100, agent: named('bob') },
      ]),
  },
  {
    says: 'what is in grace is handed over as live',
    state: stateOf({ agents: ['bob'], leases: [{ ...lease, ...inGrace }] }),
    ask: gives(),
    gives: 'transferred bob',
  },
  {
    says: 'of a claim it is remembered where its work began and who has worked on it',
    state: stateOf({ agents: ['bob'], leases: [claim('ann', 'bd-1', { token: 7 })] }),
    ask: gives(),
    gives: 'transferred bob',
    also: (decision) =>
      expect(changeIn(decision).result.leases).toMatchObject([
        { begun: { token: 7, agents: ['ann'] } },
      ]),
  },
  {
    says: 'the reason goes along where there is one',
    state: stateOf({ agents: ['bob'], leases: [{ ...lease, reason: 'mine' }] }),
    ask: gives({ reason: 'yours' }),
    gives: 'transferred bob',
    also: (decision) =>
      expect(changeIn(decision).result.leases).toMatchObject([{ reason: 'yours' }]),
  },
  {
    says: 'the receiver is on record',
    state: stateOf({ leases: [lease] }),
    ask: gives(),
    gives: 'refused: no_such_agent',
  },
  {
    says: 'nobody gives to itself',
    state: stateOf({ leases: [lease] }),
    ask: gives({ to: 'ann' }),
    gives: 'refused: no_such_agent',
  },
  {
    says: "what is another's is not given away",
    state: stateOf({ agents: ['bob'], leases: [lease, reservation('eve', 'src/e')] }),
    ask: gives({ selection: { by: 'named', ids: [reservation('eve', 'src/e').id], patterns: [] } }),
    gives: 'refused: not_owner',
  },
  {
    says: 'nothing is given where not all that was named is held',
    state: stateOf({ agents: ['bob'], leases: [lease] }),
    ask: gives({ selection: { by: 'named', ids: [], patterns: ['src/a', 'src/b'] } }),
    gives: 'refused: nothing_matched',
  },
  {
    says: 'no part of a lease is given away',
    state: stateOf({ agents: ['bob'], leases: [reservation('ann', 'src/a src/b')] }),
    ask: gives({ selection: { by: 'named', ids: [], patterns: ['src/a'] } }),
    gives: 'refused: nothing_matched',
  },
  {
    says: 'what has expired is not given away',
    state: stateOf({ agents: ['bob'], leases: [{ ...lease, ...expired }] }),
    ask: gives(),
    gives: 'refused: nothing_matched',
  },
  {
    says: 'a transfer conflicts like a grant, with what a child of the giver holds',
    state: stateOf({ agents: ['bob'], leases: [lease, reservation('ann/kid', 'src/a')] }),
    ask: gives(),
    gives: 'refused: held',
  },
  {
    says: 'what ran out beside kin goes when a stranger comes beside it, and is told',
    state: stateOf({ agents: ['bob'], leases: [lease, reservation('ann/kid', 'src/a', expired)] }),
    ask: gives(),
    gives: 'expired ann/kid, transferred bob',
    also: (decision) => expect(heldIn(changeIn(decision).state)).toEqual(['bob src/a']),
  },
  {
    says: 'nobody is given more than an agent may hold',
    state: stateOf({
      leases: [
        lease,
        ...Array.from({ length: limits.leasesPerAgent }, (_, i) => reservation('bob', `f${i}`)),
      ],
    }),
    ask: gives(),
    gives: 'refused: cap of agent',
  },
  {
    says: 'who gives under the name of a session shows its key',
    state: stateOf({ agents: ['bob', agent('ann', { session: 'key' })], leases: [lease] }),
    ask: gives(),
    gives: 'refused: not_your_session',
  },
];

describe('a transfer', () => table(rows, decideTransfer));
