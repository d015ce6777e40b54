/** What git would make of merging commits two by two, in one process, without a trace. */
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { CoordError } from '../core/errors.ts';
import type { Oid } from '../core/ids.ts';
import { limits } from '../core/limits.ts';
import { diff, type Hunk } from '../core/lines/diff.ts';
import { split } from '../core/lines/split.ts';
import { parseMerged } from './merges.ts';
import { askObjects } from './read-objects.ts';
import { gitVersion, type Repository } from './repository.ts';
import { runGit } from './run-git.ts';
import { temporaryFolder } from './temporary-folder.ts';

export type Pair = readonly [one: Oid, other: Oid];

/** Lines of a file as it was when both were one, from 1, that both have changed. */
export type LineSpan = readonly [first: number, last: number];

interface InConflict {
  readonly path: string;
  /** None where the file as a whole is in conflict. */
  readonly lines: readonly LineSpan[];
}

/** A file in conflict: what it was when both were one, and what each has made of it. */
interface Versions {
  readonly path: string;
  readonly blobs: readonly (Oid | null)[];
}

/**
 * What git would leave to be resolved, for each pair; null where it could not say. At two that have
 * nothing in common it stops, and is asked about the others again.
 */
export function conflictsOf(
  repository: Repository,
  pairs: readonly Pair[],
): readonly (readonly InConflict[] | null)[] {
  return withoutTrace(repository, (apart) => {
    const merged = bisected(apart, pairs);
    const texts = textsOf(
      apart,
      merged.flatMap((one) => one ?? []),
    );
    return merged.map(
      (all) => all?.map(({ path, blobs }) => ({ path, lines: spansIn(blobs, texts) })) ?? null,
    );
  });
}

/** The repository as one whose objects are read, and to which none are added. */
function withoutTrace<T>(repository: Repository, work: (apart: Repository) => T): T {
  const folder = temporaryFolder('coord-merge-');
  try {
    mkdirSync(join(folder, 'objects'));
    const env = {
      ...repository.git.env,
      GIT_OBJECT_DIRECTORY: join(folder, 'objects'),
      GIT_ALTERNATE_OBJECT_DIRECTORIES: join(repository.commonDir, 'objects'),
    };
    return work({ ...repository, git: { ...repository.git, env } });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function bisected(
  apart: Repository,
  pairs: readonly Pair[],
): readonly (readonly Versions[] | null)[] {
  if (pairs.length === 0) return [];
  const all = merged(apart, pairs);
  if (all !== null) return all;
  refuseOldGit(apart);
  const [only] = pairs;
  if (pairs.length === 1 && only !== undefined) return [areApart(apart, only) ? [] : null];
  const half = Math.ceil(pairs.length / 2);
  return [...bisected(apart, pairs.slice(0, half)), ...bisected(apart, pairs.slice(half))];
}

/** Asked only where git has failed. */
function refuseOldGit({ git }: Repository): void {
  const [major = 0, minor = 0] = (gitVersion(git.env) ?? '').split('.').map(Number);
  if (major < 2 || (major === 2 && minor < 39))
    throw new CoordError(
      'git_too_old',
      'this git cannot tell what would conflict',
      'coord conflicts needs git 2.39 or newer',
    );
}

/** Without a commit in common nobody merges them. */
function areApart({ git, commonDir }: Repository, [one, other]: Pair): boolean {
  const { code } = runGit(git, [`--git-dir=${commonDir}`, 'merge-base', one, other]);
  return code === 1;
}

function merged(
  { git, commonDir }: Repository,
  pairs: readonly Pair[],
): readonly (readonly Versions[])[] | null {
  const { code, stdout } = runGit(
    git,
    [`--git-dir=${commonDir}`, 'merge-tree', '--stdin', '--no-messages', '-z'],
    pairs.map(([one, other]) => `${one} ${other}\n`).join(''),
    commonDir,
  );
  if (code !== 0) return null;
  return (
    parseMerged(stdout.toString('utf8'), pairs.length)?.map(({ conflicts }) =>
      versionsIn(conflicts),
    ) ?? null
  );
}

/** `mode oid stage TAB path` of each version that there is. */
function versionsIn(entries: readonly string[]): readonly Versions[] {
  const files = new Map<string, (Oid | null)[]>();
  for (const entry of entries) {
    const [, oid = '', stage = '', path = ''] = /^\d+ (\S+) ([123])\t(.*)$/s.exec(entry) ?? [];
    const blobs = files.get(path) ?? [null, null, null];
    blobs[Number(stage) - 1] = oid;
    files.set(path, blobs);
  }
  return [...files]
    .slice(0, limits.filesCompared)
    .map(([path, blobs]): Versions => ({ path, blobs }));
}

/** By blob, its lines; none of what is no text, or too long. */
function textsOf(
  apart: Repository,
  files: readonly Versions[],
): ReadonlyMap<Oid, readonly string[]> {
  const whole = files.filter(({ blobs }) => blobs.every((oid) => oid !== null));
  const oids = [...new Set(whole.flatMap(({ blobs }) => blobs.flatMap((oid) => oid ?? [])))];
  if (oids.length === 0) return new Map();
  return new Map(
    askObjects(apart, oids).flatMap((object) => {
      const isText =
        object?.kind === 'blob' &&
        object.body.length <= limits.lineFileBytes &&
        !object.body.includes(0);
      return isText ? [[object.oid, split(object.body.toString('latin1'))] as const] : [];
    }),
  );
}

function spansIn(
  [base, one, other]: Versions['blobs'],
  texts: ReadonlyMap<Oid, readonly string[]>,
): readonly LineSpan[] {
  const [before, ours, theirs] = [base, one, other].map((oid) => texts.get(oid ?? ''));
  if (before === undefined || ours === undefined || theirs === undefined) return [];
  return overlapping(diff(before, ours), diff(before, theirs));
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
