/** Is all kept of what several add at one place of a file? git's attribute says so, or a setting. */
import { matches } from '../core/overlap.ts';
import { readSettings } from '../git/config.ts';
import type { Repository } from '../git/repository.ts';
import { mergeAttributes } from './shareable.ts';

export function isUnion(repository: Repository, path: string): boolean {
  return unionAmong(repository, [path]).has(path);
}

/** Those of these files. */
export function unionAmong(repository: Repository, paths: readonly string[]): ReadonlySet<string> {
  if (paths.length === 0) return new Set();
  const attributes = mergeAttributes(repository, paths);
  const { unionPaths, folding } = readSettings(repository, []);
  return new Set(
    paths.filter(
      (path) =>
        attributes.get(path) === 'union' ||
        unionPaths.some((pattern) => matches(pattern, path, folding)),
    ),
  );
}
