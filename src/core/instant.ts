/**
 * Time as data. Expiry is decided by a suspend-aware uptime while writer and reader share one clock
 * domain (one boot, one time namespace); otherwise by how long the reader itself has seen one
 * renewal unchanged. Wall-clock times are for showing, never for deciding, and no other machine's
 * clock is trusted.
 */
import { CoordError } from './errors.ts';
import { limits } from './limits.ts';

/** When something was written, as its writer's clocks had it. */
export interface Stamp {
  readonly at: number;
  readonly domain: string;
  readonly uptimeMs: number;
}

/** This process's clocks. `sinceSeenMs` answers for renewals made under other clocks. */
export interface Now {
  readonly at: number;
  readonly domain: string;
  readonly uptimeMs: number;
  sinceSeenMs(renewal: string): number;
}

export function stampOf(now: Now): Stamp {
  return { at: now.at, domain: now.domain, uptimeMs: now.uptimeMs };
}

/** Names one renewal of one record: a new renewal starts every observer's timer afresh. */
export function renewalKey(id: string, stamp: Stamp): string {
  return `${id}:${stamp.domain}:${stamp.uptimeMs}:${stamp.at}`;
}

/** Is `stamp` from the very clock that `now` reads? An uptime ahead of ours is from another one. */
export function sharesClock(stamp: Stamp, now: Now): boolean {
  return stamp.domain === now.domain && stamp.uptimeMs <= now.uptimeMs + limits.uptimeSlackMs;
}

/** A lower bound on the time since `stamp`: never more than has really passed. */
export function elapsedMs(id: string, stamp: Stamp, now: Now): number {
  if (sharesClock(stamp, now)) return Math.max(0, now.uptimeMs - stamp.uptimeMs);
  return now.sinceSeenMs(renewalKey(id, stamp)) / (1 + limits.clockRateError);
}

export function formatTime(at: number): string {
  return new Date(at).toISOString();
}

export function parseTime(text: string): number {
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/.test(text) ? Date.parse(text) : Number.NaN;
}

const unitMs: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** `90s`, `15m`, `2h`, `1d`; a bare number is refused, because nobody can tell what it means. */
export function parseDuration(text: string, what: string): number {
  const match = /^(\d{1,9})(ms|s|m|h|d)$/.exec(text.trim());
  if (match === null) {
    throw new CoordError(
      'bad_duration',
      `${what} '${text}' is not a duration`,
      'write it as 90s, 15m or 2h',
    );
  }
  return Number(match[1]) * (unitMs[match[2] ?? ''] ?? 0);
}

/** Whole units for people: 45s, 12m, 2h 5m, 3d. */
export function formatDuration(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1_000));
  if (seconds < 90) return `${seconds}s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 120) return `${minutes}m`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return minutes % 60 === 0 ? `${hours}h` : `${hours}h ${minutes % 60}m`;
  return `${Math.round(hours / 24)}d`;
}
