/** What an agent of a scene may do, through the same use cases as everybody. */

import type { Mode, Resource } from '../core/lease.ts';
import { limits } from '../core/limits.ts';
import { acquire } from '../loop/acquire.ts';
import { release, renew, type Swept, sweep, transfer } from '../loop/hold.ts';
import type { Outcome } from '../loop/outcome.ts';
import type { World } from '../loop/world.ts';
import type { Deed } from './scene.ts';

interface ReserveOptions {
  readonly mode?: Mode;
  readonly nonce?: string;
  readonly waitMs?: number;
  readonly ttlMs?: number;
}

export function reserving(patterns: readonly string[], options: ReserveOptions = {}): Deed {
  return {
    ...taking({ kind: 'reservation', patterns }, options),
    op: { kind: 'acquire', patterns, mode: options.mode ?? 'exclusive' },
  };
}

export function taking(
  want: Resource,
  { mode = 'exclusive', nonce, waitMs = 0, ttlMs }: ReserveOptions = {},
): Deed {
  return {
    act: async (world) => {
      const request = {
        caller: world.caller(),
        want,
        mode,
        ttlMs: ttlMs ?? null,
        defaultTtlMs: limits.ttlMs,
        reason: '',
        anew: false,
      };
      return {
        kind: 'acquired',
        request,
        outcome: await acquire(world, request, { waitMs, nonce }),
      };
    },
  };
}

export function releasing(patterns: readonly string[]): Deed {
  const selection = { by: 'named', ids: [], patterns } as const;
  return {
    op: { kind: 'release', patterns },
    ...answering('released', (world) => release(world, selection)),
  };
}

export function renewing(edited: readonly string[] = []): Deed {
  return answering('renewed', (world) => renew(world, [], undefined, edited));
}

export function transferring(patterns: readonly string[], to: string): Deed {
  const selection = { by: 'named', ids: [], patterns } as const;
  return answering('transferred', (world) => transfer(world, selection, to, ''));
}

export function sweeping(): Deed {
  return answering(
    ({ leases, waits, agents }: Swept) =>
      leases.length + waits.length + agents.length === 0 ? 'nothing' : 'swept',
    (world) => sweep(world, 0, false),
  );
}

/** A use case whose answer is told by a word: this one where it is done. */
export function answering<R>(
  word: string | ((result: R) => string),
  act: (world: World) => Promise<Outcome<R>>,
): Deed {
  return {
    act: async (world) => {
      const outcome = await act(world);
      if (outcome.kind === 'refused')
        return { kind: 'answered', isDone: false, word: `refused:${outcome.refusal.kind}` };
      const said = typeof word === 'string' ? word : word(outcome.result);
      return { kind: 'answered', isDone: true, word: said };
    },
  };
}
