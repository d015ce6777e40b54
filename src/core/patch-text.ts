/** Patches in the form that agents are taught: `*** Update File: <path>` and what becomes of it. */

/** The paths that a patch adds, changes, deletes or moves to, as they stand in it. */
export function pathsInPatch(patch: string): readonly string[] {
  const headers = /^[ \t]*\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.+?)\r?$/gm;
  return [...new Set([...patch.matchAll(headers)].map(([, path = '']) => path.trim()))];
}

/** What is about to become of a file, as far as a call says it. */
export type Change =
  /** All that it will hold. */
  | { readonly kind: 'whole'; readonly path: string; readonly text: string }
  /** One text in the place of another: where it stands first, or wherever it stands. */
  | {
      readonly kind: 'replace';
      readonly path: string;
      readonly from: string;
      readonly to: string;
      readonly all: boolean;
      /** What is taken away without another text in its place goes with the end of its line. */
      readonly takesLineEnd?: boolean;
    };

/** What of this text is replaced, wherever it stands. */
export function taken(
  text: string,
  { from, to, takesLineEnd }: Extract<Change, { readonly kind: 'replace' }>,
): string {
  const isLine = takesLineEnd === true && to === '' && text.includes(`${from}\n`);
  return isLine && !from.endsWith('\n') ? `${from}\n` : from;
}

/** A payload is text; files are compared as bytes, a character each. */
export function inBytes(change: Change): Change {
  const bytes = (text: string): string =>
    Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join('');
  return change.kind === 'whole'
    ? { ...change, text: bytes(change.text) }
    : { ...change, from: bytes(change.from), to: bytes(change.to) };
}

/**
 * A file that is added is written as a whole, also where there is one already. Of a file where one
 * part says only what is added, and not where, nothing is known.
 */
export function changesInPatch(patch: string): readonly Change[] {
  const changes: Change[] = [];
  const unknown = new Set<string>();
  let path = '';
  let isNew = false;
  let lines: string[] = [];
  const end = (): void => {
    const of = (signs: string): string =>
      lines
        .flatMap((line) => (signs.includes(line[0] ?? ' ') ? `${line.slice(1)}\n` : []))
        .join('');
    if (path !== '' && isNew) changes.push({ kind: 'whole', path, text: of('+') });
    else if (path !== '' && lines.length > 0) {
      if (of(' -') === '') unknown.add(path);
      changes.push({ kind: 'replace', path, from: of(' -'), to: of(' +'), all: false });
    }
    lines = [];
  };
  for (const line of patch.split(/\r?\n/)) {
    const [, verb, named = ''] = /^[ \t]*\*\*\* (Add|Update|Delete) File: (.+)$/.exec(line) ?? [];
    if (verb !== undefined) {
      end();
      path = verb === 'Delete' ? '' : named.trim();
      isNew = verb === 'Add';
    } else if (/^[ \t]*\*\*\* (End Patch|Move to: )/.test(line)) {
      end();
      path = '';
    } else if (line.startsWith('@@')) {
      if (!isNew) end();
    } else if (/^[ +-]/.test(line) || line === '') lines.push(line === '' ? ' ' : line);
  }
  end();
  return changes.filter((change) => !unknown.has(change.path));
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
