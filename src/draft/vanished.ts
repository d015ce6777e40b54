/**
 * A private index can lose entries that its session did not take out of it, and the next commit
 * deletes their files for everybody. It shows by the files: they are still there, nothing ignores
 * them, and they are many. What a command of the session took out is noted by its git
 * (hooks/bin/git), and is meant.
 */
import { lstatSync, type Stats } from 'node:fs';
import { join } from 'node:path';
import type { Oid } from '../core/ids.ts';
import { limits } from '../core/limits.ts';
import { filesIn } from '../git/files-at.ts';
import type { PathChange } from '../git/path-changes.ts';
import { ignored } from '../git/paths.ts';
import type { Repository } from '../git/repository.ts';
import { sharedFiles } from '../shim/files.ts';
import { readShared } from '../shim/shared-file.ts';
import type { Stage } from './stage-base.ts';

/** Paths that a commit on top of `parent` would delete though its session took none of them out. */
export function vanished(
  repository: Repository,
  { agentId }: Stage,
  parent: Oid | null,
  changes: readonly PathChange[],
): readonly string[] {
  if (agentId === null || parent === null) return [];
  if (readShared(repository, sharedFiles.forgets, agentId) !== null) return [];
  const gone = changes
    .filter(({ before, after }) => before !== null && after === null)
    .map(({ path }) => path);
  if (gone.length === 0) return [];
  const added = changes
    .filter(({ before, after }) => before === null && after !== null)
    .map(({ path }) => path);
  // A file that became a folder, or a folder that became a link or a submodule, is there as well.
  const isReplaced = (path: string): boolean =>
    added.some((other) => path.startsWith(`${other}/`) || other.startsWith(`${path}/`));
  const isThere = (path: string): boolean => statOf(join(repository.top, path)) !== undefined;
  const there = gone.filter((path) => isThere(path) && !isReplaced(path));
  const areMany =
    there.length > limits.vanishedFiles ||
    (there.length > 0 && 2 * there.length >= filesIn(repository, parent));
  const meant = areMany ? ignored(repository, there) : new Set(there);
  return there.filter((path) => !meant.has(path));
}

/** Of a path of git's, which may lead through what is a file by now: then it is not there. */
export function statOf(file: string): Stats | undefined {
  try {
    return lstatSync(file, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
