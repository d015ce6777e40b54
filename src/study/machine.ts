/**
 * Simulated time. There is one true time, which nobody can read; each machine has an uptime that
 * runs at a rate of its own and starts anew at each boot, and a wall clock that may be set to
 * anything.
 */
import type { Now, Stamp } from '../core/instant.ts';

export class TrueTime {
  ms = 0;

  reach(ms: number): void {
    this.ms = Math.max(this.ms, ms);
  }
}

interface Boot {
  readonly domain: string;
  readonly startedMs: number;
  readonly uptimeMs: number;
}

interface Sight {
  readonly domain: string;
  readonly uptimeMs: number;
}

export class Machine {
  readonly #time: TrueTime;
  readonly #name: string;
  readonly #rate: number;
  readonly #boots: Boot[] = [];
  readonly #sights = new Map<string, Sight>();
  /** How far its wall clock is off. */
  wallOffsetMs = 0;

  /** `rate`: milliseconds of its uptime in one of true time. */
  constructor(time: TrueTime, name: string, rate = 1) {
    this.#time = time;
    this.#name = name;
    this.#rate = rate;
    this.reboot();
  }

  /** All its uptimes so far mean nothing any more. What it keeps in files stays. */
  reboot(): void {
    this.#boots.push({
      domain: `${this.#name}-boot-${this.#boots.length + 1}`,
      startedMs: this.#time.ms,
      uptimeMs: 20_000,
    });
  }

  now(): Now {
    const { domain, startedMs, uptimeMs: began } = this.#boots.at(-1) as Boot;
    const uptimeMs = Math.floor(began + (this.#time.ms - startedMs) * this.#rate);
    const at = Math.round(Date.UTC(2030, 0, 1) + this.#time.ms + this.wallOffsetMs);
    return {
      at,
      domain,
      uptimeMs,
      sinceSeenMs: (renewal) => this.#sinceSeen(renewal, domain, uptimeMs),
    };
  }

  /** Kept across processes, and begun afresh after a boot. */
  #sinceSeen(renewal: string, domain: string, uptimeMs: number): number {
    const first = this.#sights.get(renewal);
    if (first?.domain === domain) return uptimeMs - first.uptimeMs;
    this.#sights.set(renewal, { domain, uptimeMs });
    return 0;
  }

  /** True time that must pass here for its uptime to grow by this much. */
  trueMs(uptimeMs: number): number {
    return uptimeMs / this.#rate;
  }

  /**
   * How much of this machine's own time has passed since the stamp at that true time; null if the
   * stamp is not its own.
   */
  ownElapsedMs(stamp: Stamp, trueMs: number): number | null {
    const boot = this.#boots.find(({ domain }) => domain === stamp.domain);
    return boot === undefined
      ? null
      : (trueMs - boot.startedMs) * this.#rate + boot.uptimeMs - stamp.uptimeMs;
  }
}
