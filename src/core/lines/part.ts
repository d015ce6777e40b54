/**
 * What of a staged text is its author's: without the lines that others have in the file and have not
 * committed.
 */
import { diff } from './diff.ts';
import { merge } from './merge.ts';
import { baseOf, fileOf, type LineRecord, type Owner, ownerOf, versionOf } from './record.ts';
import { edited } from './settle.ts';
import type { Lines } from './split.ts';
import { placesIn } from './union.ts';

/** Null where what is the author's touches what is not. */
export function partOf(
  record: LineRecord,
  staged: Lines,
  isMine: (owner: Owner) => boolean,
): Lines | null {
  return (
    merge(fileOf(record), staged, versionOf(record, isMine)) ?? ofOlder(record, staged, isMine)
  );
}

/** Without what others have added, where that stands beside what is the author's. */
export function unionPartOf(
  record: LineRecord,
  staged: Lines,
  isMine: (owner: Owner) => boolean,
): Lines | null {
  const isOthers = (owner: Owner | null): boolean => owner !== null && !isMine(owner);
  const live = record.filter(({ removedBy }) => removedBy === null);
  const places = placesIn(staged, fileOf(record));
  const rest = staged.filter((_, i) => {
    const { place = -1, isThere = false } = places[i] ?? {};
    return !isThere || !isOthers(live[place]?.addedBy ?? null);
  });
  const own = record.filter(({ addedBy }) => !isOthers(addedBy));
  return partOf(own, rest, isMine);
}

/** Where others have gone on since it was staged, by the places in the committed text. */
function ofOlder(
  record: LineRecord,
  staged: Lines,
  isMine: (owner: Owner) => boolean,
): Lines | null {
  const [mine, theirs] = [new Set<number>(), new Set<number>()];
  let line = 0;
  for (const entry of record) {
    const owner = ownerOf(entry);
    if (owner !== null) (isMine(owner) ? mine : theirs).add(line);
    if (entry.addedBy === null) line++;
  }
  const base = baseOf(record);
  const hunks = diff(base, staged);
  // Between two lines counts for both, so that what is added there is found.
  const meets = (places: ReadonlySet<number>, start: number, end: number): boolean => {
    for (let at = start; at <= end; at++) if (places.has(at)) return true;
    return false;
  };
  if (hunks.some(({ start, end }) => meets(mine, start, end) && meets(theirs, start, end)))
    return null;
  const own = hunks.filter(({ start, end }) => !meets(theirs, start, end));
  return edited(
    base,
    own.map(({ start, end, from, to }) => ({ start, end, lines: staged.slice(from, to) })),
  );
}
