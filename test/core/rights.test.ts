/**
 * Whose records an operation may change: all that coord itself does is right, and each thing that
 * another may not do is found.
 */
import { describe, expect, test } from 'vitest';
import type { Stand } from '../../src/core/check-log.ts';
import { decideDone, decideFailed } from '../../src/core/decide/finish.ts';
import { decideGated } from '../../src/core/decide/work.ts';
import { limits } from '../../src/core/limits.ts';
import { unauthorizedChanges } from '../../src/core/rights.ts';
import { acquire } from '../../src/loop/acquire.ts';
import { operate } from '../../src/loop/operate.ts';
import { standsOf } from '../../src/study/stands.ts';
import {
  adoptSession,
  answer,
  ask,
  breakLease,
  claim,
  endSession,
  release,
  renew,
  reserve,
  startSession,
  sweep,
  transfer,
} from '../support/rendered.ts';
import { worldOf } from '../support/world.ts';
import { ending, idOf, last, type Scene, scene } from './rights-scene.ts';

/** A bead that fails, is done, asks for more and is begun again, while another waits for it. */
async function workOn(here: Scene, bead: string): Promise<void> {
  const { ann, bob } = here;
  await claim(ann, bead, {});
  await operate(ann, (state, c) =>
    decideFailed(
      {
        ...ending(ann, bead),
        note: { reason: 'no', cause: '', tail: '', log: '', commit: null, held: [], next: '' },
      },
      state,
      c,
    ),
  );
  await claim(bob, bead, {});
  const token =
    [...last(here).state.leases.values()].find(({ kind }) => kind === 'claim')?.token ?? 0;
  await operate(bob, (state, c) => decideDone({ ...ending(bob, bead), token }, state, c));
  await operate(ann, (state, c) =>
    decideGated(ann.caller(), { bead, commit: 'a'.repeat(40), missing: ['a review'] }, state, c),
  );
  await claim(ann, bead, { again: true });
  const request = {
    caller: bob.caller(),
    want: { kind: 'claim', bead },
    mode: 'exclusive',
    ttlMs: null,
    defaultTtlMs: limits.ttlMs,
    reason: '',
    anew: false,
  } as const;
  await acquire(bob, request, { waitMs: 1_000 });
}

/** All that agents may do with each other's. */
async function story(): Promise<readonly Stand[]> {
  const here = scene();
  const { ann, bob, clock } = here;
  await reserve(ann, ['src/**'], {});
  await reserve(bob, ['docs/'], {});
  await ask(bob, idOf(here, 'ann'), 'I need it', false);
  await answer(ann, idOf(here, 'ann'), 'defer', { etaMs: 60_000, reason: 'soon', frees: false });
  await ask(bob, idOf(here, 'ann'), 'now', true);
  await answer(ann, idOf(here, 'ann'), 'accept', { etaMs: 0, reason: '', frees: false });
  await transfer(bob, { by: 'named', ids: [idOf(here, 'bob')], patterns: [] }, 'ann', '');
  await workOn(here, 'bd-1');
  clock.pass(400_000);
  await breakLease(
    bob,
    [...last(here).state.leases.values()].find(({ kind }) => kind === 'claim')?.id ?? '',
    'nobody is there',
  );
  const session = await startSession(worldOf('cid', bob.store, clock, 7), undefined);
  await adoptSession(
    worldOf('cid', bob.store, clock, 8),
    String(session.facts['token']),
    'elsewhere',
  );
  await endSession(bob);
  clock.pass(2 * limits.agentIdleMs);
  await sweep(ann, 0, false);
  await renew(ann, [], undefined, []);
  await release(ann, { by: 'all' });
  return standsOf(here.log);
}

function faults(log: readonly Stand[]): readonly string[] {
  return log.flatMap(({ entry, state }, i) =>
    unauthorizedChanges(entry, log[i - 1]?.state ?? null, state),
  );
}

describe('whose records an operation may change', () => {
  test('all that coord does with what others have', async () => {
    const log = await story();
    const told = new Set(log.flatMap(({ entry }) => entry.events.map(({ event }) => event)));
    for (const event of [
      'asked',
      'answered',
      'transferred',
      'failed',
      'done',
      'gated',
      'reopened',
      'waiting',
      'wait-ended',
      'broken',
      'adopted',
      'ended',
      'expired',
      'released',
    ] as const)
      expect(told).toContain(event);
    expect(faults(log)).toEqual([]);
  });
});
