/**
 * What an agent can give up without anybody's edit going along: its reservations of paths without
 * uncommitted changes. Which paths have some is looked up in the work tree and told to the
 * decision.
 */
import { type Agent, nameOf } from '../agent.ts';
import type { Event } from '../event.ts';
import type { Lease, Reservation } from '../lease.ts';
import { collide, type Folding } from '../overlap.ts';
import { literal } from '../pattern.ts';
import { amend, type DecisionContext, facts } from './decision.ts';

/** A lease that loses some of its patterns and keeps others. */
export interface Part {
  readonly lease: Reservation;
  readonly kept: readonly string[];
  readonly lost: readonly string[];
}

export interface Split {
  readonly whole: readonly Lease[];
  readonly parts: readonly Part[];
}

/** Of its own reservations those patterns below which nothing is changed. */
export function unchangedOf(
  own: readonly Lease[],
  changed: readonly string[],
  folding: Folding,
): Split {
  const isChanged = (pattern: string): boolean =>
    changed.some((path) => collide(pattern, literal(path), folding));
  const whole: Lease[] = [];
  const parts: Part[] = [];
  for (const lease of own) {
    if (lease.kind !== 'reservation') continue;
    const kept = lease.patterns.filter(isChanged);
    if (kept.length === 0) whole.push(lease);
    else if (kept.length < lease.patterns.length)
      parts.push({
        lease,
        kept,
        lost: lease.patterns.filter((pattern) => !kept.includes(pattern)),
      });
  }
  return { whole, parts };
}

/** The changed paths that somebody holds. */
export function changedIn(
  own: readonly Lease[],
  changed: readonly string[],
  { folding }: DecisionContext,
): readonly string[] {
  const patterns = own.flatMap((lease) => (lease.kind === 'reservation' ? lease.patterns : []));
  return changed.filter((path) =>
    patterns.some((pattern) => collide(pattern, literal(path), folding)),
  );
}

interface Freed {
  readonly leases: ReadonlyMap<string, Lease>;
  /** Each with what of it was given up. */
  readonly freed: readonly Lease[];
  readonly events: readonly Event[];
}

/** Takes them out, with an event for each; `outcome` goes with the events. */
export function free(
  leases: ReadonlyMap<string, Lease>,
  agent: Agent,
  { whole, parts }: Split,
  outcome: object = {},
): Freed {
  const freed = [
    ...whole,
    ...parts.map(({ lease, lost }): Lease => ({ ...lease, patterns: lost })),
  ];
  const events = freed.map(
    (lease): Event => ({
      event: 'released',
      agent: nameOf(agent),
      ...facts(lease),
      token: lease.token,
      ...outcome,
    }),
  );
  const left = amend(leases, [
    ...whole.map(({ id }) => [id, null] as const),
    ...parts.map(({ lease, kept }): readonly [string, Lease] => [
      lease.id,
      { ...lease, patterns: kept },
    ]),
  ]);
  return { leases: left, freed, events };
}
