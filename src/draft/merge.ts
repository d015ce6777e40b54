/**
 * A file that was changed on both sides: what is staged is merged with what HEAD has by now, as git
 * merges, so that neither undoes the other. What conflicts is as HEAD has it, and what was staged
 * is kept.
 */
import { join } from 'node:path';
import type { Oid } from '../core/ids.ts';
import type { AgentName } from '../core/lease.ts';
import { rebuild, withIndexLock } from '../git/index-file.ts';
import { wallAge } from '../git/local.ts';
import { writeObject } from '../git/objects.ts';
import type { PathChange } from '../git/path-changes.ts';
import type { Repository } from '../git/repository.ts';
import { writeSnapshot } from './snapshot.ts';
import { keepGood } from './stage.ts';
import { baseOf, behindOf, noteBase, noteBehind, type Stage } from './stage-base.ts';
import { type BothSides, stagedAhead } from './staged-ahead.ts';
import { mergedText } from './three-way.ts';

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
    const behind = behindOf(repository, stage);
    const { staged, both } = stagedAhead(repository, stage.index, base, head, behind);
    const sides = new Map(both.map((one) => [one.path, one]));
    const results = staged.map((change) => {
      const one = sides.get(change.path);
      return one === undefined ? change : mergedWith(repository, one);
    });
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
    noteBehind(repository, stage, []);
    keepGood(repository, stage);
    const conflicts = lost.map(({ path }) => path);
    return {
      merged: [...sides.keys()].filter((path) => !conflicts.includes(path)),
      conflicts,
      kept: id,
    };
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
function mergedWith(repository: Repository, sides: BothSides): PathChange | null {
  const { path, staged, theirs } = sides;
  const text = mergedText(repository, sides);
  if (text === null) return null;
  const [mode = ''] = staged?.split(' ') ?? [];
  return { path, before: theirs, after: `${mode} ${writeObject(repository, 'blob', text)}` };
}
