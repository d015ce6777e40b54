/** What an agent of a scene may do, through the same use cases as everybody. */

import type { Mode, Resource } from '../core/lease.ts';
import { limits } from '../core/limits.ts';
import { acquire } from '../loop/acquire.ts';
import { release, renew, sweep, transfer } from '../loop/coord.ts';
import type { Deed } from './scene.ts';

export interface ReserveOptions {
  readonly mode?: Mode;
  readonly nonce?: string;
  readonly waitMs?: number;
  readonly ttlMs?: number;
}

export function reserving(patterns: readonly string[], options: ReserveOptions = {}): Deed {
  return {
    ...taking({ kind: 'reservation', patterns }, options),
    op: { kind: 'acquire', patterns, shared: options.mode === 'shared' },
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
  return {
    op: { kind: 'release', patterns },
    act: async (world) => ({
      kind: 'reported',
      report: await release(world, { by: 'named', ids: [], patterns }),
    }),
  };
}

export function renewing(edited: readonly string[] = []): Deed {
  return {
    act: async (world) => ({ kind: 'reported', report: await renew(world, [], undefined, edited) }),
  };
}

export function transferring(patterns: readonly string[], to: string): Deed {
  return {
    act: async (world) => ({
      kind: 'reported',
      report: await transfer(world, { by: 'named', ids: [], patterns }, to, ''),
    }),
  };
}

export function sweeping(): Deed {
  return { act: async (world) => ({ kind: 'reported', report: await sweep(world, 0, false) }) };
}
