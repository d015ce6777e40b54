import { readFileSync } from 'node:fs';

/**
 * Times from now, as a shell can check them: by the time since this machine started where that can
 * be read, else by the wall clock.
 */
export function untilFrom(wallMs: number): (forMs: number) => string {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    const [uptime = ''] = readFileSync('/proc/uptime', 'utf8').split('.');
    if (/^\d+$/.test(uptime))
      return (forMs) => `${boot} ${Number(uptime) + Math.floor(forMs / 1_000)}`;
  } catch {
    // Not Linux.
  }
  return (forMs) => `wall ${Math.floor((wallMs + forMs) / 1_000)}`;
}
