/**
 * The paths that a patch of Codex's form adds, changes, deletes or moves to, as they stand in it.
 */
import { CoordError } from '../core/errors.ts';

export function pathsInPatch(patch: string): readonly string[] {
  const paths = [
    ...patch.matchAll(/^\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.+?)\r?$/gm),
  ].map(([, path = '']) => path.trim());
  if (paths.length === 0) throw new CoordError('bad_payload', 'the patch names no file');
  return [...new Set(paths)];
}
