/** Two changes of one file, put together as git merges them. */
import { merge } from '../core/lines/merge.ts';
import { type Lines, split } from '../core/lines/split.ts';
import { mergeUnion } from '../core/lines/union.ts';
import { readObject } from '../git/read-objects.ts';
import type { Repository } from '../git/repository.ts';

/** Entries of an index; null where the file is not there. */
interface Sides {
  readonly before: string | null;
  readonly staged: string | null;
  readonly theirs: string | null;
}

/**
 * Null for a conflict, and for what is no file. What both add at one place is kept in the order of
 * the file, where that is given.
 */
export function mergedText(repository: Repository, sides: Sides, file?: Lines): Buffer | null {
  const bodies = bodiesOf(repository, sides);
  return bodies === null ? null : merged(bodies, file);
}

/** Does what is staged have all that they have changed since? */
export function holdsBoth(repository: Repository, sides: Sides): boolean {
  const bodies = bodiesOf(repository, sides);
  const [ours, before, theirs] = [sides.staged, sides.before, sides.theirs].map(modeOf);
  if (bodies === null || (theirs !== before && theirs !== ours)) return false;
  return merged(bodies)?.equals(bodies[0] ?? Buffer.of()) === true;
}

function modeOf(entry: string | null): string {
  return entry?.split(' ')[0] ?? '';
}

/** Ours, what it was made from, theirs. */
function bodiesOf(repository: Repository, sides: Sides): readonly Buffer[] | null {
  const entries = [sides.staged, sides.before, sides.theirs];
  if (entries.some((entry) => entry === null || !modeOf(entry).startsWith('100'))) return null;
  return entries.map((entry) => readObject(repository, entry?.split(' ')[1] ?? '', 'blob'));
}

function merged(bodies: readonly Buffer[], file?: Lines): Buffer | null {
  // Of what is no text one side alone can be right.
  if (bodies.some((body) => body.includes(0))) return null;
  const [ours = [], before = [], theirs = []] = bodies.map((body) =>
    split(body.toString('latin1')),
  );
  const lines =
    file === undefined ? merge(before, ours, theirs) : mergeUnion(before, ours, theirs, file);
  return lines === null ? null : Buffer.from(lines.join(''), 'latin1');
}
