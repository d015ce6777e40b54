/**
 * When this machine first saw each renewal that was made under another clock. Kept in a local file
 * across short processes, for each of this machine's clocks by itself; under another boot it starts
 * afresh, and without the file every timer starts at zero: always later, never earlier.
 */
import { limits } from '../core/limits.ts';
import { readLocal, writeLocal } from '../git/local.ts';

const file = 'seen';

/** Uptimes at the first sight, by clock and renewal, the newest last. */
type Sights = Map<string, number>;

export class SeenFile {
  readonly #commonDir: string;
  #read: Sights | null = null;
  #isWritten = true;

  constructor(commonDir: string) {
    this.#commonDir = commonDir;
  }

  #sights(): Sights {
    return this.#read ??= readSights(this.#commonDir);
  }

  /** How long ago it was first seen; null where it was not, under this clock. */
  knownMs(renewal: string, domain: string, uptimeMs: number): number | null {
    const first = this.#sights().get(`${domain} ${renewal}`);
    return first !== undefined && first <= uptimeMs + limits.uptimeSlackMs ? Math.max(0, uptimeMs - first) : null;
  }

  sinceMs(renewal: string, domain: string, uptimeMs: number): number {
    const known = this.knownMs(renewal, domain, uptimeMs);
    if (known !== null) return known;
    const key = `${domain} ${renewal}`;
    const sights = this.#sights();
    sights.delete(key);
    sights.set(key, uptimeMs);
    // One look may meet a thousand of them: they are written together once it is over.
    if (this.#isWritten) queueMicrotask(() => this.#write());
    this.#isWritten = false;
    return 0;
  }

  /** Other processes have seen things too; of one renewal the earlier sight is the better one. */
  #write(): void {
    this.#isWritten = true;
    const all = readSights(this.#commonDir);
    for (const [key, uptimeMs] of this.#sights()) {
      const theirs = all.get(key);
      if (theirs === undefined || theirs > uptimeMs) all.set(key, uptimeMs);
    }
    this.#read = new Map([...all].slice(-limits.sightsKept));
    writeLocal(this.#commonDir, file, JSON.stringify(Object.fromEntries(this.#read)));
  }
}

function readSights(commonDir: string): Sights {
  try {
    const value: unknown = JSON.parse(readLocal(commonDir, file) ?? '{}');
    return new Map(Object.entries(value as Record<string, unknown>).filter((entry): entry is [string, number] => typeof entry[1] === 'number'));
  } catch {
    return new Map();
  }
}
