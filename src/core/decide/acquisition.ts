/** What is asked for when something is taken, and what may come of it. */

import type { Agent } from '../agent.ts';
import { areKin } from '../ids.ts';
import {
  type AgentName,
  areHeldAlike,
  goTogether,
  type Hold,
  type Lease,
  type Mode,
  type Resource,
  type Wait,
} from '../lease.ts';
import { covers } from '../overlap.ts';
import type { Refusal } from '../refusal.ts';
import type { State } from '../state.ts';
import { type DecisionContext, isActive } from './decision.ts';
import type { Caller } from './enrol.ts';

export interface Acquisition {
  readonly caller: Caller;
  readonly want: Resource;
  readonly mode: Mode;
  /** Null keeps the TTL of what is already held, and takes `defaultTtlMs` for what is not. */
  readonly ttlMs: number | null;
  readonly defaultTtlMs: number;
  readonly reason: string;
  /** Stand in the queue if it is held; `waitId` is the place one has there. */
  readonly wait: boolean;
  readonly waitId: string | null;
  /**
   * What the agent itself holds already does not answer it: one run at a time, also of one agent.
   */
  readonly anew: boolean;
  /** Of directories in which it is about to edit. */
  readonly edited?: readonly string[];
  /** Of all claims in the repository only one at a time. */
  readonly sequential?: boolean;
  /** Of a claim: the commit that HEAD is at. */
  readonly base?: string | undefined;
  /** Take a claim over whose holder has stalled. */
  readonly take?: boolean;
  /** Also a bead that is done, or waits for a person. */
  readonly again?: boolean;
  /**
   * Rather than close a circle of waits, give up what is held besides and not changed, and wait for
   * all of it.
   */
  readonly yields?: { readonly changed: readonly string[] };
}

/** An acquisition, and how it would be held here and now. */
export type Wish = Acquisition & Hold;

/**
 * Lines want a work tree that is known. Elsewhere the whole is held alone: that is more than was
 * asked for, and never less.
 */
export function heldAs(
  { want, mode }: Pick<Acquisition, 'want' | 'mode'>,
  c: DecisionContext,
): Hold {
  if (mode !== 'lines') return { mode };
  const workTree = want.kind === 'reservation' ? c.workTree?.() : undefined;
  return workTree === undefined ? { mode: 'exclusive' } : { mode, workTree };
}

export type Acquired =
  | { readonly kind: 'granted'; readonly leases: readonly Lease[]; readonly waitedMs: number }
  | {
      readonly kind: 'waiting';
      readonly wait: Wait;
      readonly refusal: Refusal;
      /** Patterns that it gave up, and waits for again with the rest. */
      readonly yielded: readonly string[];
    };
interface Split {
  /** Own leases that answer the wish, wholly or in part. */
  readonly renewals: readonly Lease[];
  /** What is left to grant, or null. */
  readonly missing: Resource | null;
}

/** Kin work side by side on files, but a bead is one agent's. */
export function isKinsClaim(
  wish: Resource & Hold & { readonly agent: AgentName },
  other: Lease,
): boolean {
  return (
    wish.kind === 'claim' &&
    other.kind === 'claim' &&
    other.bead === wish.bead &&
    other.agent.id !== wish.agent.id &&
    areKin(other.agent.name, wish.agent.name) &&
    !goTogether(other, wish)
  );
}

/**
 * Does an own lease already answer this pattern? In the way that is wished, or alone, by the same
 * pattern or, for a plain path, by any that covers it; in another way only where all of it may
 * change to that, and never lines of one work tree for those of another.
 */
function answers(
  lease: Lease,
  held: readonly string[],
  pattern: string,
  all: readonly string[],
  wish: Hold,
  c: DecisionContext,
): boolean {
  if (lease.mode === 'exclusive' || areHeldAlike(lease, wish))
    return held.some(
      (text) =>
        text === pattern ||
        (covers(text, pattern, c.folding) && covers(text, `${pattern}/**`, c.folding)),
    );
  return (
    lease.mode !== wish.mode && held.includes(pattern) && held.every((text) => all.includes(text))
  );
}

export function split(state: State, agent: Agent, wish: Wish, c: DecisionContext): Split {
  const { want } = wish;
  const own = [...state.leases.values()].filter(
    (lease) => lease.agent.id === agent.id && isActive(lease, c),
  );
  if (want.kind !== 'reservation') {
    const same = own.filter((lease) =>
      want.kind === 'claim'
        ? lease.kind === 'claim' && lease.bead === want.bead
        : lease.kind === 'lock' && lease.name === want.name,
    );
    return { renewals: same, missing: same.length > 0 ? null : want };
  }
  const renewals = new Set<Lease>();
  const missing = want.patterns.filter((pattern) => {
    const holder = own.find(
      (lease) =>
        lease.kind === 'reservation' &&
        answers(lease, lease.patterns, pattern, want.patterns, wish, c),
    );
    if (holder !== undefined) renewals.add(holder);
    return holder === undefined;
  });
  return {
    renewals: [...renewals],
    missing: missing.length === 0 ? null : { kind: 'reservation', patterns: missing },
  };
}
