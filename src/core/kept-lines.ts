/**
 * Does a text keep what others have changed since it was begun? Line by line, of three texts: what
 * its writer had read, what is there now, and what the writer would put in its place.
 */

/** One line that would be lost, or would come back, and where that is in what is there now. */
export interface Loss {
  readonly kind: 'lost' | 'back';
  /** From 1. */
  readonly at: number;
  readonly text: string;
}

/** Beyond so many differences two texts count as having nothing in common in between. */
const mostDifferences = 2_000;

function linesOf(text: string): readonly string[] {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

/** For each line of the one where it stands in the other, or -1: a longest common part (Myers). */
function places(one: readonly string[], other: readonly string[]): Int32Array {
  const found = new Int32Array(one.length).fill(-1);
  let start = 0;
  while (start < one.length && start < other.length && one[start] === other[start]) {
    found[start] = start;
    start += 1;
  }
  let [end, otherEnd] = [one.length, other.length];
  while (end > start && otherEnd > start && one[end - 1] === other[otherEnd - 1]) {
    end -= 1;
    otherEnd -= 1;
    found[end] = otherEnd;
  }
  const middle = walk(one.slice(start, end), other.slice(start, otherEnd));
  for (const [i, j] of middle) found[start + i] = start + j;
  return found;
}

type Pair = readonly [number, number];

/** How far each diagonal reaches; `at` of diagonal k is k + middle. */
interface Front {
  readonly reach: Int32Array;
  readonly middle: number;
}

/** The diagonal that one comes from to reach k with d differences. */
function before({ reach, middle }: Front, k: number, d: number): number {
  const at = (diagonal: number): number => reach[diagonal + middle] ?? -1;
  return k === -d || (k !== d && at(k - 1) < at(k + 1)) ? k + 1 : k - 1;
}

function walk(one: readonly string[], other: readonly string[]): readonly Pair[] {
  const most = Math.min(mostDifferences, one.length + other.length);
  const reach = new Int32Array(2 * most + 3);
  const middle = most + 1;
  const trace: Front[] = [];
  for (let d = 0; d <= most; d += 1) {
    trace.push({ reach: reach.slice(middle - d - 1, middle + d + 2), middle: d + 1 });
    for (let k = -d; k <= d; k += 2) {
      const from = before({ reach, middle }, k, d);
      let x = (reach[from + middle] ?? 0) + (from < k ? 1 : 0);
      while (x < one.length && x - k < other.length && one[x] === other[x - k]) x += 1;
      reach[k + middle] = x;
      if (x >= one.length && x - k >= other.length) return back(trace, one.length, other.length);
    }
  }
  return [];
}

function back(trace: readonly Front[], length: number, otherLength: number): readonly Pair[] {
  const pairs: Pair[] = [];
  let [x, y] = [length, otherLength];
  for (let d = trace.length - 1; d >= 0; d -= 1) {
    const front = trace[d];
    if (front === undefined) break;
    const k = before(front, x - y, d);
    const fromX = d === 0 ? 0 : (front.reach[k + front.middle] ?? 0);
    const fromY = d === 0 ? 0 : fromX - k;
    while (x > fromX && y > fromY) {
      x -= 1;
      y -= 1;
      pairs.push([x, y]);
    }
    [x, y] = [fromX, fromY];
  }
  return pairs;
}

/** A brace or an empty line may be anybody's. */
function says(line: string): boolean {
  return /[\p{L}\p{N}]/u.test(line);
}

function counts(lines: readonly string[]): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  for (const line of lines) found.set(line, (found.get(line) ?? 0) + 1);
  return found;
}

/**
 * What of the change from `read` to `now` is not in `next`: lines that it would drop, and lines that
 * it would bring back. Without `read` all that it would change counts.
 */
export function lossesOf(read: string | null, now: string, next: string): readonly Loss[] {
  const [present, wanted] = [linesOf(now), linesOf(next)];
  const origin = invert(places(wanted, present), present.length);
  if (read === null) return differences(present, wanted, origin);
  const known = linesOf(read);
  const toPresent = places(known, present);
  const fromKnown = invert(toPresent, present.length);
  const toWanted = invert(places(wanted, known), known.length);
  const [inKnown, inPresent, inWanted] = [counts(known), counts(present), counts(wanted)];
  const count = (of: ReadonlyMap<string, number>, line: string): number => of.get(line) ?? 0;

  const lost = present.flatMap((text, i): readonly Loss[] => {
    if (fromKnown[i] !== -1) return [];
    const isFewer =
      says(text) &&
      count(inPresent, text) > count(inKnown, text) &&
      count(inWanted, text) < count(inPresent, text);
    return origin[i] === -1 || isFewer ? [{ kind: 'lost', at: i + 1, text }] : [];
  });
  // What stands in `next` and is not of what is there now.
  const isNew = new Uint8Array(wanted.length).fill(1);
  for (const place of origin) if (place >= 0) isNew[place] = 0;
  const returns = (i: number): boolean => {
    const [text = '', place = -1] = [known[i], toWanted[i]];
    const isMore =
      says(text) &&
      count(inPresent, text) < count(inKnown, text) &&
      count(inWanted, text) > count(inPresent, text);
    return toPresent[i] === -1 && (isMore || (place >= 0 && isNew[place] === 1));
  };
  return [...lost, ...takenOut(known, toPresent, returns)].sort((a, b) => a.at - b.at);
}

/** Of each run of lines that others have taken out, those that would come back, if they say something. */
function takenOut(
  known: readonly string[],
  toPresent: Int32Array,
  returns: (i: number) => boolean,
): readonly Loss[] {
  const losses: Loss[] = [];
  for (let i = 0, at = 1; i < known.length; ) {
    const place = toPresent[i] ?? -1;
    if (place >= 0) {
      at = place + 2;
      i += 1;
      continue;
    }
    const run: number[] = [];
    for (; i < known.length && toPresent[i] === -1; i += 1) run.push(i);
    const spoken = run.filter((one) => says(known[one] ?? ''));
    if ((spoken.length > 0 ? spoken : run).some(returns))
      losses.push(
        ...run.filter(returns).map((one): Loss => ({ kind: 'back', at, text: known[one] ?? '' })),
      );
  }
  return losses;
}

function differences(
  present: readonly string[],
  wanted: readonly string[],
  origin: Int32Array,
): readonly Loss[] {
  const losses: Loss[] = [];
  let next = 0;
  const upTo = (end: number, at: number): void => {
    for (; next < end; next += 1) losses.push({ kind: 'back', at, text: wanted[next] ?? '' });
  };
  present.forEach((text, i) => {
    const place = origin[i] ?? -1;
    if (place < 0) losses.push({ kind: 'lost', at: i + 1, text });
    else {
      upTo(place, i + 1);
      next = place + 1;
    }
  });
  upTo(wanted.length, present.length + 1);
  return losses;
}

function invert(places: Int32Array, length: number): Int32Array {
  const found = new Int32Array(length).fill(-1);
  places.forEach((place, i) => {
    if (place >= 0) found[place] = i;
  });
  return found;
}
