/**
 * What an agent of the swarm does next: a deed from the run's weights, about few things, so that
 * they collide.
 */

import type { Selection } from '../core/decide/release.ts';
import type { Mode, Resource } from '../core/lease.ts';
import type { State } from '../core/state.ts';
import { breakLease } from '../loop/hand-over.ts';
import { check, release, renew, sweep, transfer } from '../loop/hold.ts';
import { endSession, whoami } from '../loop/session.ts';
import { answering, taking } from './deeds.ts';
import type { Deed } from './scene.ts';

export const deedNames = [
  'reserve',
  'wait',
  'retry',
  'claim',
  'lock',
  'release',
  'release-all',
  'renew',
  'edit',
  'transfer',
  'break',
  'sweep',
  'check',
  'end',
  'whoami',
] as const;
export type DeedName = (typeof deedNames)[number];

export interface SwarmDeed extends Deed {
  readonly words: string;
  readonly name: DeedName;
}

const patterns = [
  'src/a.ts',
  'src/b.ts',
  'src/*.ts',
  'src/**',
  'docs/**',
  'docs/guide.md',
  '**/*.md',
  'lib/{x,y}.ts',
  'lib/x.ts',
] as const;

interface DeedChoice {
  readonly weights: Readonly<Record<DeedName, number>>;
  readonly chance: () => number;
  readonly ttlsMs: readonly number[];
  readonly modes: readonly Mode[];
  /** Who may be given something. */
  readonly names: readonly string[];
  readonly state: State;
}

export function chooseDeed(choice: DeedChoice): SwarmDeed {
  const { weights, chance, ttlsMs, modes, names, state } = choice;
  const pick = <T>(from: readonly T[]): T => from[Math.floor(chance() * from.length)] as T;
  let at = chance() * deedNames.reduce((sum, name) => sum + weights[name], 0);
  const name = deedNames.find((other) => (at -= weights[other]) < 0) ?? 'reserve';
  const leases = [...state.leases.values()];
  const named = leases.length === 0 ? undefined : pick(leases);
  const wanted = chance() < 0.3 ? [pick(patterns), pick(patterns)] : [pick(patterns)];
  const [mode, ttlMs, to] = [pick(modes), pick(ttlsMs), pick(names)];
  const words = `${name} ${mode} ${[...new Set(wanted)].join(' ')} ${named?.id ?? ''} ${to}`;
  return { ...deedOf(name, { pick, mode, ttlMs, to, wanted, named }), name, words };
}

interface Drawn {
  readonly pick: <T>(from: readonly T[]) => T;
  readonly mode: Mode;
  readonly ttlMs: number;
  readonly to: string;
  readonly wanted: readonly string[];
  readonly named: { readonly id: string } | undefined;
}

function deedOf(name: DeedName, { pick, mode, ttlMs, to, wanted, named }: Drawn): Deed {
  const take = (want: Resource, waitMs = 0, nonce?: string): Deed =>
    taking(want, { mode, ttlMs, waitMs, ...(nonce === undefined ? {} : { nonce }) });
  const reservation: Resource = { kind: 'reservation', patterns: [...new Set(wanted)] };
  const one: Selection | null =
    named === undefined ? null : { by: 'named', ids: [named.id], patterns: [] };
  switch (name) {
    case 'reserve':
      return take(reservation);
    case 'wait':
      return take(reservation, pick([500, 5_000, 40_000]));
    case 'retry':
      return twice((nonce) => take(reservation, 0, nonce));
    case 'claim':
      return take({ kind: 'claim', bead: pick(['bd-1', 'bd-2']) });
    case 'lock':
      return take({ kind: 'lock', name: 'test' }, pick([0, 5_000]));
    case 'release': {
      const selection = { by: 'named', ids: [], patterns: [pick(patterns)] } as const;
      return answering('released', (world) => release(world, selection));
    }
    case 'release-all':
      return answering('released', (world) => release(world, { by: 'all' }));
    case 'renew':
      return answering('renewed', (world) => renew(world, [], undefined, []));
    case 'edit': {
      const ids = named === undefined ? [] : [named.id];
      return answering('renewed', (world) => renew(world, ids, undefined, ['src']));
    }
    case 'transfer':
      return answering('transferred', (world) => transfer(world, one ?? { by: 'all' }, to, ''));
    case 'break': {
      const id = named?.id ?? '00000000';
      return answering('broken', (world) => breakLease(world, id, 'in the way'));
    }
    case 'sweep':
      return answering('swept', (world) => sweep(world, 0, false));
    case 'check':
      return checking(wanted);
    case 'end':
      return answering('ended', (world) => endSession(world));
    case 'whoami':
      return answering('known', (world) => whoami(world));
  }
}

/** Sent again under its nonce after it was answered, as by a caller who did not get the answer. */
function twice(take: (nonce: string) => Deed): Deed {
  return {
    act: async (world) => {
      const { act } = take(world.random.nonce());
      await act(world).catch(() => {});
      return act(world);
    },
  };
}

function checking(patterns: readonly string[]): Deed {
  return {
    act: async (world) => {
      const { checked } = await check(world, patterns);
      return { kind: 'answered', isDone: checked.kind !== 'held', word: checked.kind };
    },
  };
}
