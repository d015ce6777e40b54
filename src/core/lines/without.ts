/** The record as it would be had somebody not changed anything: what others did stays. */
import { settled } from './change.ts';
import type { LineRecord, Owner } from './record.ts';

export function without(record: LineRecord, owner: Owner): LineRecord {
  return settled(
    record.flatMap((entry) => {
      if (entry.addedBy === owner) return [];
      return entry.removedBy === owner ? { ...entry, removedBy: null } : entry;
    }),
  );
}
