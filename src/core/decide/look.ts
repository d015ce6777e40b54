/**
 * Looking without changing anything: is a path free, who holds what, what does an agent not use.
 */
import type { Agent } from '../agent.ts';
import { areKin } from '../ids.ts';
import { goTogether, inConflict, type Lease, phaseOf, type Wait } from '../lease.ts';
import { collide, covers } from '../overlap.ts';
import type { State } from '../state.ts';
import { type DecisionContext, isActive, isWaiting } from './decision.ts';

export type Checked =
  | { readonly kind: 'free' }
  /** `sharers` have lines of it as well, in this work tree. */
  | { readonly kind: 'mine'; readonly leases: readonly Lease[]; readonly sharers: readonly Lease[] }
  /** Only lines of it are held, and in this work tree: others can be had beside them. */
  | { readonly kind: 'shared'; readonly sharers: readonly Lease[] }
  | { readonly kind: 'held'; readonly blockers: readonly Lease[] };

/** May `name` edit these? `name` is asked for only if somebody holds something of it. */
export function check(
  patterns: readonly string[],
  name: () => string,
  state: State,
  c: DecisionContext,
): Checked {
  const touched = [...state.leases.values()].filter(
    (lease) =>
      lease.kind === 'reservation' &&
      isActive(lease, c) &&
      lease.patterns.some((held) => patterns.some((pattern) => collide(held, pattern, c.folding))),
  );
  if (touched.length === 0) return { kind: 'free' };
  const wish = {
    kind: 'reservation',
    patterns,
    mode: 'exclusive',
    agent: { name: name() },
  } as const;
  const hasLines = touched.some(({ mode }) => mode === 'lines');
  const workTree = hasLines ? c.workTree?.() : undefined;
  const isHere = (lease: Lease): boolean =>
    workTree !== undefined && goTogether({ mode: 'lines', workTree }, lease);
  const inTheWay = touched.filter((lease) => inConflict(wish, lease, c.folding));
  const blockers = inTheWay.filter((lease) => !isHere(lease));
  if (blockers.length > 0) return { kind: 'held', blockers };
  const mine = touched.filter(
    (lease) =>
      areKin(lease.agent.name, wish.agent.name) && (lease.mode !== 'lines' || isHere(lease)),
  );
  const isMine = patterns.every((pattern) =>
    mine.some(
      (lease) =>
        lease.kind === 'reservation' &&
        lease.patterns.some((held) => covers(held, pattern, c.folding)),
    ),
  );
  if (isMine) return { kind: 'mine', leases: mine, sharers: inTheWay };
  return inTheWay.length > 0 ? { kind: 'shared', sharers: inTheWay } : { kind: 'free' };
}

export interface Overview {
  readonly agents: readonly Agent[];
  readonly leases: readonly Lease[];
  readonly waits: readonly Wait[];
}

/** What counts now, last active first. */
export function overview(state: State, c: DecisionContext): Overview {
  return {
    agents: [...state.agents.values()].sort((a, b) => b.active.at - a.active.at),
    leases: [...state.leases.values()]
      .filter((lease) => isActive(lease, c))
      .sort((a, b) => b.renewed.at - a.renewed.at || b.token - a.token),
    waits: [...state.waits.values()]
      .filter((wait) => isWaiting(wait, c))
      .sort((a, b) => a.since - b.since),
  };
}

export function isInGrace(lease: Lease, c: DecisionContext): boolean {
  return phaseOf(lease, c.now, c.graceMs) === 'grace';
}
