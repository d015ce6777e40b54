/**
 * An index can lose entries that nobody took out of it, and the next commit deletes their files for
 * everybody. It shows by the files: they are still there, nothing ignores them, and they are many.
 */
import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import type { Oid } from '../core/ids.ts';
import { limits } from '../core/limits.ts';
import { filesIn } from '../git/commits.ts';
import type { PathChange } from '../git/index-file.ts';
import { ignored } from '../git/paths.ts';
import type { Repository } from '../git/repository.ts';

/** Paths that a commit on top of `parent` would delete though nobody seems to have meant it. */
export function vanished(repository: Repository, parent: Oid, changes: readonly PathChange[]): readonly string[] {
  const gone = changes.filter(({ before, after }) => before !== null && after === null).map(({ path }) => path);
  if (gone.length === 0) return [];
  const added = changes.filter(({ before, after }) => before === null && after !== null).map(({ path }) => path);
  // A file that became a folder, or a folder that became a link or a submodule, is there as well.
  const isReplaced = (path: string): boolean => added.some((other) => path.startsWith(`${other}/`) || other.startsWith(`${path}/`));
  const there = gone.filter((path) => lstatSync(join(repository.top, path), { throwIfNoEntry: false }) !== undefined && !isReplaced(path));
  const areMany = there.length > limits.vanishedFiles || (there.length > 0 && 2 * there.length >= filesIn(repository, parent));
  const meant = areMany ? ignored(repository, there) : new Set(there);
  return there.filter((path) => !meant.has(path));
}
