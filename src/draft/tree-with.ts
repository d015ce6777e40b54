/** The tree of a commit with some files as they are now, or as an index or a line record has them. */
import type { Oid } from '../core/ids.ts';
import type { Ask } from '../git/tested-tree.ts';

interface Sides {
  /** Is it taken from the work tree? */
  isThere(path: string): boolean;
  /** Mode and blob where it is not; null where it is gone. */
  entry(path: string): string | null;
}

export function treeWith(
  ask: Ask,
  base: Oid,
  paths: readonly string[],
  { isThere, entry }: Sides,
): Oid {
  const nothing = `0 ${'0'.repeat(base.length)}`;
  const entries = paths
    .filter((path) => !isThere(path))
    .map((path) => `${entry(path) ?? nothing}\t${path}\0`);
  const files = paths.filter(isThere).map((path) => `${path}\0`);
  ask(['read-tree', base]);
  ask(['update-index', '--add', '-z', '--index-info'], entries.join(''));
  // It may go at this very moment, or stand in the place of a file.
  ask(['update-index', '--add', '--replace', '--remove', '-z', '--stdin'], files.join(''));
  return ask(['write-tree']).trim();
}
