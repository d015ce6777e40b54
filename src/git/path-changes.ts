/** Differences path by path, as every raw diff of git says them. */

/** One side of a difference: null where the path is not there. */
export interface PathChange {
  readonly path: string;
  readonly before: string | null;
  readonly after: string | null;
}

const absent = /^0+$/;

/**
 * `:mode mode oid oid letter NUL path NUL`, as every raw diff of git says it. A change of mode is a
 * change.
 */
export function parseRaw(text: string): readonly PathChange[] {
  const words = text.split('\0');
  const changes: PathChange[] = [];
  for (let i = 0; i + 1 < words.length; i += 2) {
    const [, modeBefore = '', modeAfter = '', before = '', after = ''] =
      /^:(\d+) (\d+) ([0-9a-f]+) ([0-9a-f]+) /.exec(words[i] ?? '') ?? [];
    changes.push({
      path: words[i + 1] ?? '',
      before: absent.test(modeBefore) ? null : `${modeBefore} ${before}`,
      after: absent.test(modeAfter) ? null : `${modeAfter} ${after}`,
    });
  }
  return changes;
}

/**
 * Submodules are files like any other. Without this git would read .gitmodules, which may be in
 * conflict, and leave out what somebody's settings ignore.
 */
export const withSubmodules = '--ignore-submodules=none';
export function isBelow(path: string, folder: string): boolean {
  return path.startsWith(`${folder}/`);
}
