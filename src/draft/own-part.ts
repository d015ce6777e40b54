/**
 * What of a file is its author's to commit: of what is staged, without the lines that others have in
 * it and have not committed.
 */

import type { Oid } from '../core/ids.ts';
import { partOf, unionPartOf } from '../core/lines/part.ts';
import { type Owner, ownersOf } from '../core/lines/record.ts';
import { type Lines, sameLines, split } from '../core/lines/split.ts';
import { writeObject } from '../git/objects.ts';
import { readObject } from '../git/read-objects.ts';
import type { Repository } from '../git/repository.ts';
import { lookAtLines } from './lines.ts';
import { isUnion } from './union.ts';

type OwnPart =
  /** Nobody else has lines in it. */
  | { readonly kind: 'whole' }
  | { readonly kind: 'part'; readonly blob: Oid; readonly others: readonly Owner[] }
  /** The lines of others cannot be told from it: they touch. */
  | { readonly kind: 'mixed'; readonly others: readonly Owner[] };

export function ownPart(
  repository: Repository,
  path: string,
  staged: Oid,
  isMine: (owner: Owner) => boolean,
): OwnPart {
  const lines = lookAtLines(repository, path)?.file.lines ?? [];
  const others = ownersOf(lines).filter((one) => !isMine(one));
  if (others.length === 0) return { kind: 'whole' };
  const text = linesOf(repository, staged);
  const own =
    partOf(lines, text, isMine) ??
    (isUnion(repository, path) ? unionPartOf(lines, text, isMine) : null);
  if (own === null) return { kind: 'mixed', others };
  if (sameLines(own, text)) return { kind: 'whole' };
  const blob = writeObject(repository, 'blob', Buffer.from(own.join(''), 'latin1'));
  return { kind: 'part', blob, others };
}

/** Who else has lines in this blob; it is looked at as the file is now. */
export function othersIn(
  repository: Repository,
  path: string,
  blob: Oid,
  isMine: (owner: Owner) => boolean,
): readonly Owner[] {
  const lines = lookAtLines(repository, path)?.file.lines ?? [];
  const others = ownersOf(lines).filter((one) => !isMine(one));
  if (others.length === 0) return [];
  const text = linesOf(repository, blob);
  const own = partOf(lines, text, isMine);
  return own !== null && sameLines(own, text) ? [] : others;
}

function linesOf(repository: Repository, blob: Oid): Lines {
  return split(readObject(repository, blob, 'blob').toString('latin1'));
}
