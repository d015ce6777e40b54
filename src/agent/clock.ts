/**
 * This machine's clocks: wall time for showing, a suspend-aware uptime for deciding, and the domain
 * in which that uptime means the same to two processes. Where the domain cannot be told, nobody
 * shares it, and renewals are timed from when they were first seen.
 */
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname, uptime } from 'node:os';
import { limits } from '../core/limits.ts';
import { builtin } from '../git/builtin.ts';
import type { Clock } from '../loop/world.ts';
import type { Watch } from '../remote/pending.ts';
import type { SeenFile } from './seen.ts';

/**
 * One boot of one kernel, as seen through one time namespace with its offsets (the number of one
 * that is gone is given to another). An uptime below the monotonic clock is a made-up one (a
 * container's own), which means nothing to its neighbours.
 */
export function clockDomain(): string {
  try {
    if (uptimeMs() + limits.uptimeSlackMs < monotonicMs()) throw new Error('made up');
    return bootAndNamespace();
  } catch {
    return `alone-${builtin.crypto.randomBytes(6).toString('hex')}`;
  }
}

/** Which machine this is, and which of its boots, as far as it can be told. */
export function machineMark(): string {
  try {
    return `${hostname()} ${bootId()}`;
  } catch {
    return hostname();
  }
}

function bootId(): string {
  return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
}

function bootAndNamespace(): string {
  const boot = bootId();
  const namespace = readlinkSync('/proc/self/ns/time');
  const offset = /^boottime\s+(-?\d+)/m.exec(readOffsets())?.[1] ?? '0';
  return `${boot.replaceAll('-', '').slice(0, 12)}-${/\d+/.exec(namespace)?.[0] ?? ''}${offset === '0' ? '' : `-${offset}`}`;
}

function readOffsets(): string {
  try {
    return readFileSync('/proc/self/timens_offsets', 'utf8');
  } catch {
    return '';
  }
}

function monotonicMs(): number {
  return Math.round(Number(process.hrtime.bigint() / 1_000_000n));
}

/**
 * For timing what this machine sees for itself. Where uptime is made up the monotonic clock serves,
 * which stands still in suspend: later, never earlier.
 */
function ownWatch(domain: string): Watch {
  if (!domain.startsWith('alone-')) return { domain, uptimeMs };
  try {
    return { domain: `monotonic-${bootAndNamespace()}`, uptimeMs: monotonicMs };
  } catch {
    return { domain: `booted ${Math.round((Date.now() - uptimeMs()) / 600_000)}`, uptimeMs };
  }
}

export function uptimeMs(): number {
  try {
    return Math.round(Number(readFileSync('/proc/uptime', 'utf8').split(' ')[0]) * 1_000);
  } catch {
    return Math.round(uptime() * 1_000);
  }
}

export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const woken = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', woken);
      resolve();
    };
    const timer = setTimeout(woken, ms);
    if (signal?.aborted === true) woken();
    else signal?.addEventListener('abort', woken);
  });
}

export interface SystemClock extends Clock {
  /** For timing what this machine does and sees by itself, in files. */
  readonly watch: Watch;
}

export function systemClock(seen: SeenFile): SystemClock {
  const domain = clockDomain();
  const watch = ownWatch(domain);
  return {
    sleep,
    watch,
    now: () => {
      const at = Date.now();
      const up = uptimeMs();
      return {
        at,
        domain,
        uptimeMs: up,
        sinceSeenMs: (renewal) => seen.sinceMs(renewal, watch.domain, watch.uptimeMs()),
      };
    },
  };
}
