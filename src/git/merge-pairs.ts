/** What git would make of merging commits two by two, in one process, without a trace. */
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Oid } from '../core/ids.ts';
import type { Borrowed } from './borrowed.ts';
import {
  contentKey,
  type Hunk,
  hunksOf,
  type Merged,
  mergeBases,
  mergedByGit,
  treeChanges,
  treesOf,
} from './merges.ts';
import type { Repository } from './repository.ts';
import { temporaryFolder } from './temporary-folder.ts';

export type Pair = readonly [one: Oid, other: Oid];

/** The repository as one whose objects are read, and to which none are added. */
export function withoutTrace<T>(repository: Repository, work: (apart: Borrowed) => T): T {
  const folder = temporaryFolder('coord-merge-');
  try {
    mkdirSync(join(folder, 'objects'));
    const env = {
      ...repository.git.env,
      GIT_OBJECT_DIRECTORY: join(folder, 'objects'),
      GIT_ALTERNATE_OBJECT_DIRECTORIES: join(repository.commonDir, 'objects'),
    };
    return work({
      git: { ...repository.git, env },
      gitDir: repository.commonDir,
      head: null,
      isShallow: false,
      remove: () => undefined,
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Paths that git would leave to be resolved, for each pair. Two that have nothing in common are no
 * pair: git stops at them, and is asked for the others again. Null where this git can't tell.
 */
export function conflictsOf(
  apart: Borrowed,
  pairs: readonly Pair[],
): readonly (readonly string[])[] | null {
  const merged = bisected(apart, pairs);
  if (pairs.length > 0 && merged.every((one) => one === null)) return null;
  return merged.map((one) => one?.conflicts ?? []);
}

function bisected(apart: Borrowed, pairs: readonly Pair[]): readonly (Merged | null)[] {
  if (pairs.length === 0) return [];
  const all = mergedByGit(apart, pairs);
  if (all !== null) return all;
  if (pairs.length === 1) return [null];
  const half = Math.ceil(pairs.length / 2);
  return [...bisected(apart, pairs.slice(0, half)), ...bisected(apart, pairs.slice(half))];
}

/** Lines of a file as it was when both were one, from 1, that both have changed. */
export type LineSpan = readonly [first: number, last: number];

/** Of each of these paths; none where the file as a whole is in conflict. */
export function linesInConflict(
  apart: Borrowed,
  [one, other]: Pair,
  paths: readonly string[],
): ReadonlyMap<string, readonly LineSpan[]> {
  const [base] = mergeBases(apart, one, other);
  const trees = base === undefined ? null : treesOf(apart, [base, one, other]);
  if (trees === null) return new Map();
  const [at = '', left = '', right = ''] = trees;
  const sides = [
    [at, left],
    [at, right],
  ] as const;
  const changes = treeChanges(apart, sides);
  const hunks = hunksOf(apart, sides, paths);
  if (changes === null || hunks === null) return new Map();
  const ofSide = (i: number, path: string): readonly Hunk[] => {
    const change = changes[i]?.find((known) => known.path === path);
    const [before = '', after = ''] = [change?.before, change?.after].map(
      (entry) => entry?.split(' ')[1] ?? '',
    );
    return hunks.get(contentKey(before, after)) ?? [];
  };
  return new Map(paths.map((path) => [path, overlapping(ofSide(0, path), ofSide(1, path))]));
}

/** Where they touch, even side by side: git leaves no less than a line between two changes. */
function overlapping(ours: readonly Hunk[], theirs: readonly Hunk[]): readonly LineSpan[] {
  return ours.flatMap((our) =>
    theirs
      .filter((their) => our.start <= their.end && their.start <= our.end)
      .map((their): LineSpan => {
        const first = Math.min(our.start, their.start) + 1;
        return [first, Math.max(first, our.end, their.end)];
      }),
  );
}
