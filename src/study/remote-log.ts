/**
 * The log on the server: a chain of entries with the state after the newest, moved by
 * compare-and-swap.
 */

interface Hold {
  readonly agent: number;
  readonly machine: number;
  readonly renewedMs: number;
}

interface Waiter {
  readonly agent: number;
  readonly untilMs: number;
}

export interface SimulatedCopy {
  readonly holder: Hold | null;
  /** First come, first served. */
  readonly line: readonly Waiter[];
}

/** What is held or waited for, by file. */
export type Places = ReadonlyMap<number, SimulatedCopy>;

interface SimulatedEntry {
  readonly before: SimulatedEntry | null;
  readonly machine: number;
  readonly atMs: number;
}

export interface Tip {
  readonly entry: SimulatedEntry;
  readonly places: Places;
}

export class RemoteLog {
  readonly #lease: boolean;
  tip: Tip = { entry: { before: null, machine: -1, atMs: 0 }, places: new Map() };
  entries = 0;
  /** Entries that took effect and are in the log no more. */
  lostOperations = 0;

  constructor(lease: boolean) {
    this.#lease = lease;
  }

  /** The new tip, or null where the log has moved since it was seen. */
  push(seen: Tip, machine: number, places: Places, atMs: number): Tip | null {
    if (seen !== this.tip) {
      if (this.#lease) return null;
      this.lostOperations += countMissing(this.tip.entry, seen.entry);
    }
    this.entries += 1;
    this.tip = { entry: { before: seen.entry, machine, atMs }, places };
    return this.tip;
  }
}

/** How many entries of one chain are not in another. */
function countMissing(of: SimulatedEntry, from: SimulatedEntry): number {
  let [one, other]: [SimulatedEntry | null, SimulatedEntry | null] = [of, from];
  let count = 0;
  while (one !== null && one !== other) {
    if (other !== null && other.atMs > one.atMs) other = other.before;
    else {
      one = one.before;
      count += 1;
    }
  }
  return count;
}

export function contains(chain: SimulatedEntry, entry: SimulatedEntry): boolean {
  for (let at: SimulatedEntry | null = chain; at !== null && at.atMs >= entry.atMs; at = at.before)
    if (at === entry) return true;
  return false;
}

/** Other machines that have written since. */
export function writersSince(chain: SimulatedEntry, sinceMs: number, machine: number): number {
  const writers = new Set<number>();
  for (
    let at: SimulatedEntry | null = chain;
    at !== null && at.before !== null && at.atMs >= sinceMs;
    at = at.before
  )
    writers.add(at.machine);
  writers.delete(machine);
  return writers.size;
}
