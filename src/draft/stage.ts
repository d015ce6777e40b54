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
import { knownChanges } from '../git/changes.ts';
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
import type { Repository } from '../git/repository.ts';
import { leaveOutAbsent } from '../git/sparse.ts';
import { sharedFiles } from '../shim/files.ts';
import { sharedName } from '../shim/shared-file.ts';
import { rememberIndex } from './index-before.ts';
import {
  baseOf,
  behindOf,
  emptyTree,
  noteBase,
  noteBehind,
  noteBranch,
  noteTrailers,
  repositoryStage,
  type Stage,
  stageFolder,
  stageOf,
  trailerOf,
} from './stage-base.ts';
import { type BothSides, stagedAhead } from './staged-ahead.ts';

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

export type Forwarded =
  | { readonly kind: 'same' | 'forwarded' | 'locked' | 'unmerged' | 'restored' }
  /** All but these paths may have come to HEAD: then it `isMoved`. */
  | { readonly kind: 'both'; readonly paths: readonly BothSides[]; readonly isMoved: boolean }
  | { readonly kind: 'baseless'; readonly paths: readonly string[] };

/**
 * Brings a stage, or the file that git is about to commit in its place, to HEAD. What is staged
 * stays staged; where it was also changed on the way, both sides are named, and that path alone
 * stays behind.
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
  const behind = behindOf(repository, stage);
  if (base === to && behind.size === 0) return { kind: 'same' };
  if (head === null && base === null) return { kind: 'same' };
  let both: readonly BothSides[] = [];
  if (base === null || !carried(repository, stage, file, base, to)) {
    if (base === null || (base !== emptyTree(repository.hash) && !existsCommit(repository, base)))
      return { kind: 'baseless', paths: stagedSince(repository, file, to).map(({ path }) => path) };
    if (unmerged(repository, file)) return { kind: 'unmerged' };
    const ahead = stagedAhead(repository, file, base, to, behind);
    both = ahead.both;
    // Of another index than the stage nobody would note what stays behind in it.
    const isNoted = file === stage.index || file === `${stage.index}.lock`;
    const isStuck = both.some(({ isInTheWay }) => isInTheWay || !isNoted);
    const seed = join(repository.gitDir, 'index');
    if (isStuck || !rebuild(repository, file, seed, to, ahead.staged))
      return { kind: 'both', paths: both, isMoved: false };
  } else if (behind.size > 0) both = stagedAhead(repository, file, to, to, behind).both;
  leaveOutAbsent(repository, file, () =>
    knownChanges(repository, base, to).map(({ path }) => path),
  );
  if (file === stage.index) {
    noteBase(repository, stage, head);
    noteBehind(repository, stage, both);
    keepGood(repository, stage);
  }
  if (both.length > 0) return { kind: 'both', paths: both, isMoved: true };
  return { kind: base === to ? 'same' : 'forwarded' };
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
  const behind = behindOf(repository, stage);
  const { staged, both } = stagedAhead(repository, file, base, head, behind);
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
  if (agentId === null) {
    rememberIndex(repository);
    return;
  }
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
  noteBehind(repository, own, []);
  dropLocal(repository.gitDir, own.baseName);
}
