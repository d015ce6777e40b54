/**
 * A file in which what several add at one place is all kept (`merge=union`), in the order in which
 * the file holds it.
 */
import { diff } from './diff.ts';
import { merge, type Stretch } from './merge.ts';
import type { Lines } from './split.ts';

/** Null where they conflict, which what both add at one place does not. */
export function mergeUnion(base: Lines, ours: Lines, theirs: Lines, file: Lines): Lines | null {
  // All that they have added is there already.
  if (isAddedTo(base, theirs) && isAddedTo(theirs, ours)) return ours;
  const places = [ours, theirs].map((text) => placesIn(text, file));
  return merge(base, ours, theirs, (...stretches) => {
    const placed = stretches.flatMap(
      ({ from, to }: Stretch, side) =>
        [ours, theirs][side]?.slice(from, to).map((line, i) => {
          const { place = -1, isThere = false } = places[side]?.[from + i] ?? {};
          return { line, place, isThere, side };
        }) ?? [],
    );
    const isTwice = (one: (typeof placed)[number]): boolean =>
      one.side === 1 &&
      one.isThere &&
      placed.some(({ side, isThere, place }) => side === 0 && isThere && place === one.place);
    return placed
      .filter((one) => !isTwice(one))
      .sort((a, b) => a.place - b.place)
      .map(({ line }) => line);
  });
}

function isAddedTo(before: Lines, after: Lines): boolean {
  return diff(before, after).every(({ start, end }) => start === end);
}

/** Where the lines of the text stand in the file; one that does not, after the one before it. */
export function placesIn(
  text: Lines,
  file: Lines,
): readonly { readonly place: number; readonly isThere: boolean }[] {
  const places: { place: number; isThere: boolean }[] = [];
  let at = 0;
  const keepUntil = (end: number): void => {
    while (places.length < end) places.push({ place: at++, isThere: true });
  };
  for (const { start, end, to } of diff(text, file)) {
    keepUntil(start);
    while (places.length < end) places.push({ place: at - 1, isThere: false });
    at = to;
  }
  keepUntil(text.length);
  return places;
}
