/**
 * A tool may hide for a while what others have in a file: a hook that puts away what is not staged,
 * somebody's stash. Once it is back it is whose it was, although whoever looked meanwhile found it
 * gone.
 */
import { editsBetween } from './change.ts';
import { merge } from './merge.ts';
import { type LineRecord, type Owner, ownerOf } from './record.ts';
import { edited, type Intent, type Settled, settle, type WhoseChange } from './settle.ts';
import type { Lines } from './split.ts';

/** Who has less of it than before. */
export function losersOf(before: LineRecord, after: LineRecord): readonly Owner[] {
  const left = new Map<Owner, number>();
  const count = (record: LineRecord, by: number): void => {
    for (const entry of record) {
      const owner = ownerOf(entry);
      if (owner !== null) left.set(owner, (left.get(owner) ?? 0) + by);
    }
  };
  count(before, 1);
  count(after, -1);
  return [...left].flatMap(([owner, lost]) => (lost > 0 ? owner : []));
}

/** What was announced of one text, told of another one. */
export function movedIntents<I extends Intent>(
  intents: readonly I[],
  from: Lines,
  to: Lines,
): readonly I[] {
  return intents.flatMap((intent): readonly I[] => {
    const after = merge(from, edited(from, intent.edits), to);
    return after === null ? [] : [{ ...intent, edits: editsBetween(to, after) }];
  });
}

interface Before<I> {
  readonly lines: LineRecord;
  readonly losers: readonly Owner[];
  /** Announced of these very lines. */
  readonly intents: readonly I[];
}

/**
 * The file as a change of what it was before these owners lost something; null where it is still
 * gone.
 */
export function comeBack<I extends Intent>(
  { lines: earlier, losers, intents }: Before<I>,
  file: Lines,
  otherwise: WhoseChange,
): Settled<I> | null {
  const settled = settle(earlier, file, intents, otherwise);
  const isGone = new Set([...settled.overwritten, ...losersOf(earlier, settled.record)]);
  return losers.some((owner) => isGone.has(owner)) ? null : settled;
}
