/**
 * A change of the file, put down in its record: what somebody adds is theirs, what they take away
 * of the committed text is remembered as theirs, and what they put back is as if nothing had
 * happened.
 */
import { diff, type Hunk } from './diff.ts';
import { added, committed, type Entry, type LineRecord, type Owner, ownerOf } from './record.ts';
import type { Lines } from './split.ts';

/** Lines `[start, end)` of the file become these. */
export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly lines: Lines;
}

/** What makes the one text of the other. */
export function editsBetween(before: Lines, after: Lines): readonly Edit[] {
  return diff(before, after).map(({ start, end, from, to }) => ({
    start,
    end,
    lines: after.slice(from, to),
  }));
}

interface Changed {
  readonly record: LineRecord;
  /** Whose additions it wrote over or took away. */
  readonly others: readonly Owner[];
}

/** Edits in the order of the file, none touching another, and whose each is. */
export function change(
  record: LineRecord,
  edits: readonly Edit[],
  ownerOfOne: (edit: Edit) => Owner,
): Changed {
  const out: Entry[] = [];
  const others = new Set<Owner>();
  let [line, at] = [0, 0];
  // Up to where the file has so many lines; what is removed there already stays before it.
  const copyUntil = (until: number): void => {
    for (; at < record.length; at++) {
      const entry = record[at] as Entry;
      if (entry.removedBy === null && line === until) return;
      if (entry.removedBy === null) line++;
      out.push(entry);
    }
  };
  for (const edit of edits) {
    const { start, end, lines } = edit;
    const owner = ownerOfOne(edit);
    copyUntil(start);
    const overwritten = new Set<Owner>();
    for (; line < end && at < record.length; at++) {
      const entry = record[at] as Entry;
      if (entry.removedBy === null) line++;
      if (entry.addedBy !== null && entry.addedBy !== owner) overwritten.add(entry.addedBy);
      if (entry.addedBy === null) out.push({ ...entry, removedBy: entry.removedBy ?? owner });
    }
    // The line of somebody else stays theirs with another text.
    const [heir = owner] = overwritten;
    for (const text of lines) out.push(added(text, overwritten.size === 1 ? heir : owner));
    for (const other of overwritten) others.add(other);
  }
  copyUntil(Number.POSITIVE_INFINITY);
  return { record: settled(out), others: [...others] };
}

/** Where one owner took lines away and added the same ones, nothing has happened. */
export function settled(record: LineRecord): LineRecord {
  const out: Entry[] = [];
  for (let at = 0; at < record.length; ) {
    const owner = ownerOf(record[at] as Entry);
    let end = at + 1;
    while (end < record.length && owner !== null && ownerOf(record[end] as Entry) === owner) end++;
    const run = record.slice(at, end);
    for (const entry of owner === null ? run : least(run, owner)) out.push(entry);
    at = end;
  }
  return out;
}

function least(run: LineRecord, owner: Owner): LineRecord {
  const gone = run.flatMap(({ text, removedBy }) => (removedBy === null ? [] : text));
  const here = run.flatMap(({ text, addedBy }) => (addedBy === null ? [] : text));
  if (gone.length === 0 || here.length === 0) return run;
  return labelled(
    gone,
    here,
    () => owner,
    () => owner,
  );
}

/** The committed text and the file side by side, with whose each difference is. */
export function labelled(
  base: Lines,
  file: Lines,
  removedBy: (baseLine: number, place: Hunk) => Owner,
  addedBy: (fileLine: number) => Owner,
): LineRecord {
  const out: Entry[] = [];
  let at = 0;
  const keepUntil = (end: number): void => {
    for (; at < end; at++) out.push(committed(base[at] ?? ''));
  };
  for (const place of diff(base, file)) {
    const { start, end, from, to } = place;
    keepUntil(start);
    for (; at < end; at++)
      out.push({ ...committed(base[at] ?? ''), removedBy: removedBy(at, place) });
    for (let i = from; i < to; i++) out.push(added(file[i] ?? '', addedBy(i)));
  }
  keepUntil(base.length);
  return out;
}
