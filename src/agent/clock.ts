/**
 * This machine's clocks: wall time for showing, a suspend-aware uptime for deciding, and the domain
 * in which that uptime means the same to two processes. Where the domain cannot be told, nobody
 * shares it, and renewals are timed from when they were first seen.
 */
import { createHash, randomBytes } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { uptime } from 'node:os';
import type { Now } from '../core/instant.ts';
import type { SeenFile } from './seen.ts';

export interface Clock {
  now(): Now;
  sleep(ms: number): Promise<void>;
}

/** One boot of one kernel, as seen through one time namespace. */
export function clockDomain(): string {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    const namespace = readlinkSync('/proc/self/ns/time');
    return createHash('sha256').update(`${boot} ${namespace}`).digest('hex').slice(0, 12);
  } catch {
    return `alone-${randomBytes(6).toString('hex')}`;
  }
}

export function uptimeMs(): number {
  try {
    return Math.round(Number(readFileSync('/proc/uptime', 'utf8').split(' ')[0]) * 1_000);
  } catch {
    return Math.round(uptime() * 1_000);
  }
}

export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}

export function systemClock(seen: SeenFile): Clock {
  const domain = clockDomain();
  return {
    sleep,
    now: () => {
      const at = Date.now();
      const up = uptimeMs();
      return { at, domain, uptimeMs: up, sinceSeenMs: (renewal) => seen.sinceMs(renewal, domain, up) };
    },
  };
}
