/**
 * A file that was changed on both sides: what is staged is merged with what HEAD has by now, as git
 * merges, so that neither undoes the other. What conflicts is as HEAD has it, and what was staged
 * is kept.
 */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Oid } from '../core/ids.ts';
import type { AgentName } from '../core/lease.ts';
import { changesBetween } from '../git/changes.ts';
import { rebuild, withIndexLock } from '../git/index-file.ts';
import { wallAge } from '../git/local.ts';
import { writeObject } from '../git/objects.ts';
import type { PathChange } from '../git/path-changes.ts';
import { readObject } from '../git/read-objects.ts';
import type { Repository } from '../git/repository.ts';
import { runPlain } from '../git/run-git.ts';
import { temporaryFolder } from '../git/temporary-folder.ts';
import { writeSnapshot } from './snapshot.ts';
import { keepGood, stagedAhead } from './stage.ts';
import { baseOf, noteBase, type Stage } from './stage-base.ts';

interface Merged {
  readonly merged: readonly string[];
  readonly conflicts: readonly string[];
  /** Under which what was staged of those that conflict is kept. */
  readonly kept: string | null;
}

/** Null where somebody else writes to the index, or it cannot be made anew. */
export function mergeForward(
  repository: Repository,
  stage: Stage,
  head: Oid,
  agent: AgentName,
): Merged | null {
  return withIndexLock(stage.index, () => {
    const base = baseOf(repository, stage);
    if (base === null) return null;
    const theirs = new Map(
      changesBetween(repository, base, head).map((change) => [change.path, change.after]),
    );
    const ahead = stagedAhead(repository, stage.index, base, head);
    const both = new Set(ahead.both.map(({ path }) => path));
    const { staged } = ahead;
    const results = staged.map((change) =>
      both.has(change.path)
        ? mergedWith(repository, change, theirs.get(change.path) ?? null)
        : change,
    );
    const kept = results.flatMap((change) => change ?? []);
    const seed = join(repository.gitDir, 'index');
    const lost = staged.filter((_, i) => results[i] === null);
    const entries = lost.flatMap(({ path, after }) => entryOf(path, after));
    const id =
      entries.length === 0
        ? null
        : writeSnapshot(repository, {
            agent,
            entries,
            why: 'it conflicted with HEAD',
            at: wallAge(0),
          });
    if (!rebuild(repository, stage.index, seed, head, kept)) return null;
    noteBase(repository, stage, head);
    keepGood(repository, stage);
    const conflicts = lost.map(({ path }) => path);
    return { merged: [...both].filter((path) => !conflicts.includes(path)), conflicts, kept: id };
  });
}

function entryOf(
  path: string,
  entry: string | null,
): readonly { readonly mode: string; readonly oid: string; readonly path: string }[] {
  const [mode = '', oid = ''] = entry?.split(' ') ?? [];
  return entry === null || mode === '160000' ? [] : [{ mode, oid, path }];
}

/** Null for a conflict. */
function mergedWith(
  repository: Repository,
  { path, before, after }: PathChange,
  theirs: string | null,
): PathChange | null {
  if (before === null || after === null || theirs === null) return null;
  const entries = [after, before, theirs].map((entry) => entry.split(' '));
  if (entries.some(([mode = '']) => !mode.startsWith('100'))) return null;
  const bodies = entries.map(([, oid = '']) => readObject(repository, oid, 'blob'));
  const result = mergedText(repository, bodies);
  if (result === null) return null;
  const [mode = ''] = entries[0] ?? [];
  return { path, before: theirs, after: `${mode} ${writeObject(repository, 'blob', result)}` };
}

/** Ours, what it was made from, theirs; null for a conflict. */
function mergedText(repository: Repository, bodies: readonly Buffer[]): Buffer | null {
  const folder = temporaryFolder('coord-merge-');
  try {
    const files = bodies.map((_, i) => join(folder, String(i)));
    for (const [i, file] of files.entries()) writeFileSync(file, bodies[i] ?? '');
    const { code, stdout } = runPlain(
      repository.git,
      ['merge-file', '-p', '-q', ...files],
      '',
      folder,
    );
    return code === 0 ? stdout : null;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
