/**
 * The committed text has become another one while the file stays as it is: by a commit of somebody's
 * part, by a pull, a switch, a reset. Done once for everybody, in the record.
 */
import { labelled, settled } from './change.ts';
import { diff } from './diff.ts';
import {
  committed,
  type Entry,
  type LineRecord,
  nobodyKnown,
  type Owner,
  ownerOf,
  ownersOf,
  versionOf,
} from './record.ts';
import { type Lines, sameLines } from './split.ts';

export function rebased(
  record: LineRecord,
  base: Lines,
  undoneOf: () => Owner = () => nobodyKnown,
): LineRecord {
  const owners = ownersOf(record);
  // All that one has in hand, before a choice of what another has.
  const whole = owners.filter((owner) =>
    sameLines(
      versionOf(record, (one) => one === owner),
      base,
    ),
  );
  for (const owner of [...whole, ...owners]) {
    const chosen = selected(record, base, (one) => one === owner);
    if (chosen !== null) return chosen;
  }
  return selected(record, base, () => true) ?? relabelled(record, base, undoneOf());
}

/**
 * The new text is the old one with some of their changes: these are committed, all else stays as it
 * was. Null where it is anything else.
 */
function selected(
  record: LineRecord,
  base: Lines,
  isTheirs: (owner: Owner) => boolean,
): LineRecord | null {
  const isIn = (entry: Entry): boolean => entry.addedBy === null || isTheirs(entry.addedBy);
  const dropped = sameLines(versionOf(record, isTheirs), base)
    ? new Set(record.filter(({ removedBy }) => removedBy !== null && isTheirs(removedBy)))
    : lacking(record.filter(isIn), base, isTheirs);
  if (dropped === null) return null;
  return settled(
    record.flatMap((entry): readonly Entry[] => {
      if (!isIn(entry)) return [entry];
      // A removal that is committed is over; an addition that is not committed stays one.
      if (dropped.has(entry)) return entry.addedBy === null ? [] : [entry];
      return entry.addedBy === null ? [entry] : [committed(entry.text)];
    }),
  );
}

/** Which of their changes the text lacks; null where it lacks or has anything else. */
function lacking(
  known: LineRecord,
  base: Lines,
  isTheirs: (owner: Owner) => boolean,
): ReadonlySet<Entry> | null {
  const hunks = diff(
    known.map(({ text }) => text),
    base,
  );
  const entries = hunks.flatMap(({ start, end }) => known.slice(start, end));
  const isChoice = entries.every((entry) => {
    const owner = ownerOf(entry);
    return owner !== null && isTheirs(owner);
  });
  return isChoice && hunks.every(({ from, to }) => from === to) ? new Set(entries) : null;
}

/**
 * Each line keeps its owner where it still differs. What was committed and is not any more, as after
 * `reset --soft`, is of whoever had committed it.
 */
function relabelled(record: LineRecord, base: Lines, undoneOf: Owner): LineRecord {
  const live = record.filter(({ removedBy }) => removedBy === null);
  const file = live.map(({ text }) => text);
  const owners = live.map(({ addedBy }) => addedBy ?? undoneOf);
  const gone = new Map<string, Owner>();
  for (const { text, removedBy } of record) if (removedBy !== null) gone.set(text, removedBy);
  return labelled(
    base,
    file,
    (line, { from, to }) => {
      const [heir = undoneOf, ...others] = new Set(owners.slice(from, to));
      // Whose text stands in its place has replaced it.
      return gone.get(base[line] ?? '') ?? (others.length > 0 ? nobodyKnown : heir);
    },
    (line) => owners[line] ?? nobodyKnown,
  );
}
