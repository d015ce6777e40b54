/** What an index holds beyond the commit it is based on, on the way from there to HEAD. */

import { join } from 'node:path';
import type { Oid } from '../core/ids.ts';
import { limits } from '../core/limits.ts';
import { fileOf } from '../core/lines/record.ts';
import { changesBetween, knownChanges, lastToChange } from '../git/changes.ts';
import { ask, type CommitFacts } from '../git/commits.ts';
import { stagedSince } from '../git/index-file.ts';
import { hashObject, writeObject } from '../git/objects.ts';
import { isBelow, type PathChange } from '../git/path-changes.ts';
import { visitedSince } from '../git/reflog.ts';
import { readRegular } from '../git/regular-file.ts';
import type { Repository } from '../git/repository.ts';
import { lineFileAt } from './line-store.ts';
import { type Behind, baseOf, behindOf, type Stage } from './stage-base.ts';
import { holdsBoth, mergedText } from './three-way.ts';
import { isUnion } from './union.ts';

/** A path that is staged, and was changed otherwise on the way to HEAD. */
export interface BothSides {
  readonly path: string;
  /** The entry that is staged; null where the file is to go. */
  readonly staged: string | null;
  /** What it was made from, by the commit it is based on, and what HEAD has by now. */
  readonly from: Oid;
  readonly before: string | null;
  readonly theirs: string | null;
  /** It is a file where HEAD has a folder by now, or the other way round. */
  readonly isInTheWay: boolean;
  readonly by: CommitFacts | null;
}

interface StagedAhead {
  readonly staged: readonly PathChange[];
  /** Of that, what was changed otherwise on the way. */
  readonly both: readonly BothSides[];
}

/**
 * What HEAD has held meanwhile just as it is staged here was committed, whatever HEAD has come to
 * since.
 */
export function stagedAhead(
  repository: Repository,
  file: string,
  base: Oid,
  head: Oid,
  behind: Behind,
): StagedAhead {
  const staged = stagedSince(repository, file, base);
  const changed = changedOnBothSides(repository, staged, base, head, behind);
  const committed = heldMeanwhile(repository, changed);
  const shared = new Map(
    changed
      .filter(({ path }) => !committed.has(path))
      .flatMap((one) => mergedIfShared(repository, one)),
  );
  return {
    staged: staged
      .filter(({ path }) => !committed.has(path))
      .map((change) => ({ ...change, after: shared.get(change.path) ?? change.after })),
    both: changed
      .filter(({ path }) => !committed.has(path) && !shared.has(path))
      .filter((one) => one.isInTheWay || !holdsBoth(repository, one))
      .map((one) => ({ ...one, by: lastToChange(repository, one.from, head, one.path) })),
  };
}

/** Of a file that several have lines in, what is staged comes along by itself where it can. */
function mergedIfShared(
  repository: Repository,
  one: Omit<BothSides, 'by'>,
): readonly (readonly [path: string, entry: string])[] {
  const shared = one.isInTheWay ? null : lineFileAt(repository, one.path);
  if (shared === null) return [];
  const [mode = '', blob = ''] = one.staged?.split(' ') ?? [];
  const text =
    mergedText(repository, one) ??
    (isUnion(repository, one.path) ? mergedText(repository, one, fileOf(shared.lines)) : null);
  if (text !== null) return [[one.path, `${mode} ${writeObject(repository, 'blob', text)}`]];
  // The file itself has all that was committed of it since, whatever was changed on top of that.
  return blob === blobOf(repository, one.path) ? [[one.path, `${mode} ${blob}`]] : [];
}

function blobOf(repository: Repository, path: string): Oid | null {
  const content = readRegular(join(repository.top, path), limits.sharedFileBytes);
  return content.kind === 'file' ? hashObject(repository, 'blob', content.bytes).oid : null;
}

/** Which of these changes were made otherwise since the commit that each is based on. */
function changedOnBothSides(
  repository: Repository,
  changes: readonly PathChange[],
  base: Oid,
  head: Oid,
  behind: Behind,
): readonly Omit<BothSides, 'by'>[] {
  const since = new Map<Oid, ReadonlyMap<string, PathChange>>();
  const theirsSince = (from: Oid): ReadonlyMap<string, PathChange> => {
    const known = since.get(from);
    if (known !== undefined) return known;
    const found = from === head ? [] : knownChanges(repository, from, head);
    const theirs = new Map(found.map((change) => [change.path, change]));
    since.set(from, theirs);
    return theirs;
  };
  const there = [...theirsSince(base).values()].flatMap(({ path, after }) =>
    after === null ? [] : [path],
  );
  return changes.flatMap(({ path, after }) => {
    const from = behind.get(path) ?? base;
    const theirs = theirsSince(from).get(path);
    const isInTheWay =
      after !== null && there.some((other) => isBelow(path, other) || isBelow(other, path));
    if (!isInTheWay && (theirs === undefined || theirs.after === after)) return [];
    const [before, then] = [theirs?.before ?? null, theirs?.after ?? null];
    return [{ path, staged: after, from, before, theirs: then, isInTheWay }];
  });
}

/**
 * What others changed between the commit that the index is based on and HEAD; for a path that has
 * stayed behind, as far as the commit to come lacks it.
 */
export function missedBy(
  repository: Repository,
  stage: Stage,
  commit: Oid | null,
  head: Oid | null,
): ReadonlyMap<string, PathChange> {
  const base = baseOf(repository, stage);
  if (base === null || head === null) return new Map();
  const behind = behindOf(repository, stage);
  const made = behind.size === 0 || commit === null ? [] : changesBetween(repository, head, commit);
  const late = made.filter(({ path }) => behind.has(path));
  const lacking = changedOnBothSides(repository, late, head, head, behind)
    .filter((one) => !holdsBoth(repository, one))
    .map(({ path, before, theirs }): PathChange => ({ path, before, after: theirs }));
  return new Map(
    [...changesBetween(repository, base, head), ...lacking].map((change) => [change.path, change]),
  );
}

/** Paths that HEAD has held with just this content since it was where they come from. */
function heldMeanwhile(
  repository: Repository,
  changes: readonly Omit<BothSides, 'by'>[],
): ReadonlySet<string> {
  // A name with a line break cannot be asked for, and a file that is to go proves nothing.
  const asked = changes
    .filter(({ path, staged }) => staged !== null && !path.includes('\n'))
    .flatMap(({ path, staged, from }) =>
      visitedSince(repository, from).map((oid) => ({
        path,
        blob: staged?.split(' ')[1],
        name: `${oid}:${path}`,
      })),
    );
  if (asked.length === 0) return new Set();
  const rows = ask(
    repository,
    ['cat-file', '--batch-check'],
    asked.map(({ name }) => `${name}\n`).join(''),
  ).split('\n');
  return new Set(
    asked.filter(({ blob }, i) => rows[i]?.split(' ')[0] === blob).map(({ path }) => path),
  );
}
