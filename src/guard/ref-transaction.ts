/**
 * The last local line: sees every update of a branch however it is made, also past the other hooks,
 * by cherry-pick, rebase, plumbing or a GUI. While refs are locked it only reads. Besides its
 * verdict it says what the index in use will be based on, if the update goes through.
 */

import type { RealWorld } from '../agent/world.ts';
import type { Oid } from '../core/ids.ts';
import { emptyTree, isAtHead, type Stage } from '../draft/stage-base.ts';
import { missedBy } from '../draft/staged-ahead.ts';
import { vanished } from '../draft/vanished.ts';
import { changesBetween, ownChanges, versionsBefore } from '../git/changes.ts';
import { type CommitFacts, factsOf, introduced, isAncestor } from '../git/commits.ts';
import { treeOf } from '../git/files-at.ts';
import {
  branchRebased,
  broughtIn,
  detachedHeads,
  type Head,
  headOf,
  isRebasing,
  operationUnderWay,
} from '../git/head.ts';
import { isShared } from '../git/hook-files.ts';
import { treeOfIndex } from '../git/index-file.ts';
import type { PathChange } from '../git/path-changes.ts';
import { readBranch } from '../git/refs.ts';
import { lost } from '../git/replay.ts';
import type { Repository } from '../git/repository.ts';
import type { Observation } from '../log/log-store.ts';
import type { HookCaller } from './caller.ts';
import {
  isBy,
  type JudgedCommit,
  judgeCommit,
  judgeLost,
  type Problem,
  pathsOf,
} from './evaluate.ts';
import { madeBy } from './foreseen.ts';
import { makersOf } from './makers.ts';
import { isPartial } from './options.ts';
import type { Asked, RefLine } from './ref-lines.ts';
import { foreignLines, leasesAgainst } from './sharing.ts';
import { foreignOperation } from './under-way.ts';

interface Transaction {
  readonly problems: readonly Problem[];
  readonly head: Head;
  /** Commits that were nowhere before. */
  readonly fresh: readonly CommitFacts[];
  /** Of these what is not made again by a rebase. */
  readonly made: readonly CommitFacts[];
  /** What to note for the index in use once the update has gone through. */
  readonly newBase: { readonly stage: Stage; readonly oid: Oid } | null;
  /** From where to where HEAD goes; null where it stays. */
  readonly moves: { readonly from: Oid; readonly to: Oid } | null;
  /** Where HEAD was to go, if it is more than a commit on top of it or in its place. */
  readonly movesTo: Oid | null;
}

/** More than a commit on top of HEAD or in its place. */
function isMoved(
  repository: Repository,
  commit: CommitFacts | undefined,
  { oid }: Head,
  moved: RefLine | undefined,
): moved is RefLine {
  if (moved === undefined || oid === null || moved.next === oid) return false;
  return !isMadeFrom(repository, commit, oid);
}

/** Of a path one problem is enough. */
function withForeign(held: readonly Problem[], foreign: readonly Problem[]): readonly Problem[] {
  const said = pathsOf(held);
  return [...held, ...foreign.filter((one) => !pathsOf([one]).some((path) => said.includes(path)))];
}

export function judgeTransaction(
  world: RealWorld,
  at: Observation,
  caller: HookCaller,
  { lines, deletions, git }: Asked,
): Transaction {
  const { repository } = world;
  const head = headOf(repository);
  // What another work tree stands on was judged, and noted, as it was made there.
  const standing = [...detachedHeads(repository).values()];
  const known = [...broughtIn(repository), ...standing, ...(head.oid === null ? [] : [head.oid])];
  const commits = introduced(repository, [...new Set(lines.map(({ next }) => next))], known);
  // At its end, or when it is given up, a rebase moves the branch that HEAD comes back to.
  const branch = head.branch ?? branchRebased(repository);
  const moved = lines.find(({ ref }) => ref === 'HEAD' || ref === branch);
  const commit = commits.find(({ oid }) => oid === moved?.next);
  const setting = {
    who: caller.who,
    folding: world.settings.folding,
    pastStage: caller.pastStage,
    missed: missedBy(repository, caller.stage, commit?.oid ?? null, head.oid),
  };
  // What others push here is no commit of whoever receives it.
  const isReceived = caller.command()?.verb === 'receive-pack';
  const judge = (one: CommitFacts): readonly Problem[] => {
    if (isReceived) return [];
    const judged = changesOf(repository, caller, one, head, moved);
    const leases = leasesAgainst(world, at, caller, judged.changes);
    const held = judgeCommit(judged, { ...setting, leases });
    const isOnTop = one === commit && one.parents.length === 1 && one.parents[0] === head.oid;
    return isOnTop ? withForeign(held, foreignLines(world, at, caller, judged.changes)) : held;
  };
  const aboutIndex = (): readonly Problem[] => [
    ...endedOperation(world, at, caller, commit, head),
    ...mixedUp(world, caller, commit, git),
    ...reversals(world, caller, commit, head),
  ];
  const gone = lostBy(repository, lines, deletions, commits, head, caller.command()?.verb);
  const isMove = isMoved(repository, commit, head, moved);
  return {
    problems: distinct([
      ...commits.flatMap(judge),
      ...judgeLost(gone, caller.who, makersOf(repository)),
      ...(isReceived ? [] : aboutIndex()),
    ]),
    head,
    fresh: commits,
    made: isRebasing(repository) ? [] : commits,
    newBase:
      moved !== undefined &&
      isAtHead(repository, caller.stage, head.oid) &&
      cameAlong(repository, caller, head, moved.next)
        ? { stage: caller.stage, oid: moved.next }
        : null,
    moves: moved === undefined || head.oid === null ? null : { from: head.oid, to: moved.next },
    movesTo: isMove ? moved.next : null,
  };
}

/**
 * Is the index based on where HEAD goes? Forward only if it is what stands there, or if it was left
 * as it is on purpose: else it may have been moved without it, and is carried there later, which
 * changes nothing in what has come along. Back or aside always: what the index holds beyond that is
 * staged then.
 */
function cameAlong(
  repository: Repository,
  { stage, command }: HookCaller,
  head: Head,
  next: Oid,
): boolean {
  // All that is in the first commit of a branch came from the one who makes it.
  if (command()?.verb === 'reset' || head.oid === null) return true;
  if (!isAncestor(repository, head.oid, next)) return true;
  return treeOfIndex(repository, stage.index) === treeOf(repository, next);
}

/** A merge of somebody else that this commit would end. */
function endedOperation(
  world: RealWorld,
  at: Observation,
  caller: HookCaller,
  commit: CommitFacts | undefined,
  head: Head,
): readonly Problem[] {
  if (commit === undefined || head.oid === null || !commit.parents.includes(head.oid)) return [];
  const foreign = foreignOperation(world, at, caller);
  return foreign === null ? [] : [foreign];
}

/** A message that was signed for its own agent just before, and is another's now. */
function mixedUp(
  { repository }: RealWorld,
  caller: HookCaller,
  commit: CommitFacts | undefined,
  git: string | undefined,
): readonly Problem[] {
  if (commit === undefined || caller.agent === null) return [];
  if (operationUnderWay(repository) !== null || isRebasing(repository)) return [];
  const { isJudged, isSigned } = madeBy(repository, git);
  if (!isJudged) return [];
  // A hook of the project's own may have written the message anew.
  const isMixed =
    commit.agent === null
      ? isSigned && !isShared(repository, 'commit-msg')
      : !isBy(commit.agent, caller.who);
  return isMixed ? [{ kind: 'mixed', agent: commit.agent }] : [];
}

/** A commit on top of HEAD, or in its place. */
function isMadeFrom(repository: Repository, commit: CommitFacts | undefined, head: Oid): boolean {
  if (commit === undefined) return false;
  if (commit.parents.includes(head)) return true;
  return factsOf(repository, head)?.parents.join(' ') === commit.parents.join(' ');
}

/**
 * A commit whose tree is not that of the index in use came from one that nobody knows: does it put
 * back what others have changed?
 */
function reversals(
  { repository }: RealWorld,
  caller: HookCaller,
  commit: CommitFacts | undefined,
  head: Head,
): readonly Problem[] {
  if (commit === undefined || head.oid === null || commit.parents.length !== 1) return [];
  if (commit.parents[0] !== head.oid) return [];
  const indexTree = treeOfIndex(repository, caller.stage.index);
  if (!caller.usesUnknownIndex && indexTree === treeOf(repository, commit.oid)) return [];
  const changes = ownChanges(repository, commit);
  const isMine = (agent: string | null): boolean =>
    agent === null ? !caller.who.isAgent : isBy(agent, caller.who);
  const before = versionsBefore(
    repository,
    head.oid,
    changes.map(({ path }) => path),
    isMine,
  );
  return changes
    .filter((change) => before.get(change.path)?.has(change.after) === true)
    .map(({ path }) => ({ kind: 'undone', path }));
}

/**
 * A commit on top of HEAD is judged by what it changes, one in HEAD's place by how it differs from
 * HEAD.
 */
function changesOf(
  repository: Repository,
  caller: HookCaller,
  commit: CommitFacts,
  head: Head,
  moved: RefLine | undefined,
): JudgedCommit {
  const command = caller.command();
  const isOfFiles = command?.verb === 'commit' && isPartial(command.words);
  const judged = (changes: readonly PathChange[], fromIndex: boolean): JudgedCommit => ({
    changes,
    fromIndex: fromIndex && !isOfFiles,
    vanished: fromIndex ? vanished(repository, caller.stage, head.oid, changes) : [],
  });
  const own = (): readonly PathChange[] => ownChanges(repository, commit);
  if (moved?.next !== commit.oid || isRebasing(repository)) return judged(own(), false);
  const isOnTop = commit.parents.length <= 1 && (commit.parents[0] ?? null) === head.oid;
  if (isOnTop || head.oid === null) return judged(own(), isOnTop);
  const replaced = factsOf(repository, head.oid);
  const amends = replaced !== null && replaced.parents.join(' ') === commit.parents.join(' ');
  return amends
    ? judged(changesBetween(repository, head.oid, commit.oid), true)
    : judged(own(), false);
}

/**
 * Judged as a whole: what one line takes away another one may keep, and two may take away what each
 * alone would not.
 */
function lostBy(
  repository: Repository,
  lines: readonly RefLine[],
  deletions: readonly string[],
  commits: readonly CommitFacts[],
  head: Head,
  verb: string | undefined,
): readonly CommitFacts[] {
  // On a branch it is the branch that moves.
  const moved = lines.filter(({ ref }) => ref !== 'HEAD' || head.branch === null);
  const before = (ref: string, old: Oid | null): Oid | null =>
    old ?? (ref === 'HEAD' ? head.oid : readBranch(repository, ref));
  const left = moved.flatMap(({ old, next, ref }) => {
    const was = before(ref, old);
    const grows =
      was === null ||
      was === next ||
      commits.some(({ oid, parents }) => oid === next && parents.includes(was)) ||
      isAncestor(repository, was, next);
    return grows ? [] : [was];
  });
  const gone = deletions.flatMap((ref) => before(ref, null) ?? []);
  if (left.length + gone.length === 0) return [];
  const refs = [...moved.map(({ ref }) => ref), ...deletions];
  const none = emptyTree(repository.hash);
  // `rebase --root` begins on a commit that holds nothing, and leaves it again.
  return lost(
    repository,
    refs,
    [...left, ...gone],
    moved.map(({ next }) => next),
    // In the middle of a rebase these move HEAD by themselves, and make nothing again.
    verb === undefined || !/^(reset|checkout|switch|branch)$/.test(verb),
  ).filter(({ parents, tree }) => parents.length > 0 || tree !== none);
}

export function distinct(problems: readonly Problem[]): readonly Problem[] {
  const keyOf = (problem: Problem): string =>
    problem.kind === 'lost'
      ? problem.commit.oid
      : `${problem.kind} ${'path' in problem ? problem.path : ''}`;
  return [...new Map(problems.map((problem) => [keyOf(problem), problem])).values()];
}
