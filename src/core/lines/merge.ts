/**
 * Two texts that came from one, merged as `git merge-file` does it: changes that touch or share
 * lines conflict, unless they say the same.
 */
import { diff, type Hunk } from './diff.ts';
import type { Lines } from './split.ts';
import { sameLines } from './split.ts';

/** A text and what it changes of the one that it came from, compared once for many merges. */
export interface Side {
  readonly lines: Lines;
  readonly hunks: readonly Hunk[];
}

export function sideOf(base: Lines, lines: Lines): Side {
  return { lines, hunks: diff(base, lines) };
}

/** Lines of both sides at a place where they add, as they are to stand. */
type Together = (ours: Stretch, theirs: Stretch) => Lines;

/** Null where they conflict; but not where both only add, if `together` says how that stands. */
export function merge(base: Lines, ours: Lines, theirs: Lines, together?: Together): Lines | null {
  return mergeSides(base, sideOf(base, ours), sideOf(base, theirs), together);
}

export function mergeSides(
  base: Lines,
  ours: Side,
  theirs: Side,
  together?: Together,
): Lines | null {
  const sides = [ours, theirs];
  const merged: string[] = [];
  let at = 0;
  for (const place of touching(sides.map(({ hunks }) => hunks))) {
    const [one, other = one] = sides.flatMap(({ lines }, i) => {
      const stretch = stretchAt(place, place.hunks[i] ?? []);
      return stretch === null ? [] : { ...stretch, text: lines.slice(stretch.from, stretch.to) };
    });
    if (one === undefined || other === undefined) continue;
    const isSame = sameLines(one.text, other.text);
    if (!isSame && (together === undefined || place.end > place.start)) return null;
    for (const line of base.slice(at, place.start)) merged.push(line);
    for (const line of isSame ? one.text : (together?.(one, other) ?? [])) merged.push(line);
    at = place.end;
  }
  return [...merged, ...base.slice(at)];
}

/** A stretch of the base, and what each side changed there. */
interface Place {
  readonly start: number;
  end: number;
  readonly hunks: readonly Hunk[][];
}

/** All changes, those together that touch. */
function touching(sides: readonly (readonly Hunk[])[]): readonly Place[] {
  const all = sides
    .flatMap((hunks, side) => hunks.map((hunk) => ({ side, hunk })))
    .sort((a, b) => a.hunk.start - b.hunk.start || a.hunk.end - b.hunk.end);
  const places: Place[] = [];
  for (const { side, hunk } of all) {
    let place = places.at(-1);
    if (place === undefined || hunk.start > place.end) {
      place = { start: hunk.start, end: hunk.end, hunks: sides.map(() => []) };
      places.push(place);
    }
    place.end = Math.max(place.end, hunk.end);
    place.hunks[side]?.push(hunk);
  }
  return places;
}

/** Lines `[from, to)` of a side. */
export interface Stretch {
  readonly from: number;
  readonly to: number;
}

/** What a side has there; null where it changed nothing. */
function stretchAt({ start, end }: Place, hunks: readonly Hunk[]): Stretch | null {
  const [first, last] = [hunks[0], hunks.at(-1)];
  if (first === undefined || last === undefined) return null;
  return { from: first.from - (first.start - start), to: last.to + (end - last.end) };
}
