/**
 * After a ref update was refused: some commands have changed index and files before git asks. The
 * one command that puts back every byte depends on what is under way.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { RealWorld } from '../agent/world.ts';
import type { Oid } from '../core/ids.ts';
import { shellLine } from '../core/shell-line.ts';
import { changesBetween } from '../git/changes.ts';
import type { CommitFacts } from '../git/commits.ts';
import { treeOf } from '../git/files-at.ts';
import type { GitCommand } from '../git/git-command.ts';
import { isApplying, isRebasing, operationUnderWay } from '../git/head.ts';
import { stagedSince, treeOfIndex } from '../git/index-file.ts';
import { localPath, writeLocal } from '../git/local.ts';
import { isBelow, type PathChange } from '../git/path-changes.ts';
import type { Repository } from '../git/repository.ts';
import type { HookCaller } from './caller.ts';
import { type Problem, pathsOf } from './evaluate.ts';
import { afterRefusedCommit } from './next-commit.ts';
import { keepOnBranch, putBack, waitAndRetry } from './next-steps.ts';
import { optionsOf } from './options.ts';
import { stoppedAt } from './under-way.ts';

interface Update {
  readonly head: Oid | null;
  readonly movesTo: Oid | null;
  readonly made: readonly CommitFacts[];
  /** The index comes back by itself, and git has changed nothing else. */
  readonly returns?: boolean;
}

export function afterRefusedUpdate(
  world: RealWorld,
  caller: HookCaller,
  problems: readonly Problem[],
  update: Update,
): readonly string[] {
  const command = caller.command();
  const isForeign = problems.some(({ kind }) => kind === 'in-progress');
  const restores = isForeign ? restoringPick : restoring;
  const restore = update.returns === true ? null : restores(world, caller, update);
  const isCommit = command?.verb === 'commit' && operationUnderWay(world.repository) === null;
  if (restore === null) {
    const [commit] = update.made;
    const staged =
      commit === undefined || !isCommit || update.head === null
        ? []
        : changesBetween(world.repository, update.head, commit.oid).map(({ path }) => path);
    return afterRefusedCommit(world.repository, problems, staged, command);
  }
  const held = pathsOf(problems, 'held');
  const lost = problems.flatMap((problem) => (problem.kind === 'lost' ? problem.commit : []));
  const isOneStep = restore.startsWith('git restore');
  return [
    restore,
    ...(held.length > 0 ? [waitAndRetry(held, isOneStep ? command : null)] : []),
    ...(lost.length > 0
      ? [keepOnBranch(world.repository, lost, restore === 'git rebase --abort' ? goOn : command)]
      : []),
  ];
}

/** A file that HEAD has takes away by itself what stands in its place, and what it stands in. */
function toRestore(changes: readonly PathChange[]): readonly string[] {
  const inHead = changes.filter(({ before }) => before !== null).map(({ path }) => path);
  const isReplaced = (path: string): boolean =>
    inHead.some((other) => isBelow(path, other) || isBelow(other, path));
  return changes
    .filter(({ path, before }) => before !== null || !isReplaced(path))
    .map(({ path }) => path);
}

/** A rebase that was refused at its end. */
const goOn: GitCommand = { verb: 'rebase', words: ['--continue'] };

/** A reset of the index alone, or of neither. */
export function keepsFiles(command: GitCommand | null): boolean {
  return (
    command?.verb === 'reset' &&
    !optionsOf(command.verb, command.words).has(null, 'hard', 'merge', 'keep')
  );
}

/**
 * A pick beside the merge of somebody else: `--abort` would end that one. git does not begin where
 * anything is staged or changed in its way, so all that is staged by now is its own.
 */
function restoringPick(
  { repository }: RealWorld,
  { stage, command }: HookCaller,
  { head }: Update,
): string | null {
  if (head === null || !isOfPick(command())) return null;
  const restore = putBackAll(repository, stagedSince(repository, stage.index, head), null);
  const list = join(repository.gitDir, 'sequencer');
  const isOthers = stoppedAt(repository).startsWith('sequencer/');
  if (restore === null || !existsSync(list) || isOthers) return restore;
  return `${restore} && ${shellLine('rm', '-r', '--', list)}`;
}

/** It calls `git commit` where its message is edited. */
function isOfPick(command: GitCommand | null): boolean {
  const verb = command?.verb === 'commit' ? command.calledBy : command?.verb;
  return verb === 'cherry-pick' || verb === 'revert';
}

function putBackAll(
  repository: Repository,
  changes: readonly PathChange[],
  command: GitCommand | null,
): string | null {
  const paths = toRestore(changes);
  if (paths.length === 0) return null;
  return putBack(paths, keepsFiles(command) ? 'index' : 'index and files', (lines) => {
    writeLocal(repository.gitDir, 'put-back', lines.join(''));
    return localPath(repository.gitDir, 'put-back');
  });
}

/** Null where git has changed nothing yet. */
function restoring(
  { repository }: RealWorld,
  caller: HookCaller,
  { head, movesTo, made }: Update,
): string | null {
  const command = caller.command();
  const verb = command?.verb ?? '';
  // Whose the operation is that is under way, only its own commands tell.
  const isOf = (...verbs: readonly string[]): boolean => command === null || verbs.includes(verb);
  if (isRebasing(repository) && isOf('rebase', 'pull')) return 'git rebase --abort';
  if (isApplying(repository) && isOf('am')) return 'git am --abort';
  if (verb === 'cherry-pick' || verb === 'revert') {
    const isUnderWay = ['sequencer', 'CHERRY_PICK_HEAD', 'REVERT_HEAD'].some((name) =>
      existsSync(join(repository.gitDir, name)),
    );
    if (isUnderWay) return `git ${verb} --abort`;
  }
  const next = movesTo ?? made.at(-1)?.oid ?? null;
  if (verb === 'commit' || verb === 'update-ref' || head === null || next === null) return null;
  if (treeOfIndex(repository, caller.stage.index) !== treeOf(repository, next)) return null;
  return putBackAll(repository, changesBetween(repository, head, next), command);
}
