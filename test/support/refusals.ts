/** A refusal of every kind, for tests of what is said and printed after one. */
import type { AgentName, Lease } from '../../src/core/lease.ts';
import type { Refusal } from '../../src/core/refusal.ts';

export const agent: AgentName = { id: 'aaaaaaaa', name: 'ann' };
const held = {
  id: 'bbbbbbbb',
  agent,
  mode: 'exclusive',
  reason: '',
  ttlMs: 1,
  token: 1,
  acquiredAt: 0,
  renewed: { at: 0, domain: '', uptimeMs: 0 },
  steady: false,
  edited: null,
} as const;
const claim: Lease = { ...held, kind: 'claim', bead: 'bd-1' };
export const path: Lease = { ...held, kind: 'reservation', patterns: ['a b'] };
const lines: Lease = { ...path, mode: 'lines', workTree: 'treehere' };
const edge = { agent, waitsFor: 'x', heldBy: agent };
const standing = { blockers: [path], ahead: [], retryInMs: 600_000 };
const over = { bead: 'bd-1', by: agent, at: 0, failures: 3 };

export const refusals: readonly Refusal[] = [
  { kind: 'held', ...standing },
  { kind: 'grace', ...standing },
  { kind: 'timeout', ...standing },
  { kind: 'held', ...standing, blockers: [lines], lines: true },
  { kind: 'held', ...standing, blockers: [claim] },
  { kind: 'deadlock', blockers: [path], cycle: [{ ...edge, kind: 'reservation' }] },
  { kind: 'deadlock', blockers: [path], cycle: [{ ...edge, kind: 'lock' }] },
  {
    kind: 'deadlock',
    blockers: [path],
    cycle: [{ ...edge, kind: 'reservation' }],
    uncommitted: ['a b', 'x[1]'],
  },
  { kind: 'deadlock', blockers: [], cycle: [], uncommitted: [] },
  ...(['agent', 'all', 'patterns', 'waits', 'claims', 'requests'] as const).map(
    (scope): Refusal => ({ kind: 'cap', scope, limit: 1, own: [claim] }),
  ),
  { kind: 'nothing_matched', named: ['x'] },
  { kind: 'not_owner', leases: [path] },
  { kind: 'uncommitted', leases: [path], paths: ['a b'] },
  { kind: 'expired', leases: [path] },
  { kind: 'no_such_agent', named: 'x' },
  { kind: 'no_such_lease', named: 'x' },
  { kind: 'not_your_session', agent },
  { kind: 'name_taken', agent },
  { kind: 'wrong_token' },
  { kind: 'lease_changed', named: 'x' },
  { kind: 'no_such_request', named: 'x' },
  { kind: 'own_lease', leases: [path] },
  { kind: 'bead_done', ...over },
  { kind: 'bead_parked', ...over },
  { kind: 'tracker', bead: 'bd-1', tracker: 'bd', said: '' },
  { kind: 'tracker', bead: 'bd-1', tracker: 'file', said: '' },
  { kind: 'nothing_ready' },
  { kind: 'too_early', leases: [path], retryInMs: 1 },
];
