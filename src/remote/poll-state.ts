/**
 * When this machine last asked the remote, kept in a file so that short processes share it: by
 * itself coord asks at most once in an interval, and the interval grows while nothing moves.
 */
import { limits } from '../core/limits.ts';
import { dropLocal, readLocal, writeLocal } from '../git/local.ts';

const file = 'remote/asked';
const silent = 'remote/silent';

export interface Asked {
  /** Uptime at which the last answer was asked for; nothing before it is missing in the copy. */
  readonly atMs: number;
  readonly everyMs: number;
}

const never: Asked = { atMs: Number.NEGATIVE_INFINITY, everyMs: limits.askEveryMs };

/** `clock` names the boot: uptimes of another mean nothing here. */
export function lastAsked(commonDir: string, clock: string, nowMs: number): Asked {
  const [was, at, every] = (readLocal(commonDir, file) ?? '').trim().split(' ');
  const atMs = Number(at);
  if (was !== clock || !Number.isFinite(atMs) || atMs > nowMs + limits.uptimeSlackMs) return never;
  return {
    atMs,
    everyMs: Math.min(limits.askEveryMaxMs, Math.max(limits.askEveryMs, Number(every) || 0)),
  };
}

export function noteAsked(
  commonDir: string,
  clock: string,
  atMs: number,
  last: Asked,
  hasMoved: boolean,
): void {
  const everyMs = hasMoved ? limits.askEveryMs : Math.min(limits.askEveryMaxMs, last.everyMs * 2);
  writeLocal(commonDir, file, `${clock} ${Math.max(atMs, last.atMs)} ${everyMs}\n`);
  if (silentSince(commonDir, clock) !== null) dropLocal(commonDir, silent);
}

/** It did not answer then: whoever looks by itself lets it be for a while. */
export function noteUnreachable(commonDir: string, clock: string, nowMs: number): void {
  writeLocal(commonDir, silent, `${clock} ${nowMs}\n`);
}

export function silentSince(commonDir: string, clock: string): number | null {
  const [was, at] = (readLocal(commonDir, silent) ?? '').trim().split(' ');
  return was === clock && Number.isFinite(Number(at)) ? Number(at) : null;
}
