/** The checker of answers, on true ones and on every kind of false one. */

import { describe, expect, test } from 'vitest';
import type { Stand } from '../../src/core/check-log.ts';
import type { Lease } from '../../src/core/lease.ts';
import { limits } from '../../src/core/limits.ts';
import { MemoryLog, MemoryLogStore } from '../../src/log/memory-log-store.ts';
import { acquire, type Granted } from '../../src/loop/acquire.ts';
import type { Outcome } from '../../src/loop/operation.ts';
import { standsOf } from '../../src/study/stands.ts';
import { untruths } from '../../src/study/verdict.ts';
import { HandClock, worldOf } from '../support/world.ts';

const asked = { want: { kind: 'reservation', patterns: ['src/a.ts'] }, mode: 'exclusive' } as const;

interface Answered {
  readonly stands: readonly Stand[];
  readonly granted: Outcome<Granted>;
  readonly refused: Outcome<Granted>;
}

async function answered(): Promise<Answered> {
  const [log, clock] = [new MemoryLog(), new HandClock()];
  const [ann, bob] = [
    worldOf('ann', new MemoryLogStore(log), clock, 1),
    worldOf('bob', new MemoryLogStore(log), clock, 2),
  ];
  const request = { ...asked, ttlMs: null, defaultTtlMs: limits.ttlMs, reason: '', anew: false };
  const granted = await acquire(ann, { ...request, caller: ann.caller() }, { waitMs: 0 });
  const refused = await acquire(bob, { ...request, caller: bob.caller() }, { waitMs: 0 });
  return { stands: standsOf(log), granted, refused };
}

describe('the checker of answers', () => {
  test('a grant and a refusal by production code: both true', async () => {
    const { stands, granted, refused } = await answered();
    expect(granted.kind).toBe('done');
    expect(refused.kind).toBe('refused');
    expect(untruths({ agent: 'ann', ...asked }, granted, stands)).toEqual([]);
    expect(untruths({ agent: 'bob', ...asked }, refused, stands)).toEqual([]);
  });

  test("a grant that is not in the log, that is somebody else's, or that is of something else: found", async () => {
    const { stands, granted } = await answered();
    if (granted.kind !== 'done') throw new Error('not granted');
    const lost: Outcome<Granted> = {
      ...granted,
      result: {
        ...granted.result,
        leases: granted.result.leases.map((lease) => ({ ...lease, id: '00000000' })),
      },
    };
    expect(untruths({ agent: 'ann', ...asked }, lost, stands)).toEqual([
      'ann was granted lease 00000000, which is not in the log',
    ]);
    expect(untruths({ agent: 'bob', ...asked }, granted, stands)).toContainEqual(
      expect.stringContaining('which is not in the log'),
    );
    const other = {
      agent: 'ann',
      want: { kind: 'reservation', patterns: ['lib/b.ts'] },
      mode: 'exclusive',
    } as const;
    expect(untruths(other, granted, stands)).toContainEqual(
      expect.stringContaining('which is not all that it asked for'),
    );
    expect(untruths({ agent: 'ann', ...asked }, granted, [])).toContainEqual(
      expect.stringContaining('which is not in the log'),
    );
  });

  test('a refusal over a lease that was not there or not in the way, or over nothing: found', async () => {
    const { stands, refused } = await answered();
    if (refused.kind !== 'refused' || refused.refusal.kind !== 'held')
      throw new Error('not refused');
    const [blocker] = refused.refusal.blockers;
    if (blocker === undefined) throw new Error('no blocker');
    const over = (blockers: readonly Lease[]): Outcome<Granted> => ({
      ...refused,
      refusal: { kind: 'held', blockers, ahead: [], retryInMs: 0 },
    });
    expect(
      untruths({ agent: 'bob', ...asked }, over([{ ...blocker, id: '00000000' }]), stands),
    ).toEqual(['bob was refused over lease 00000000, which was not in its way']);
    expect(
      untruths(
        { agent: 'bob', ...asked, want: { kind: 'reservation', patterns: ['lib/b.ts'] } },
        refused,
        stands,
      ),
    ).toHaveLength(1);
    expect(untruths({ agent: 'ann/kid', ...asked }, refused, stands)).toHaveLength(1);
    expect(untruths({ agent: 'bob', ...asked }, over([]), stands)).toEqual([
      'bob was refused, and nothing stood in its way',
    ]);
  });

  test('a circle of waits that does not close, or in which nobody waits: found', async () => {
    const { stands, refused } = await answered();
    const ann = { id: 'aaaaaaaa', name: 'ann' };
    const bob = { id: 'bbbbbbbb', name: 'bob' };
    const told = (
      cycle: readonly { readonly agent: typeof ann; readonly heldBy: typeof ann }[],
    ): Outcome<Granted> => ({
      kind: 'refused',
      at: refused.at,
      refusal: {
        kind: 'deadlock',
        blockers: [],
        cycle: cycle.map((edge) => ({ ...edge, kind: 'reservation', waitsFor: 'src/a.ts' })),
      },
    });
    const first = { agent: bob, heldBy: ann };
    for (const cycle of [
      [first],
      [first, { agent: ann, heldBy: ann }],
      [first, { agent: ann, heldBy: bob }],
    ]) {
      expect(untruths({ agent: 'bob', ...asked }, told(cycle), stands)).toEqual([
        'bob was told of a circle of waits that is none',
      ]);
    }
  });
});
