/**
 * What changed between two texts, line by line, as git's own diff (Myers, without options) says it:
 * where a line could be matched in several ways, a merge has to see what git would see. The tests
 * hold it against git.
 */
import { compact, type Side } from './compact.ts';
import { type Kept, matchKept, roughRoot } from './match.ts';
import type { Lines } from './split.ts';

/** `a[start..end)` became `b[from..to)`; one of the two may be empty. */
export interface Hunk {
  readonly start: number;
  readonly end: number;
  readonly from: number;
  readonly to: number;
}

export function diff(a: Lines, b: Lines): readonly Hunk[] {
  const numbers = new Map<string, number>();
  const numbered = (lines: Lines): Side => ({
    ids: Int32Array.from(lines, (line) => {
      const known = numbers.get(line);
      if (known === undefined) numbers.set(line, numbers.size);
      return known ?? numbers.size - 1;
    }),
    changed: new Uint8Array(lines.length),
  });
  const [one, two] = [numbered(a), numbered(b)];
  mark(one, two, numbers.size);
  compact(one, two);
  compact(two, one);
  return hunksOf(one, two);
}

function hunksOf({ changed: a }: Side, { changed: b }: Side): readonly Hunk[] {
  const hunks: Hunk[] = [];
  let [start, from] = [0, 0];
  while (start < a.length || from < b.length) {
    let [end, to] = [start, from];
    while (a[end] === 1) end++;
    while (b[to] === 1) to++;
    if (end > start || to > from) hunks.push({ start, end, from, to });
    [start, from] = [end + 1, to + 1];
  }
  return hunks;
}

/** Marks what differs between the common beginning and the common end. */
function mark(one: Side, two: Side, count: number): void {
  const [a, b] = [one.ids, two.ids];
  const shorter = Math.min(a.length, b.length);
  let head = 0;
  while (head < shorter && a[head] === b[head]) head++;
  let tail = 0;
  while (tail < shorter - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail++;
  const [endA, endB] = [a.length - tail, b.length - tail];
  // The whole texts count, as in git: what stands in the common parts is a match as well.
  const keptA = worthMatching(one, head, endA, counts(b, count));
  const keptB = worthMatching(two, head, endB, counts(a, count));
  matchKept(kept(one, keptA), kept(two, keptB));
}

function counts(ids: Int32Array, count: number): Int32Array {
  const found = new Int32Array(count);
  for (const id of ids) found[id] = (found[id] ?? 0) + 1;
  return found;
}

/** In the other text a line is found never, some times, or so often that it says little. */
const [never, sometimes, often] = [0, 1, 2];

/**
 * The lines that are compared: not those that the other text lacks, and not those that stand
 * everywhere where they stand between such.
 */
function worthMatching(
  { ids, changed }: Side,
  start: number,
  end: number,
  others: Int32Array,
): readonly number[] {
  const tooOften = Math.min(roughRoot(ids.length), 1_024);
  const classes = Array.from(ids.subarray(start, end), (id) => {
    const found = others[id] ?? 0;
    if (found === 0) return never;
    return found >= tooOften ? often : sometimes;
  });
  return classes.flatMap((one, i) => {
    if (one === sometimes || (one === often && !standsAmongLost(classes, i))) return [start + i];
    changed[start + i] = 1;
    return [];
  });
}

function standsAmongLost(classes: readonly number[], at: number): boolean {
  let [lost, frequent] = [0, 0];
  for (const step of [-1, 1]) {
    let lostHere = 0;
    frequent++;
    for (let i = at + step; Math.abs(i - at) <= 100 && i >= 0 && i < classes.length; i += step) {
      if (classes[i] === sometimes) break;
      if (classes[i] === never) lostHere++;
      else frequent++;
    }
    if (lostHere === 0) return false;
    lost += lostHere;
  }
  return frequent * 4 < frequent + lost;
}

function kept({ ids, changed }: Side, places: readonly number[]): Kept {
  return { ids: Int32Array.from(places, (place) => ids[place] ?? -1), places, changed };
}
