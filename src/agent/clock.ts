/**
 * This machine's clocks: wall time for showing, a suspend-aware uptime for deciding, and the domain
 * in which that uptime means the same to two processes. Where the domain cannot be told, nobody
 * shares it, and renewals are timed from when they were first seen.
 */
import { readFileSync, readlinkSync } from 'node:fs';
import { uptime } from 'node:os';
import type { Now } from '../core/instant.ts';
import { limits } from '../core/limits.ts';
import { builtin } from '../git/builtin.ts';
import type { SeenFile } from './seen.ts';

export interface Clock {
  now(): Now;
  sleep(ms: number): Promise<void>;
}

/**
 * One boot of one kernel, as seen through one time namespace. An uptime below the monotonic clock is
 * a made-up one (a container's own), which means nothing to its neighbours.
 */
export function clockDomain(): string {
  try {
    if (uptimeMs() + limits.uptimeSlackMs < Number(process.hrtime.bigint() / 1_000_000n)) throw new Error('made up');
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    const namespace = readlinkSync('/proc/self/ns/time');
    return `${boot.replaceAll('-', '').slice(0, 12)}-${/\d+/.exec(namespace)?.[0] ?? ''}`;
  } catch {
    return `alone-${builtin.crypto.randomBytes(6).toString('hex')}`;
  }
}

/** This boot, for timing what this machine sees for itself: whoever mistakes it only starts a timer afresh. */
function ownBoot(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return `booted ${Math.round((Date.now() - uptimeMs()) / 600_000)}`;
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
  const boot = ownBoot();
  return {
    sleep,
    now: () => {
      const at = Date.now();
      const up = uptimeMs();
      return { at, domain, uptimeMs: up, sinceSeenMs: (renewal) => seen.sinceMs(renewal, boot, up) };
    },
  };
}
