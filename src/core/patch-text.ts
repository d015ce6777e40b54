/** Patches in the form that agents are taught: `*** Update File: <path>` and what becomes of it. */

/** The paths that a patch adds, changes, deletes or moves to, as they stand in it. */
export function pathsInPatch(patch: string): readonly string[] {
  const headers = /^[ \t]*\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.+?)\r?$/gm;
  return [...new Set([...patch.matchAll(headers)].map(([, path = '']) => path.trim()))];
}

/** What else a command says, where these stand in it in this order. */
export function withoutPatches(command: string, patches: readonly string[]): string {
  let [run, at] = ['', 0];
  for (const patch of patches) {
    const start = command.indexOf(patch, at);
    if (start < 0) break;
    run += command.slice(at, start);
    at = start + patch.length;
  }
  return run + command.slice(at);
}
