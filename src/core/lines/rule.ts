/**
 * May these changes stand in one file? Where each owner's part can be committed by itself, in any
 * order, and all parts together are the file.
 */
import { mergeSides, type Side, sideOf } from './merge.ts';
import {
  baseOf,
  type Entry,
  fileOf,
  type LineRecord,
  type Owner,
  ownerOf,
  ownersOf,
  versionOf,
} from './record.ts';
import { type Lines, sameLines } from './split.ts';

/**
 * Whose changes are in the way; empty where none are. In a union file additions of several may stand
 * at one place, which no merge could put together: there the record alone says what is whose.
 */
export function collisions(
  record: LineRecord,
  owner: Owner,
  isUnion: boolean = false,
): readonly Owner[] {
  const near = tooNear(record, owner, isUnion);
  if (near.length > 0 || isUnion) return near;
  const owners = ownersOf(record);
  const others = owners.filter((one) => one !== owner);
  if (others.length === 0 || !owners.includes(owner)) return [];
  const base = baseOf(record);
  const sideOfOne = (one: Owner): Side =>
    sideOf(
      base,
      versionOf(record, (other) => other === one),
    );
  const sides = new Map(owners.map((one) => [one, sideOfOne(one)]));
  // Each against all others together is the file ...
  const apart = inseparable(record, base, sides);
  if (apart.includes(owner))
    return apart.length > 1 ? apart.filter((one) => one !== owner) : others;
  // (what others have done to each other is not this one's doing)
  const before = apart.length === 0 ? [] : inseparable(without(record, owner), base, sides);
  const met = apart.filter((one) => !before.includes(one));
  if (met.length > 0) return met;
  // ... and can be committed before or after any other.
  const own = sides.get(owner) ?? sideOfOne(owner);
  return others.filter((one) => mergeSides(base, own, sides.get(one) ?? sideOfOne(one)) === null);
}

/** Those whose part and the rest do not make the file. */
function inseparable(
  record: LineRecord,
  base: Lines,
  sides: ReadonlyMap<Owner, Side>,
): readonly Owner[] {
  const file = fileOf(record);
  return ownersOf(record).filter((one) => {
    const rest = sideOf(
      base,
      versionOf(record, (other) => other !== one),
    );
    const own = sides.get(one);
    const merged = own === undefined ? null : mergeSides(base, own, rest);
    return merged === null || !sameLines(merged, file);
  });
}

/** As if this one had done nothing. */
function without(record: LineRecord, owner: Owner): LineRecord {
  return record
    .filter(({ addedBy }) => addedBy !== owner)
    .map((entry) => (entry.removedBy === owner ? { ...entry, removedBy: null } : entry));
}

/** Whose changes have no unchanged committed line between them and the owner's. */
function tooNear(record: LineRecord, owner: Owner, isUnion: boolean): readonly Owner[] {
  const near = new Set<Owner>();
  let run: Entry[] = [];
  const end = (): void => {
    const owners = new Set(ownersOf(run));
    const isFine = isUnion && run.every(({ removedBy }) => removedBy === null);
    if (owners.has(owner) && !isFine) for (const one of owners) near.add(one);
    run = [];
  };
  for (const entry of record) {
    if (ownerOf(entry) === null) end();
    else run.push(entry);
  }
  end();
  near.delete(owner);
  return [...near];
}
