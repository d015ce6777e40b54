/**
 * What an agent holds for a time, and when two of them cannot stand together. A lease is live for
 * its TTL, in grace for a while (only its holder may take it again), then expired: still in the
 * state until somebody takes over or sweeps, but no longer in anybody's way.
 */

import { CoordError } from './errors.ts';
import { harmless } from './harmless.ts';
import { areKin, pauseLock } from './ids.ts';
import { elapsedMs, formatDuration, type Now, type Stamp } from './instant.ts';
import { limits } from './limits.ts';
import { collide, type Folding } from './overlap.ts';
import { whyUntaken } from './pattern.ts';
import type { Carried } from './unknown.ts';

/** Who, as every message, ref and JSON field shows it. */
export interface AgentName {
  readonly id: string;
  readonly name: string;
}

export type Resource =
  | { readonly kind: 'reservation'; readonly patterns: readonly string[] }
  | { readonly kind: 'claim'; readonly bead: string }
  | { readonly kind: 'lock'; readonly name: string };

/**
 * Exclusive is for one alone, shared for any number of readers, lines for any number of editors in
 * one work tree, where who has which lines is told apart.
 */
export type Mode = 'exclusive' | 'shared' | 'lines';

/** How something is held, or wanted. */
export interface Hold {
  readonly mode: Mode;
  /** Of lines: the id of the work tree that they are in. */
  readonly workTree?: string;
}

interface Held extends Carried, Hold {
  readonly id: string;
  readonly agent: AgentName;
  readonly reason: string;
  readonly ttlMs: number;
}

/** The last renewal that an edit brought: two within one TTL in one directory double it, once. */
export interface EditMark {
  readonly stamp: Stamp;
  readonly directories: readonly string[];
}

/** What protects a holder, as its own settings said when the lease was granted. */
export interface Protection {
  readonly graceMs: number;
  readonly stalledMs: number;
  readonly breakMs: number;
}

/** Of a lease that does not say otherwise. */
export const usual: Protection = {
  graceMs: limits.graceMs,
  stalledMs: limits.stalledMs,
  breakMs: limits.breakMs,
};

/** Nobody can ask for more, whoever they are. */
function capped({ graceMs, stalledMs, breakMs }: Protection): Protection {
  return {
    graceMs: Math.min(graceMs, limits.graceMaxMs),
    stalledMs: Math.min(stalledMs, limits.stalledMaxMs),
    breakMs: Math.min(breakMs, limits.breakMaxMs),
  };
}

/** As the lease remembers it: nothing where it is as usual. */
export function protectionBy({ graceMs, stalledMs, breakMs }: Protection): {
  readonly protection?: Protection;
} {
  const protection = capped({ graceMs, stalledMs, breakMs });
  const isUsual =
    protection.graceMs === usual.graceMs &&
    protection.stalledMs === usual.stalledMs &&
    protection.breakMs === usual.breakMs;
  return isUsual ? {} : { protection };
}

/** The settings of whoever looks can only make it longer. */
export function protectionOf(
  { protection = usual }: Pick<Lease, 'protection'>,
  own: Protection,
): Protection {
  const { graceMs, stalledMs, breakMs } = capped(own);
  return {
    graceMs: Math.max(protection.graceMs, graceMs),
    stalledMs: Math.max(protection.stalledMs, stalledMs),
    breakMs: Math.max(protection.breakMs, breakMs),
  };
}

export type Lease = Resource &
  Held & {
    readonly token: number;
    readonly acquiredAt: number;
    readonly renewed: Stamp;
    readonly steady: boolean;
    readonly protection?: Protection;
    /** Of a claim: when its agent last worked on files; it begins with the claim. */
    readonly edited: EditMark | null;
    /** Of a claim: the commit that HEAD was at when it was granted. */
    readonly base?: string;
    /** Of a claim that was handed over: when, and by whom, its work began. */
    readonly begun?: {
      readonly token: number;
      readonly at: number;
      readonly agents: readonly string[];
    };
  };

/** Of paths: the only kind that files are judged by. */
export type Reservation = Lease & { readonly kind: 'reservation' };

/**
 * A place in the queue for a resource. `since` is its place in the log: first come, first served.
 */
export type Wait = Resource &
  Held & { readonly since: number; readonly started: Stamp; readonly renewed: Stamp };

/**
 * Where the work on a claim began, and who has worked on it since, whatever hands it went through.
 */
export function beginningOf({
  begun,
  token,
  acquiredAt,
  agent,
}: Lease): NonNullable<Lease['begun']> {
  return {
    token: begun?.token ?? token,
    at: begun?.at ?? acquiredAt,
    agents: [...new Set([...(begun?.agents ?? []), agent.name])].slice(-8),
  };
}

type Phase = 'live' | 'grace' | 'expired';

export function phaseOf(lease: Lease, now: Now, graceMs: number): Phase {
  const elapsed = elapsedMs(lease.id, lease.renewed, now);
  if (elapsed <= lease.ttlMs) return 'live';
  return elapsed <= lease.ttlMs + graceOf(lease, graceMs) ? 'grace' : 'expired';
}

/** How long its former holder alone may take it again. */
function graceOf(lease: Lease, graceMs: number): number {
  // A pause is over when its time is.
  if (lease.kind === 'lock' && lease.name === pauseLock) return 0;
  return protectionOf(lease, { ...usual, graceMs }).graceMs;
}

/** How long until it is free if nobody renews it; negative once it is. */
export function freeInMs(lease: Lease, now: Now, graceMs: number): number {
  return lease.ttlMs + graceOf(lease, graceMs) - elapsedMs(lease.id, lease.renewed, now);
}

/** How long it is still live; negative once it is in grace. */
export function liveForMs(lease: Lease, now: Now): number {
  return lease.ttlMs - elapsedMs(lease.id, lease.renewed, now);
}

export function expiresAt(lease: Lease): number {
  return lease.renewed.at + lease.ttlMs;
}

/**
 * Why no coord can have granted this, or null: it breaks a limit that is looked at before anything
 * else. Somebody has written it into the log by hand, and nobody was ever told that it is granted.
 */
export function whyUnfit(lease: Lease): string | null {
  if (lease.ttlMs > limits.ttlMaxMs) return `it has a TTL of over ${limits.ttlMaxMs / 3_600_000} h`;
  if (lease.kind !== 'reservation') return null;
  if (lease.patterns.length > limits.patternsPerLease)
    return `it has ${lease.patterns.length} patterns, and a lease has at most ${limits.patternsPerLease}`;
  for (const pattern of lease.patterns) {
    const why = whyUntaken(pattern);
    if (why !== null) return why;
  }
  return null;
}

/** Do these name something in common? */
export function resourcesMeet(a: Resource, b: Resource, folding: Folding): boolean {
  if (a.kind === 'reservation') {
    return (
      b.kind === 'reservation' &&
      a.patterns.some((x) => b.patterns.some((y) => collide(x, y, folding)))
    );
  }
  if (a.kind === 'claim') return b.kind === 'claim' && a.bead === b.bead;
  return b.kind === 'lock' && a.name === b.name;
}

/** Is it held in the same way? Lines of one work tree say nothing of those in another. */
export function areHeldAlike(a: Hold, b: Hold): boolean {
  return a.mode === b.mode && (a.mode !== 'lines' || a.workTree === b.workTree);
}

/**
 * May several have it beside each other in these ways? Lines only in one and the same work tree:
 * where it is not known, they are as good as held alone.
 */
export function goTogether(a: Hold, b: Hold): boolean {
  if (a.mode === 'lines') return a.workTree !== undefined && areHeldAlike(a, b);
  return a.mode === 'shared' && b.mode === 'shared';
}

/** How it is held, alone. */
export function holdOf({ mode, workTree }: Hold): Hold {
  return workTree === undefined ? { mode } : { mode, workTree };
}

interface Wanted extends Hold {
  readonly agent: { readonly name: string };
}

/** Conflict: other agent, same kind, something in common, and in ways that do not go together. */
export function inConflict(a: Resource & Wanted, b: Resource & Wanted, folding: Folding): boolean {
  return (
    a.kind === b.kind &&
    !goTogether(a, b) &&
    !areKin(a.agent.name, b.agent.name) &&
    resourcesMeet(a, b, folding)
  );
}

/** The resource alone, in the words a person would use: on one line, whatever a name may hold. */
export function describe(resource: Resource): string {
  switch (resource.kind) {
    case 'reservation':
      return harmless(resource.patterns.join(' '));
    case 'claim':
      return `bead ${resource.bead}`;
    case 'lock':
      return `lock ${resource.name}`;
  }
}

/** The resource, and how it is held where that is not alone. */
export function describeHeld(held: Resource & Hold): string {
  switch (held.mode) {
    case 'exclusive':
      return describe(held);
    case 'shared':
      return `${describe(held)} (shared)`;
    case 'lines':
      return `lines of ${describe(held)}`;
  }
}

export function resourceOf(held: Resource): Resource {
  switch (held.kind) {
    case 'reservation':
      return { kind: held.kind, patterns: held.patterns };
    case 'claim':
      return { kind: held.kind, bead: held.bead };
    case 'lock':
      return { kind: held.kind, name: held.name };
  }
}

/** As it was asked for; null where nothing was. */
export function checkTtl(ttlMs: number | undefined): number | null {
  if (ttlMs === undefined) return null;
  if (ttlMs >= limits.ttlMinMs && ttlMs <= limits.ttlMaxMs) return ttlMs;
  throw new CoordError(
    'bad_duration',
    `a TTL of ${formatDuration(ttlMs)} is out of range`,
    'choose from 5s to 24h',
  );
}
