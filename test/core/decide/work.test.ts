/** A bead from its claim to its end. */
import { describe, expect } from 'vitest';
import type { ReadyBead } from '../../../src/core/bead.ts';
import type { Acquired } from '../../../src/core/decide/acquisition.ts';
import type { Ended, Ending } from '../../../src/core/decide/finish.ts';
import { decideDone, decideFailed } from '../../../src/core/decide/finish.ts';
import { type ClaimNext, decideClaimNext, decideGated } from '../../../src/core/decide/work.ts';
import { limits } from '../../../src/core/limits.ts';
import {
  agent,
  ago,
  bead,
  callerOf,
  changeIn,
  claim,
  expired,
  heldIn,
  minute,
  named,
  type Row,
  stateOf,
  table,
} from '../../support/states.ts';

const ready = (id: string, priority = 2): ReadyBead => ({
  id,
  title: id,
  priority,
  labels: [],
  createdAt: '2026-01-01',
});
const next = (...beads: readonly ReadyBead[]): ClaimNext => ({
  caller: callerOf('ann'),
  mode: 'exclusive',
  ttlMs: null,
  defaultTtlMs: limits.claimTtlMs,
  reason: '',
  wait: false,
  waitId: null,
  anew: false,
  ready: beads,
  tags: [],
});
const [one, two] = [ready('bd-1', 0), ready('bd-2')];
const stalled = claim('bob', 'bd-1', {
  edited: { stamp: ago(2 * limits.stalledMs), directories: [] },
});

const picks: readonly Row<ClaimNext, Acquired>[] = [
  {
    says: 'is the most urgent',
    state: stateOf({ agents: ['ann'] }),
    ask: next(two, one),
    gives: 'acquired ann',
    also: (decision) => expect(heldIn(changeIn(decision).state)).toEqual(['ann bd-1']),
  },
  {
    says: 'is none that is claimed',
    state: stateOf({ leases: [claim('bob', 'bd-1')] }),
    ask: next(one, two),
    gives: 'started ann, acquired ann',
    also: (decision) => expect(heldIn(changeIn(decision).state)).toEqual(['bob bd-1', 'ann bd-2']),
  },
  {
    says: 'is none that is done or parked',
    state: stateOf({
      agents: ['ann'],
      beads: [bead('bd-1', 'bob', { status: 'done' }), bead('bd-2', 'bob', { status: 'parked' })],
    }),
    ask: next(one, two),
    gives: 'refused: nothing_ready',
  },
  {
    says: 'is one whose claim has stalled only where nothing else is left',
    state: stateOf({ agents: ['ann'], leases: [stalled] }),
    ask: next(one),
    gives: 'taken bob, acquired ann',
  },
  {
    says: 'is a free one before one that has stalled',
    state: stateOf({ agents: ['ann'], leases: [stalled] }),
    ask: next(one, two),
    gives: 'acquired ann',
  },
  {
    says: 'is nothing where nothing is ready',
    state: stateOf(),
    ask: next(),
    gives: 'refused: nothing_ready',
  },
];

const held = claim('ann', 'bd-1', { token: 7, base: 'ba5e' });
const ending = (more: Partial<Ending> = {}): Ending => ({
  caller: callerOf('ann'),
  bead: 'bd-1',
  labels: ['ui'],
  commit: 'c0ffee',
  token: 7,
  ...more,
});
const finished = bead('bd-1', 'ann', { status: 'done', commit: 'c0ffee' });

const done: readonly Row<Ending, Ended>[] = [
  {
    says: 'is done with the end of its claim, and its evidence can be measured by it',
    state: stateOf({ leases: [held] }),
    ask: ending(),
    gives: 'done ann',
    also: (decision) => {
      const { state, result } = changeIn(decision);
      expect(heldIn(state)).toEqual([]);
      expect(result.bead).toMatchObject({
        status: 'done',
        commit: 'c0ffee',
        labels: ['ui'],
        claim: { token: 7, base: 'ba5e', agents: ['ann'] },
      });
    },
  },
  {
    says: 'said again with the same commit is once',
    state: stateOf({ agents: ['ann'], beads: [finished] }),
    ask: ending({ token: null }),
    gives: 'no change',
  },
  {
    says: 'said again with another commit is refused',
    state: stateOf({ agents: ['ann'], beads: [finished] }),
    ask: ending({ token: null, commit: 'bad' }),
    gives: 'refused: bead_done',
  },
  {
    says: 'is not done by another than who has it',
    state: stateOf({ agents: ['ann'], leases: [claim('bob', 'bd-1')] }),
    ask: ending(),
    gives: 'refused: not_owner',
  },
  {
    says: 'is not done without a claim',
    state: stateOf({ agents: ['ann'] }),
    ask: ending(),
    gives: 'refused: nothing_matched',
  },
  {
    says: 'is not done under a claim that has expired',
    state: stateOf({ leases: [claim('ann', 'bd-1', { ...expired })] }),
    ask: ending(),
    gives: 'refused: nothing_matched',
  },
  {
    says: 'is not done under another claim than the one that was judged',
    state: stateOf({ leases: [held] }),
    ask: ending({ token: 6 }),
    gives: 'refused: lease_changed',
  },
  {
    says: 'is not done under the name of a session without its key',
    state: stateOf({ agents: [agent('ann', { session: 'key' })], leases: [held] }),
    ask: ending(),
    gives: 'refused: not_your_session',
  },
];

const note = {
  reason: 'no',
  cause: 'shared-state',
  tail: '',
  log: '',
  commit: null,
  held: [],
  next: '',
};

const failed: readonly Row<Ending, Ended>[] = [
  {
    says: 'is open again, with what was learned',
    state: stateOf({ leases: [held] }),
    ask: ending(),
    gives: 'failed ann',
    also: (decision) =>
      expect(changeIn(decision).result.bead).toMatchObject({
        status: 'open',
        failures: 1,
        note: { by: named('ann'), reason: 'no' },
      }),
  },
  {
    says: 'waits for a person after so many failures',
    state: stateOf({
      leases: [held],
      beads: [bead('bd-1', 'bob', { failures: limits.failuresUntilParked - 1 })],
    }),
    ask: ending(),
    gives: 'failed ann',
    also: (decision) => expect(changeIn(decision).result.bead.status).toBe('parked'),
  },
  {
    says: 'is not given up by another than who has it',
    state: stateOf({ agents: ['ann'], leases: [claim('bob', 'bd-1')] }),
    ask: ending(),
    gives: 'refused: not_owner',
  },
  {
    says: 'is not given up without a claim',
    state: stateOf({ agents: ['ann'] }),
    ask: ending(),
    gives: 'refused: nothing_matched',
  },
];

interface Verdict {
  readonly bead: string | null;
  readonly missing: readonly string[];
}
const verdict = (...missing: readonly string[]): Verdict => ({ bead: 'bd-1', missing });

const gated: readonly Row<Verdict, { readonly recorded: boolean }>[] = [
  {
    says: 'is on record, with what it missed',
    state: stateOf({ agents: ['ann'], beads: [bead('bd-1', 'bob')] }),
    ask: verdict('a review'),
    gives: 'gated ann',
    also: (decision) =>
      expect(changeIn(decision).state.beads.records.get('bd-1')?.followUp).toEqual(['a review']),
  },
  {
    says: 'is on record for a bead that is only claimed',
    state: stateOf({ agents: ['ann'], leases: [claim('bob', 'bd-1', { renewed: ago(minute) })] }),
    ask: verdict('a review'),
    gives: 'gated ann',
  },
  {
    says: 'is said once, however often it is asked for',
    state: stateOf({ agents: ['ann'], beads: [bead('bd-1', 'bob', { followUp: ['a review'] })] }),
    ask: verdict('a review'),
    gives: 'no change',
  },
  {
    says: 'is said again once it passes',
    state: stateOf({ agents: ['ann'], beads: [bead('bd-1', 'bob', { followUp: ['a review'] })] }),
    ask: verdict(),
    gives: 'gated ann',
    also: (decision) =>
      expect(changeIn(decision).events).toMatchObject([{ verdict: 'passed', missing: [] }]),
  },
  {
    says: 'is not on record for a bead that nobody has claimed',
    state: stateOf({ agents: ['ann'] }),
    ask: verdict('a review'),
    gives: 'no change',
  },
  {
    says: 'is not on record for no bead at all',
    state: stateOf({ agents: ['ann'] }),
    ask: { bead: null, missing: ['bead'] },
    gives: 'no change',
  },
  {
    says: 'is not asked for under the name of a session without its key',
    state: stateOf({ agents: [agent('ann', { session: 'key' })], beads: [bead('bd-1', 'bob')] }),
    ask: verdict('a review'),
    gives: 'refused: not_your_session',
  },
];

describe('the next bead', () => table(picks, decideClaimNext));
describe('a bead that is done', () => table(done, decideDone));
describe('a bead that has failed', () =>
  table(failed, (ask, state, c) => decideFailed({ ...ask, note }, state, c)));
describe('the verdict of a gate', () =>
  table(gated, (ask, state, c) =>
    decideGated(callerOf('ann'), { ...ask, commit: 'c0ffee' }, state, c),
  ));
