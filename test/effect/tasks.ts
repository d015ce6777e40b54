/** Commits of a history as tasks: each change of lines is a step, with the lines around it. */

export interface Change {
  readonly path: string;
  /** The first line of it, counted from 0, in the file that the commit changed. */
  readonly at: number;
  readonly before: readonly string[];
  readonly old: readonly string[];
  readonly fresh: readonly string[];
  readonly after: readonly string[];
  /** The commit made this file. */
  readonly isNew: boolean;
}

export interface Task {
  readonly bead: string;
  readonly changes: readonly Change[];
}

/** A change of more lines is no step of an agent, and a commit of more steps no task. */
const mostLines = 40;
const mostChanges = 6;

/** Of coord, of git and of programs: no agent edits these by hand. */
const ownFiles = /^(\.git[^/]*|\.beads\/.*|\.claude\/.*|CLAUDE\.md|.*\.lock|.*-lock\.json)$/;

/** What `git diff-tree -p -U3 --no-renames` says of one commit. */
export function changesIn(patch: string): readonly Change[] {
  const changes: Change[] = [];
  for (const file of patch.split(/(?<=\n)(?=diff --git )/)) {
    const path = /^\+\+\+ b\/(.+)$/m.exec(file)?.[1];
    if (path === undefined || path.startsWith('"') || ownFiles.test(path)) continue;
    const isNew = /^--- \/dev\/null$/m.test(file);
    for (const hunk of file.split(/(?<=\n)(?=@@ )/).slice(1))
      changes.push(...changesOf(hunk, path, isNew));
  }
  return changes.filter(
    ({ old, fresh }) => Math.max(old.length, fresh.length) <= mostLines && isText(fresh),
  );
}

function isText(lines: readonly string[]): boolean {
  return lines.every((line) => !line.includes('\0') && !line.includes('\r'));
}

/** The changes of one hunk, each with the unchanged lines that touch it. */
function changesOf(hunk: string, path: string, isNew: boolean): readonly Change[] {
  const [header = '', ...lines] = hunk.replace(/\n$/, '').split('\n');
  let at = Number(/^@@ -(\d+)/.exec(header)?.[1] ?? '1') - (isNew ? 0 : 1);
  const runs: { kept: string[]; old: string[]; fresh: string[] }[] = [];
  let run = { kept: [] as string[], old: [] as string[], fresh: [] as string[] };
  for (const line of lines) {
    const text = line.slice(1);
    if (line.startsWith('-')) run.old.push(text);
    else if (line.startsWith('+')) run.fresh.push(text);
    else if (!line.startsWith('\\')) {
      if (run.old.length + run.fresh.length > 0) {
        runs.push(run);
        run = { kept: [], old: [], fresh: [] };
      }
      run.kept.push(text);
    }
  }
  runs.push(run);
  return runs.flatMap(({ kept, old, fresh }, i): readonly Change[] => {
    at += kept.length;
    const first = at;
    at += old.length;
    if (old.length + fresh.length === 0) return [];
    const after = runs[i + 1]?.kept ?? [];
    return [
      { path, at: first, before: kept.slice(-3), old, fresh, after: after.slice(0, 3), isNew },
    ];
  });
}

/** The first steps of a commit, if it has any. */
export function taskOf(bead: string, patch: string): Task | null {
  const changes = changesIn(patch).slice(0, mostChanges);
  return changes.length === 0 ? null : { bead, changes };
}
