/**
 * The line record of a file that several change at once: its committed lines in their order, and
 * beside each what is not committed of whom. The file, the committed text and what one agent has in
 * hand are read off it, so that no order of merging can matter.
 */
import type { Lines } from './split.ts';

/** The id of an agent, or whoever it was. */
export type Owner = string;

/** Of what nobody is known to have changed: a person's editor, a program without hooks. */
export const nobodyKnown: Owner = 'unknown';

export interface Entry {
  readonly text: string;
  /** Whose addition it is; null for a committed line. */
  readonly addedBy: Owner | null;
  /** Who took the committed line away; it is in the file no longer. */
  readonly removedBy: Owner | null;
}

export type LineRecord = readonly Entry[];

export function committed(text: string): Entry {
  return { text, addedBy: null, removedBy: null };
}

export function added(text: string, owner: Owner): Entry {
  return { text, addedBy: owner, removedBy: null };
}

/** Who has changed it; null for nobody. */
export function ownerOf({ addedBy, removedBy }: Entry): Owner | null {
  return addedBy ?? removedBy;
}

export function baseOf(record: LineRecord): Lines {
  return record.flatMap(({ text, addedBy }) => (addedBy === null ? text : []));
}

export function fileOf(record: LineRecord): Lines {
  return record.flatMap(({ text, removedBy }) => (removedBy === null ? text : []));
}

/** The committed text with the changes of just these. */
export function versionOf(record: LineRecord, isTheirs: (owner: Owner) => boolean): Lines {
  return record.flatMap(({ text, addedBy, removedBy }) => {
    if (addedBy !== null) return isTheirs(addedBy) ? text : [];
    return removedBy !== null && isTheirs(removedBy) ? [] : text;
  });
}

export function ownersOf(record: LineRecord): readonly Owner[] {
  return [...new Set(record.flatMap((entry) => ownerOf(entry) ?? []))];
}

/** Lines of the file, from 1, that somebody added; where only something is gone, the line before. */
export interface Range {
  readonly owner: Owner;
  readonly first: number;
  readonly last: number;
}

/** Neighbouring changes of one owner are one range. */
export function rangesOf(record: LineRecord): readonly Range[] {
  const ranges: Range[] = [];
  let line = 0;
  for (let at = 0; at < record.length; ) {
    const owner = ownerOf(record[at] as Entry);
    const before = line;
    let end = at;
    for (; end < record.length && ownerOf(record[end] as Entry) === owner; end++)
      if (record[end]?.removedBy === null) line++;
    const first = Math.max(line > before ? before + 1 : before, 1);
    if (owner !== null) ranges.push({ owner, first, last: Math.max(line, first) });
    at = end;
  }
  return ranges;
}
