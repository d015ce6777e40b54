/**
 * When this machine first saw each renewal that was made under another clock. Kept in a local file
 * across short processes, for each of this machine's clocks by itself; under another boot it starts
 * afresh, and without the file every timer starts at zero: always later, never earlier.
 */
import { limits } from '../core/limits.ts';
import { appendLocal, readLocal, writeLocal } from '../git/local.ts';

const file = 'sights';

/** Uptimes at the first sight, by clock and renewal. */
type Sights = Map<string, number>;

export class SeenFile {
  readonly #commonDir: string;
  #read: Sights | null = null;
  readonly #fresh: Sights = new Map();
  #isWritten = true;

  constructor(commonDir: string) {
    this.#commonDir = commonDir;
  }

  #sights(): Sights {
    return (this.#read ??= readSights(this.#commonDir).sights);
  }

  /** How long ago it was first seen; null where it was not, under this clock. */
  knownMs(renewal: string, domain: string, uptimeMs: number): number | null {
    const first = this.#sights().get(`${domain} ${renewal}`);
    return first !== undefined && first <= uptimeMs + limits.uptimeSlackMs
      ? Math.max(0, uptimeMs - first)
      : null;
  }

  sinceMs(renewal: string, domain: string, uptimeMs: number): number {
    const known = this.knownMs(renewal, domain, uptimeMs);
    if (known !== null) return known;
    const key = `${domain} ${renewal}`;
    const sights = this.#sights();
    sights.set(key, uptimeMs);
    this.#fresh.set(key, uptimeMs);
    // One look may meet a thousand of them: they are written together once it is over.
    if (this.#isWritten) queueMicrotask(() => this.#write());
    this.#isWritten = false;
    return 0;
  }

  /**
   * Added at the end, so that of several processes that look at once none loses what another saw.
   */
  #write(): void {
    this.#isWritten = true;
    const lines = [...this.#fresh].map(([key, uptimeMs]) => `${key}\t${uptimeMs}\n`);
    this.#fresh.clear();
    const all = readSights(this.#commonDir);
    if (all.lines + lines.length <= 2 * limits.sightsKept) {
      appendLocal(this.#commonDir, file, lines.join(''));
      return;
    }
    const kept = [...all.sights].map(([key, uptimeMs]) => `${key}\t${uptimeMs}\n`);
    writeLocal(this.#commonDir, file, [...kept, ...lines].slice(-limits.sightsKept).join(''));
  }
}

interface Read {
  readonly sights: Sights;
  readonly lines: number;
}

/** Of one renewal the earliest sight counts. */
function readSights(commonDir: string): Read {
  const rows = (readLocal(commonDir, file) ?? '').split('\n').slice(0, -1);
  const sights: Sights = new Map();
  for (const row of rows) {
    const [key = '', said = ''] = row.split('\t');
    const [uptimeMs, known] = [Number(said), sights.get(key)];
    if (key === '' || said === '' || !Number.isFinite(uptimeMs)) continue;
    if (known === undefined || known > uptimeMs) sights.set(key, uptimeMs);
  }
  return { sights, lines: rows.length };
}
