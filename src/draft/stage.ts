/**
 * The stage: an agent's own index in one work tree, with the commit it is based on. It is brought
 * from there to HEAD before anything is committed from it, because a commit from an older index
 * would undo what others committed since. The repository's own index has a base of the same kind.
 */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { CoordError } from '../core/errors.ts';
import type { Oid } from '../core/ids.ts';
import type { AgentName } from '../core/lease.ts';
import { limits } from '../core/limits.ts';
import { changesBetween, knownChanges, lastToChange } from '../git/changes.ts';
import { ask, type CommitFacts } from '../git/commits.ts';
import { existsCommit } from '../git/files-at.ts';
import { headOf } from '../git/head.ts';
import {
  bornFrom,
  carryForward,
  isSound,
  rebuild,
  stagedSince,
  unmerged,
  withIndexLock,
} from '../git/index-file.ts';
import {
  dropLocal,
  keepLocal,
  listLocal,
  localAge,
  localPath,
  readLocal,
  restoreLocal,
  writeLocal,
} from '../git/local.ts';
import { isBelow, type PathChange } from '../git/path-changes.ts';
import { visitedSince } from '../git/reflog.ts';
import type { Repository } from '../git/repository.ts';
import { sharedFiles } from '../shim/files.ts';
import { sharedName } from '../shim/shared-file.ts';
import {
  baseOf,
  emptyTree,
  noteBase,
  noteBranch,
  noteTrailers,
  repositoryStage,
  type Stage,
  stageFolder,
  stageOf,
  trailerOf,
} from './stage-base.ts';

/**
 * Born from a copy of the repository's index, which knows the files, with exactly what HEAD holds.
 */
export function openStage(repository: Repository, agent: AgentName): Stage {
  const stage = stageOf(repository, agent.id);
  noteTrailers(repository, stage, [trailerOf(agent)]);
  const { oid } = headOf(repository);
  if (readLocal(repository.gitDir, stage.baseName) !== null && isSound(stage.index)) return stage;
  // Says where the repository's own index stands, before the first agent moves HEAD away from it.
  if (
    !listLocal(repository.gitDir, 'stages').some(
      (id) => id !== agent.id && baseOf(repository, stageOf(repository, id)) !== null,
    )
  )
    noteBase(repository, repositoryStage(repository), oid);
  noteBase(repository, stage, oid);
  noteBranch(repository, stage);
  if (!bornFrom(repository, stage.index, join(repository.gitDir, 'index'), oid)) {
    throw new CoordError(
      'git_failed',
      `no stage could be made at '${stage.index}'`,
      'coord doctor',
    );
  }
  return stage;
}

/** A path that is staged, and was changed otherwise on the way to HEAD. */
export interface BothSides {
  readonly path: string;
  /** The entry that is staged; null where the file is to go. */
  readonly staged: string | null;
  readonly by: CommitFacts | null;
}

export type Forwarded =
  | { readonly kind: 'same' | 'forwarded' | 'locked' | 'unmerged' | 'restored' }
  | { readonly kind: 'both'; readonly paths: readonly BothSides[] }
  | { readonly kind: 'baseless'; readonly paths: readonly string[] };

/**
 * Brings a stage, or the file that git is about to commit in its place, to HEAD. What is staged
 * stays staged; where it was also changed on the way, nothing is done and both sides are named.
 */
export function bringForward(
  repository: Repository,
  stage: Stage,
  head: Oid | null,
  file: string = stage.index,
): Forwarded {
  const base = baseOf(repository, stage);
  // Before the first session there is one index, and nothing moves HEAD away from it.
  if (base === null && stage.agentId === null) return { kind: 'same' };
  if (!isSound(file)) return restore(repository, stage, head);
  // A branch that has no commit yet holds nothing.
  const to = head ?? emptyTree(repository.hash);
  if (base === to) return { kind: 'same' };
  if (head === null && base === null) return { kind: 'same' };
  if (base === null || !carried(repository, stage, file, base, to)) {
    if (base === null || (base !== emptyTree(repository.hash) && !existsCommit(repository, base)))
      return { kind: 'baseless', paths: stagedSince(repository, file, to).map(({ path }) => path) };
    if (unmerged(repository, file)) return { kind: 'unmerged' };
    const { staged, both } = stagedAhead(repository, file, base, to);
    if (
      both.length > 0 ||
      !rebuild(repository, file, join(repository.gitDir, 'index'), to, staged)
    ) {
      return { kind: 'both', paths: both };
    }
  }
  if (file === stage.index) {
    noteBase(repository, stage, head);
    keepGood(repository, stage);
  }
  return { kind: 'forwarded' };
}

/**
 * What an index knows of the files decays: after a day it is made anew, with what is staged in it.
 */
function carried(
  repository: Repository,
  stage: Stage,
  file: string,
  base: Oid,
  head: Oid,
): boolean {
  const isOld =
    file === stage.index &&
    stage.agentId !== null &&
    localAge(repository.gitDir, stage.baseName) > limits.stageAgeMs;
  if (!isOld || !existsCommit(repository, base) || unmerged(repository, file))
    return carryForward(repository, file, base, head, knownChanges(repository, base, head));
  const { staged, both } = stagedAhead(repository, file, base, head);
  return (
    both.length === 0 &&
    (rebuild(repository, file, join(repository.gitDir, 'index'), head, staged) ||
      carryForward(repository, file, base, head))
  );
}

/** The same between commands, where somebody else may be writing to it. */
export function refresh(repository: Repository, stage: Stage): Forwarded {
  return (
    withIndexLock(stage.index, () => bringForward(repository, stage, headOf(repository).oid)) ?? {
      kind: 'locked',
    }
  );
}

/** What an index holds beyond the commit it is based on, on the way from there to HEAD. */
interface StagedAhead {
  readonly staged: readonly PathChange[];
  /** Of that, what was changed otherwise on the way. */
  readonly both: readonly BothSides[];
}

/**
 * What HEAD has held meanwhile just as it is staged here was committed, whatever HEAD has come to
 * since.
 */
export function stagedAhead(
  repository: Repository,
  file: string,
  base: Oid,
  head: Oid,
): StagedAhead {
  const theirs = new Map(
    changesBetween(repository, base, head).map((change) => [change.path, change]),
  );
  const there = [...theirs.values()].filter(({ after }) => after !== null).map(({ path }) => path);
  // A file on one side may be a folder on the other.
  const isBoth = ({ path, after }: PathChange): boolean =>
    (theirs.has(path) && theirs.get(path)?.after !== after) ||
    (after !== null && there.some((other) => isBelow(path, other) || isBelow(other, path)));
  const staged = stagedSince(repository, file, base);
  const changed = staged.filter(isBoth);
  const committed = changed.length === 0 ? new Set() : heldMeanwhile(repository, base, changed);
  return {
    staged: staged.filter(({ path }) => !committed.has(path)),
    both: changed
      .filter(({ path }) => !committed.has(path))
      .map(({ path, after }) => ({
        path,
        staged: after,
        by: lastToChange(repository, base, head, path),
      })),
  };
}

/** Paths that HEAD has held with just this content since it was at `base`. */
function heldMeanwhile(
  repository: Repository,
  base: Oid,
  changes: readonly PathChange[],
): ReadonlySet<string> {
  // A name with a line break cannot be asked for, and a file that is to go proves nothing.
  const asked = changes
    .filter(({ path, after }) => after !== null && !path.includes('\n'))
    .flatMap(({ path, after }) =>
      visitedSince(repository, base).map((oid) => ({
        path,
        blob: after?.split(' ')[1],
        name: `${oid}:${path}`,
      })),
    );
  if (asked.length === 0) return new Set();
  const rows = ask(
    repository,
    ['cat-file', '--batch-check'],
    asked.map(({ name }) => `${name}\n`).join(''),
  ).split('\n');
  return new Set(
    asked.filter(({ blob }, i) => rows[i]?.split(' ')[0] === blob).map(({ path }) => path),
  );
}

/** The last copy that was known to be good; without one, what HEAD holds. */
function restore(repository: Repository, stage: Stage, head: Oid | null): Forwarded {
  if (stage.agentId === null) {
    // Before the first commit there may be none: then it holds what HEAD does.
    if (
      head === null ||
      existsSync(stage.index) ||
      !bornFrom(repository, stage.index, stage.index, head)
    )
      return { kind: 'same' };
    noteBase(repository, stage, head);
    return { kind: 'forwarded' };
  }
  if (backToGood(repository.gitDir, stage.agentId) && isSound(stage.index)) {
    const again = bringForward(repository, stage, head);
    return again.kind === 'forwarded' || again.kind === 'same' ? { kind: 'restored' } : again;
  }
  bornFrom(repository, stage.index, join(repository.gitDir, 'index'), head);
  noteBase(repository, stage, head);
  return { kind: 'restored' };
}

/**
 * git was led to write the index of another work tree into this stage, by a variable that came
 * along.
 */
export function undoForeignWrite(gitDir: string, index: string): void {
  const [, agentId] =
    /^stages\/([0-9a-z]{8})\/index$/.exec(index.slice(localPath(gitDir, '').length + 1)) ?? [];
  if (agentId !== undefined) backToGood(gitDir, agentId);
}

/** The good copy comes with the commit that it was based on, or it is not good. */
function backToGood(gitDir: string, agentId: string): boolean {
  const name = (file: Parameters<typeof sharedName>[0]): string => sharedName(file, agentId);
  return (
    restoreLocal(gitDir, name(sharedFiles.goodBase), name(sharedFiles.base)) &&
    restoreLocal(gitDir, name(sharedFiles.good), `${stageFolder(agentId)}/index`)
  );
}

/**
 * An index is only ever replaced, never written to, so a second name for the file keeps what it
 * holds.
 */
export function keepGood(repository: Repository, { agentId, baseName }: Stage): void {
  if (agentId === null) return;
  const { gitDir } = repository;
  keepLocal(gitDir, `${stageFolder(agentId)}/index`, sharedName(sharedFiles.good, agentId));
  const base = readLocal(gitDir, baseName) ?? '';
  writeLocal(gitDir, sharedName(sharedFiles.goodBase, agentId), base);
}

/**
 * After the last stage nobody but its owner moves HEAD away from the repository's own index, and
 * nobody keeps its base.
 */
export function forgetOwnBase(repository: Repository): void {
  const own = repositoryStage(repository);
  if (listLocal(repository.gitDir, 'stages').length > 0 || baseOf(repository, own) === null) return;
  refresh(repository, own);
  dropLocal(repository.gitDir, own.baseName);
}
