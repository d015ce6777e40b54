/** Is all kept of what several add at one place of this file? git's attribute says so, or a setting. */
import { matches } from '../core/overlap.ts';
import { readSettings } from '../git/config.ts';
import type { Repository } from '../git/repository.ts';
import { mergeAttribute } from './shareable.ts';

export function isUnion(repository: Repository, path: string): boolean {
  if (mergeAttribute(repository, path) === 'union') return true;
  const { unionPaths, folding } = readSettings(repository, []);
  return unionPaths.some((pattern) => matches(pattern, path, folding));
}
