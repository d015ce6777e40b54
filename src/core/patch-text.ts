/** Patches in the form that agents are taught: `*** Update File: <path>` and what becomes of it. */

/** The paths that a patch adds, changes, deletes or moves to, as they stand in it. */
export function pathsInPatch(patch: string): readonly string[] {
  const headers = /^[ \t]*\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.+?)\r?$/gm;
  return [...new Set([...patch.matchAll(headers)].map(([, path = '']) => path.trim()))];
}
