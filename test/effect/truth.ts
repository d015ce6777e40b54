/**
 * What came of it, from the driver's own record of what each agent wrote and from the commits. Pure.
 *
 * - An edit is **lost** if its task was finished, a line of it is not in the final tree, and no other
 *   edit has taken that line out on purpose: it is not among the lines that a recorded edit replaced.
 *   It may still stand in the work tree, where the commit of its task has left it out.
 * - A line in a commit is **foreign** if the commit adds it and it was written by another task or
 *   agent, or by nobody (a line of the beginning that somebody had replaced comes back); or if the
 *   commit takes out a line of another that none of its own edits replaced.
 * - A task is **doubled** if more than one agent has finished it.
 */
import { writerOf } from './edit.ts';

export interface EditRecord {
  readonly bead: string;
  readonly agent: string;
  readonly path: string;
  readonly old: readonly string[];
  readonly fresh: readonly string[];
}

export interface CommitRecord {
  readonly bead: string;
  readonly agent: string;
  readonly changes: readonly FileChange[];
}

/** Lines that a commit added to a file and took out of it. */
export interface FileChange {
  readonly path: string;
  readonly added: readonly string[];
  readonly removed: readonly string[];
}

export interface Finished {
  readonly bead: string;
  readonly agent: string;
}

/** Each line as often as the first has it more than the second. */
export function without(lines: readonly string[], others: readonly string[]): readonly string[] {
  const left = new Map<string, number>();
  for (const line of others) left.set(line, (left.get(line) ?? 0) + 1);
  return lines.filter((line) => {
    const count = left.get(line) ?? 0;
    if (count > 0) left.set(line, count - 1);
    return count === 0;
  });
}

export function lostEdits(
  edits: readonly EditRecord[],
  finished: readonly Finished[],
  finalLines: (path: string) => readonly string[],
): readonly EditRecord[] {
  const isFinished = new Set(finished.map(({ bead, agent }) => `${bead} ${agent}`));
  const replaced = new Set(edits.flatMap(({ path, old }) => old.map((line) => `${path}\0${line}`)));
  const final = new Map<string, ReadonlySet<string>>();
  return edits.filter(({ bead, agent, path, fresh }) => {
    if (!isFinished.has(`${bead} ${agent}`)) return false;
    const lines = final.get(path) ?? new Set(finalLines(path));
    final.set(path, lines);
    return fresh.some((line) => !lines.has(line) && !replaced.has(`${path}\0${line}`));
  });
}

export function foreignLines(
  { bead, agent, changes }: CommitRecord,
  edits: readonly EditRecord[],
): readonly string[] {
  const own = edits.filter((edit) => edit.bead === bead && edit.agent === agent);
  return changes.flatMap(({ path, added, removed }) => {
    const mine = own.filter((edit) => edit.path === path);
    const wrote = new Set(mine.flatMap(({ fresh }) => fresh));
    const tookOut = new Set(mine.flatMap(({ old }) => old));
    return [
      ...without(added, removed).filter((line) => !wrote.has(line)),
      ...without(removed, added).filter(
        (line) => writerOf(line) !== null && !tookOut.has(line) && !wrote.has(line),
      ),
    ];
  });
}

export function doubledTasks(finished: readonly Finished[]): readonly string[] {
  const agents = new Map<string, Set<string>>();
  for (const { bead, agent } of finished)
    agents.set(bead, (agents.get(bead) ?? new Set()).add(agent));
  return [...agents].filter(([, who]) => who.size > 1).map(([bead]) => bead);
}

/** What `git log -p -U0` says of one commit. */
export function fileChanges(patch: string): readonly FileChange[] {
  return patch
    .split(/(?<=\n|^)(?=diff --git )/)
    .filter((file) => file.startsWith('diff --git '))
    .map((file) => {
      const [head = '', ...hunks] = file.split(/(?<=\n)(?=@@ )/);
      const name = (sign: string): string | undefined =>
        new RegExp(`^${sign} [ab]/(.+)$`, 'm').exec(head)?.[1];
      const lines = hunks.flatMap((hunk) => hunk.replace(/\n$/, '').split('\n').slice(1));
      const of = (sign: string): readonly string[] =>
        lines.filter((line) => line.startsWith(sign)).map((line) => line.slice(1));
      return { path: name('\\+\\+\\+') ?? name('---') ?? '', added: of('+'), removed: of('-') };
    });
}
