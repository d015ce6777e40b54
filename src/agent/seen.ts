/**
 * When this machine first saw each renewal that was made under another clock. Kept in a local file
 * across short processes; an entry from another boot starts afresh, and without the file every
 * timer starts at zero: always later, never earlier.
 */
import { limits } from '../core/limits.ts';
import { readLocal, writeLocal } from '../git/local.ts';

const file = 'seen';
const kept = 4_096;

interface FirstSight {
  readonly domain: string;
  readonly uptimeMs: number;
}

export class SeenFile {
  readonly #commonDir: string;
  #sights: Map<string, FirstSight> | null = null;

  constructor(commonDir: string) {
    this.#commonDir = commonDir;
  }

  sinceMs(renewal: string, domain: string, uptimeMs: number): number {
    this.#sights ??= readSights(this.#commonDir);
    const first = this.#sights.get(renewal);
    if (first !== undefined && first.domain === domain && first.uptimeMs <= uptimeMs + limits.uptimeSlackMs) {
      return Math.max(0, uptimeMs - first.uptimeMs);
    }
    this.#sights.set(renewal, { domain, uptimeMs });
    // Other processes have seen things too; of one renewal the earlier sight in this boot is the better one.
    const all = new Map([...readSights(this.#commonDir)].filter(([, sight]) => sight.domain === domain));
    for (const [key, sight] of this.#sights) {
      const theirs = all.get(key);
      if (sight.domain === domain && (theirs === undefined || theirs.uptimeMs > sight.uptimeMs)) all.set(key, sight);
    }
    this.#sights = new Map([...all].sort(([, a], [, b]) => a.uptimeMs - b.uptimeMs).slice(-kept));
    writeLocal(this.#commonDir, file, JSON.stringify(Object.fromEntries(this.#sights)));
    return Math.max(0, uptimeMs - (this.#sights.get(renewal)?.uptimeMs ?? uptimeMs));
  }
}

function readSights(commonDir: string): Map<string, FirstSight> {
  try {
    const value: unknown = JSON.parse(readLocal(commonDir, file) ?? '{}');
    return new Map(Object.entries(value as Record<string, FirstSight>).filter(([, sight]) =>
      typeof sight.domain === 'string' && typeof sight.uptimeMs === 'number'));
  } catch {
    return new Map();
  }
}
