/**
 * The hooks around a commit. Before it: the index is brought to HEAD, and what would be refused is
 * explained while nothing is locked yet. After it: the repository's own index comes along.
 */

import { resolve } from 'node:path';
import type { RealWorld } from '../agent/world.ts';
import type { Oid } from '../core/ids.ts';
import type { Reservation } from '../core/lease.ts';
import { bringForward, type Forwarded, keepGood } from '../draft/stage.ts';
import { baseOf, emptyTree, noteTrailers, type Stage } from '../draft/stage-base.ts';
import type { BothSides } from '../draft/staged-ahead.ts';
import { vanished } from '../draft/vanished.ts';
import { changesByMerge, resolvedInIndex } from '../git/changes.ts';
import { factsOf } from '../git/commits.ts';
import { headOf, isRebasing, mergedWith, operationUnderWay } from '../git/head.ts';
import { isSound, stagedSince, withIndexLock } from '../git/index-file.ts';
import type { PathChange } from '../git/path-changes.ts';
import { lost } from '../git/replay.ts';
import type { Repository } from '../git/repository.ts';
import type { Observation } from '../log/log-store.ts';
import { reservationsHere } from '../loop/standing.ts';
import type { HookCaller } from './caller.ts';
import { heldPaths, judgeLost, lostEntries, type Problem, pathsOf } from './evaluate.ts';
import { foresee } from './foreseen.ts';
import { leaveOutOfAll } from './left-out.ts';
import { makersOf } from './makers.ts';
import { afterRefusedCommit } from './next-commit.ts';
import { endMerge } from './next-steps.ts';
import { optionsOf } from './options.ts';
import { leasesAgainst, takeOwnLines } from './sharing.ts';
import { trailersOf } from './sign-message.ts';
import { foreignOperation, switchedOnce } from './under-way.ts';

interface BeforeCommit {
  readonly forwarded: Forwarded;
  readonly problems: readonly Problem[];
  /** What to run after a refusal. */
  readonly next: readonly string[];
  /** What others have staged, and `-a` would have taken along. */
  readonly leftOut?: readonly Problem[];
  /** Files with lines that stay uncommitted because nobody is known to have written them. */
  readonly unknownIn?: readonly string[];
}

/** Before git asks for a message: the index comes to HEAD, and what would be refused is said. */
export function beforeCommit(
  world: RealWorld,
  at: Observation,
  caller: HookCaller,
  env: NodeJS.ProcessEnv,
  cwd: string,
): BeforeCommit {
  const { repository } = world;
  const { stage } = caller;
  const refuse = (problems: readonly Problem[], paths: readonly string[] = []): BeforeCommit => ({
    forwarded: { kind: 'same' },
    problems,
    next: afterRefusedCommit(repository, problems, paths, caller.command()),
  });
  const { oid: head, branch } = headOf(repository);
  const used = resolve(cwd, env['GIT_INDEX_FILE'] ?? stage.index);
  const forwarded = bringAlong(repository, caller, head, used);
  const setting = {
    leases: reservationsHere(world, at),
    folding: world.settings.folding,
    who: caller.who,
  };
  const aboutHead = (): readonly Problem[] => [
    ...switchedOnce(repository, stage),
    ...replacedByAmend(world, caller, head, branch),
  ];
  if (!['same', 'forwarded'].includes(forwarded.kind)) {
    const stands = forwardProblems(forwarded);
    if (stands.length === 0) return { forwarded, problems: [], next: [] };
    const foreign = foreignOperation(world, at, caller);
    if (foreign !== null) return { ...refuse([foreign]), forwarded };
    const paths = forwarded.kind === 'both' ? stagedBehind(repository, caller, used, head) : [];
    const all = [...stands, ...aboutHead(), ...heldPaths(paths, withoutLines(setting))];
    return { ...refuse(all, paths), forwarded };
  }
  keepGood(repository, stage);
  const { leftOut, ...own } = takeAuthorsPart(world, at, caller, used, head);
  const staged = stagedSince(repository, used, head ?? emptyTree(repository.hash));
  if (staged.length === 0 && leftOut.length > 0) return refuse(leftOut);
  // git itself says that there is nothing to commit, unless the index has come to HEAD after that.
  if (staged.length === 0 && !mayBeEmpty(repository, caller, env))
    return refuse(forwarded.kind === 'forwarded' ? [{ kind: 'nothing' }] : []);
  const foreign = foreignOperation(world, at, caller);
  if (foreign !== null) return refuse([foreign]);
  const merged = mergedWith(repository, env);
  const work = newWork(repository, used, head, staged, merged);
  if (work === null) return { forwarded: { kind: 'unmerged' }, problems: [], next: [] };
  const paths = staged.map(({ path }) => path);
  const held = heldPaths(work, { ...setting, leases: leasesAgainst(world, at, caller, staged) });
  const past = caller.pastStage ? notStaged(paths) : [];
  const gone = lostEntries(vanished(repository, stage, head, staged));
  const problems = [...aboutHead(), ...past, ...own.problems, ...held, ...gone];
  noteTrailers(repository, stage, trailersOf(world, at, caller));
  if (problems.length === 0 && !caller.usesUnknownIndex)
    foresee(world, at, caller, { file: used, head, staged }, env);
  if (merged.length === 0 || head === null || held.length === 0)
    return { ...refuse(problems, paths), leftOut, unknownIn: own.unknownIn };
  return { ...refuse(problems), next: afterHeldMerge(repository, head, merged, pathsOf(held)) };
}

/** Of what git is about to commit only what is the author's. */
function takeAuthorsPart(
  world: RealWorld,
  at: Observation,
  caller: HookCaller,
  used: string,
  head: Oid | null,
): ReturnType<typeof takeOwnLines> {
  const indexes = [used, ...lockBeside(used, caller.stage)];
  const own = takeOwnLines(world, at, caller, indexes, head);
  return { ...own, leftOut: [...leaveOutOfAll(world, at, caller, used, head), ...own.leftOut] };
}

/** Whose lines are in the way is judged once what is staged has come to HEAD. */
function withoutLines<T extends { readonly leases: readonly Reservation[] }>(setting: T): T {
  return { ...setting, leases: setting.leases.filter(({ mode }) => mode !== 'lines') };
}

function notStaged(paths: readonly string[]): readonly Problem[] {
  return paths.map((path) => ({ kind: 'not-staged', path }));
}

/** What others hold and the merge itself changes, and what was staged along with it. */
function afterHeldMerge(
  repository: Repository,
  head: Oid,
  merged: readonly Oid[],
  held: readonly string[],
): readonly string[] {
  const brought = new Set(merged.flatMap((side) => changesByMerge(repository, head, side)));
  return endMerge(
    held.filter((path) => !brought.has(path)),
    held.filter((path) => brought.has(path)),
  );
}

/** Paths that the commit changes by itself: what comes in by a merge is on a branch already. */
function newWork(
  repository: Repository,
  index: string,
  head: Oid | null,
  staged: readonly PathChange[],
  others: readonly Oid[],
): readonly string[] | null {
  if (head === null || others.length === 0) return staged.map(({ path }) => path);
  return resolvedInIndex(repository, index, [head, ...others]);
}

/** Is a commit that changes nothing what its author asks for? In doubt it is. */
function mayBeEmpty(
  repository: Repository,
  { command }: HookCaller,
  env: NodeJS.ProcessEnv,
): boolean {
  const asked = command();
  if (
    asked?.verb !== 'commit' ||
    operationUnderWay(repository) !== null ||
    isRebasing(repository) ||
    mergedWith(repository, env).length > 0
  )
    return true;
  return optionsOf('commit', asked.words).has(null, 'allow-empty', 'amend');
}

/**
 * git may be about to commit the index itself, its lock (`-a`), or a file of its own that it made
 * from HEAD (`-- paths`): the first two come to HEAD. Of the last one what else is staged is no
 * part.
 */
function bringAlong(
  repository: Repository,
  { stage, usesUnknownIndex }: HookCaller,
  head: Oid | null,
  used: string,
): Forwarded {
  const lock = `${stage.index}.lock`;
  if (/\/next-index-\d+\.lock$/.test(used)) {
    const along = isSound(lock) ? bringForward(repository, stage, head, lock) : null;
    if (along?.kind === 'forwarded' || (along?.kind === 'both' && along.isMoved))
      bringForward(repository, stage, head);
    return { kind: 'same' };
  }
  // The lock of the index is this git's own; else the index may be in somebody else's hands.
  const isOwnLock = used === lock && !usesUnknownIndex;
  let moved: Forwarded = { kind: 'same' };
  const both = new Map<string, BothSides>();
  for (const file of isOwnLock ? [lock, stage.index] : [...new Set([used, stage.index])]) {
    const bring = (): Forwarded => bringForward(repository, stage, head, file);
    const forwarded = isOwnLock
      ? bring()
      : (withIndexLock(stage.index, bring) ?? { kind: 'locked' });
    // What the index holds is superseded by what its lock has of these files.
    const isSuperseded = isOwnLock && file !== lock;
    if (forwarded.kind === 'both' && isSuperseded && forwarded.isMoved)
      moved = { kind: 'forwarded' };
    // What is staged in the one may stand in the way of the other next.
    else if (forwarded.kind === 'both')
      for (const one of forwarded.paths) both.set(one.path, both.get(one.path) ?? one);
    else if (forwarded.kind === 'forwarded') moved = forwarded;
    else if (forwarded.kind !== 'same') return forwarded;
  }
  return both.size > 0 ? { kind: 'both', paths: [...both.values()], isMoved: false } : moved;
}

function forwardProblems(forwarded: Forwarded): readonly Problem[] {
  if (forwarded.kind === 'locked' || forwarded.kind === 'restored')
    return [{ kind: forwarded.kind }];
  return forwarded.kind === 'both' ? changedByBoth(forwarded.paths) : [];
}

/** Of `commit -- paths` git commits a file of its own, and its lock is what the index will be. */
function lockBeside(used: string, stage: Stage): readonly string[] {
  const lock = `${stage.index}.lock`;
  return /\/next-index-\d+\.lock$/.test(used) && isSound(lock) ? [lock] : [];
}

/** What an index that could not come to HEAD would change there. */
function stagedBehind(
  repository: Repository,
  { stage, command }: HookCaller,
  used: string,
  head: Oid | null,
): readonly string[] {
  const none = emptyTree(repository.hash);
  const pathsSince = (commit: Oid | null): readonly string[] =>
    stagedSince(repository, used, commit ?? none).map(({ path }) => path);
  // `-a` takes the files again, whatever the index has of them.
  const { verb, words = [] } = command() ?? {};
  if (verb === 'commit' && optionsOf(verb, words).has('a', 'all')) return pathsSince(head);
  const own = new Set(pathsSince(baseOf(repository, stage)));
  return pathsSince(head).filter((path) => own.has(path));
}

export function changedByBoth(paths: readonly BothSides[]): readonly Problem[] {
  return paths.map(({ path }) => ({ kind: 'both', path }));
}

/** The commit in HEAD that an amended one would replace is on no branch then. */
function replacedByAmend(
  { repository }: RealWorld,
  { who, command }: HookCaller,
  head: Oid | null,
  branch: string | null,
): readonly Problem[] {
  const asked = command();
  if (head === null || asked?.verb !== 'commit') return [];
  if (!optionsOf('commit', asked.words).has(null, 'amend')) return [];
  const { parents = [] } = factsOf(repository, head) ?? {};
  return judgeLost(
    lost(repository, [branch ?? 'HEAD'], [head], parents),
    who,
    makersOf(repository),
  );
}
