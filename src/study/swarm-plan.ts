/** What a run switches on, and how much of it, from its seed. */

import type { Fault } from './faulty-log-store.ts';
import { type DeedName, deedNames } from './swarm-deeds.ts';

export interface Plan {
  readonly agents: readonly { readonly name: string; readonly machine: number }[];
  readonly rates: readonly number[];
  readonly deeds: Readonly<Record<DeedName, number>>;
  readonly faults: Readonly<Record<string, number>>;
  readonly ttlsMs: readonly number[];
  /** How likely a step takes minutes, and hours. */
  readonly minutes: number;
  readonly hours: number;
  readonly reboots: number;
}

export function planFrom(chance: () => number): Plan {
  const pick = <T>(from: readonly T[]): T => from[Math.floor(chance() * from.length)] as T;
  const weight = (): number => (chance() < 0.25 ? 0 : Math.ceil(100 * chance() ** 2));
  const machines = 1 + Math.floor(chance() * 3);
  // No clock is off by more than a tenth, either way: that much is promised, and no more.
  const rates = [...Array(machines).keys()].map(() => pick(chance() < 0.5 ? [1] : [0.9, 1, 1.1]));
  const count = 2 + Math.floor(chance() * 5);
  return {
    rates,
    agents: names
      .slice(0, count)
      .map((name) => ({ name, machine: Math.floor(chance() * machines) })),
    deeds: {
      ...(Object.fromEntries(deedNames.map((name) => [name, weight()])) as Record<
        DeedName,
        number
      >),
      reserve: 100,
    },
    faults: Object.fromEntries(
      faultKinds.map((kind) => [kind, chance() < 0.5 ? 0 : 0.06 * chance()]),
    ),
    ttlsMs: pick([[5_000], [30_000, 120_000], [5_000, 900_000], [900_000, 1_800_000]]),
    minutes: chance() < 0.3 ? 0 : 0.05 * chance(),
    hours: chance() < 0.5 ? 0 : 0.003,
    reboots: chance() < 0.5 ? 0 : 0.005,
  };
}

export const faultKinds: readonly Exclude<Fault, 'none'>[] = [
  'crash-before',
  'crash-after',
  'lost-reply',
  'false-no',
  'false-yes',
  'busy',
  'blind',
];
export const names = ['ann', 'bob', 'cy', 'dee', 'ann/kid', 'ann/boy'] as const;

/** By its name, so that whoever judges knows it too. */
export function graceOf(agent: string): string {
  const of: Readonly<Record<string, string>> = { ann: '10m', bob: '0s', cy: '1m', 'ann/kid': '0s' };
  return of[agent] ?? '2m';
}

export const year: number = 365 * 86_400_000;
