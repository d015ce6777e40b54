/**
 * The hooks around a commit. Before it: the index is brought to HEAD, and what would be refused is
 * explained while nothing is locked yet. After it: the repository's own index comes along.
 */

import { resolve } from 'node:path';
import type { RealWorld } from '../agent/world.ts';
import { areKin, type Oid } from '../core/ids.ts';
import { formatTime } from '../core/instant.ts';
import { phaseOf, type Reservation } from '../core/lease.ts';
import { limits } from '../core/limits.ts';
import { pathOf } from '../core/pattern.ts';
import {
  type BothSides,
  baseOf,
  branchOf,
  bringForward,
  emptyTree,
  type Forwarded,
  keepGood,
  lastToSwitch,
  noteBase,
  noteBranch,
  noteSwitch,
  noteTrailers,
  refresh,
  repositoryStage,
  type Stage,
  trailerOf,
  undoForeignWrite,
} from '../draft/stage.ts';
import { vanished } from '../draft/vanished.ts';
import { changesByMerge, changesIn, resolvedInIndex } from '../git/changes.ts';
import { factsOf } from '../git/commits.ts';
import {
  anyOperation,
  headOf,
  isRebasing,
  mergedWith,
  operationMark,
  operationUnderWay,
  readText,
  subjectReplayed,
} from '../git/head.ts';
import {
  gitWithIndex,
  isSound,
  type PathChange,
  stagedSince,
  withIndexLock,
} from '../git/index-file.ts';
import { dropLocal, readLocal } from '../git/local.ts';
import { isRenamed } from '../git/reflog.ts';
import { lost } from '../git/replay.ts';
import type { Repository } from '../git/repository.ts';
import type { Observation } from '../log/log-store.ts';
import { standingReservations } from '../loop/standing.ts';
import type { HookCaller } from './caller.ts';
import { heldPaths, judgeLost, lostEntries, type Problem, pathsOf } from './evaluate.ts';
import { committedPaths, foresee } from './foreseen.ts';
import { makersOf } from './makers.ts';
import { afterRefusedCommit, endMerge } from './next-steps.ts';
import { optionsOf } from './options.ts';
import { overwrittenByGit, tellHolders, tellMakers } from './overwritten.ts';

export interface BeforeCommit {
  readonly forwarded: Forwarded;
  readonly problems: readonly Problem[];
  /** What to run after a refusal. */
  readonly next: readonly string[];
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
    leases: standingReservations(world, at),
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
    return {
      ...refuse([...stands, ...aboutHead(), ...heldPaths(paths, setting)], paths),
      forwarded,
    };
  }
  keepGood(repository, stage);
  const staged = stagedSince(repository, used, head ?? emptyTree(repository.hash));
  if (staged.length === 0 && !mayBeEmpty(repository, caller, env)) {
    // git itself says that there is nothing to commit, unless the index has come to HEAD after it
    // looked.
    return refuse(forwarded.kind === 'forwarded' ? [{ kind: 'nothing' }] : []);
  }
  const foreign = foreignOperation(world, at, caller);
  if (foreign !== null) return refuse([foreign]);
  const merged = mergedWith(repository, env);
  const work = newWork(repository, used, head, staged, merged);
  if (work === null) return { forwarded: { kind: 'unmerged' }, problems: [], next: [] };
  const past = caller.pastStage
    ? staged.map(({ path }): Problem => ({ kind: 'not-staged', path }))
    : [];
  const held = heldPaths(work, setting);
  const gone = lostEntries(vanished(repository, stage, head, staged));
  const problems = [...aboutHead(), ...past, ...held, ...gone];
  noteTrailers(repository, stage, trailersOf(world, at, caller));
  if (problems.length === 0 && !caller.usesUnknownIndex)
    foresee(world, at, caller, { file: used, head, staged }, env);
  if (merged.length === 0 || head === null || held.length === 0)
    return refuse(
      problems,
      staged.map(({ path }) => path),
    );
  const brought = new Set(merged.flatMap((side) => changesByMerge(repository, head, side)));
  const [resolved, swept] = [true, false].map((isBrought) =>
    pathsOf(held).filter((path) => brought.has(path) === isBrought),
  );
  return { ...refuse(problems), next: endMerge(swept ?? [], resolved ?? []) };
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
    if (along?.kind === 'forwarded') bringForward(repository, stage, head);
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
    // What is staged in the one may stand in the way of the other next.
    if (forwarded.kind === 'both')
      forwarded.paths.forEach((one) => both.set(one.path, both.get(one.path) ?? one));
    else if (forwarded.kind === 'forwarded') moved = forwarded;
    else if (forwarded.kind !== 'same') return forwarded;
  }
  return both.size > 0 ? { kind: 'both', paths: [...both.values()] } : moved;
}

/**
 * HEAD is on another branch than when this session last looked, and it was not the session that
 * switched.
 */
export function switchedUnder(repository: Repository, stage: Stage): Problem | null {
  const { name } = headOf(repository);
  const was = branchOf(repository, stage);
  if (was === null || was === '' || name === null || was === name) return null;
  if (isRenamed(repository, was, name)) return null;
  return {
    kind: 'switched',
    from: shortBranch(was),
    to: shortBranch(name),
    by: lastToSwitch(repository),
  };
}

/**
 * A merge or a rebase is the work tree's, so that anybody's commit would end it or land in it: only
 * whoever began it may.
 */
export function foreignOperation(
  { repository }: RealWorld,
  { state }: Observation,
  caller: HookCaller,
): Problem | null {
  if (caller.stage.folder === null && caller.who.isAgent) return null;
  const underWay = anyOperation(repository);
  if (underWay === null) return null;
  const { name, sinceMs } = underWay;
  // The git of a session says who begins, just before it does, and which one it was once it stops.
  const [at = '', agent = '', ...stopped] = (readLocal(repository.gitDir, 'operation') ?? '')
    .trim()
    .split(' ');
  const afterMs = sinceMs - Number(at) * 1_000;
  const isIt =
    stopped.length > 0
      ? isSameOperation(stopped.join(' '), operationMark(repository))
      : afterMs >= 0 && afterMs < limits.leftoverMs;
  const by = isIt && agent !== '' ? agent : null;
  if (by === null ? !caller.who.isAgent : areKin(by, caller.who.name())) return null;
  // Whoever has ended leaves it to anybody.
  if (by !== null && ![...state.agents.values()].some((agent) => agent.name === by)) return null;
  return { kind: 'in-progress', operation: name, by: by ?? 'a person' };
}

/** The last of several picks has no list any more, and is a single one. */
function isSameOperation(noted: string, now: string | null): boolean {
  return (
    noted === now ||
    (noted.startsWith('sequencer/') && /^(CHERRY_PICK|REVERT)_HEAD /.test(now ?? ''))
  );
}

export function shortBranch(ref: string): string {
  return ref.replace(/^refs\/heads\//, '');
}

function forwardProblems(forwarded: Forwarded): readonly Problem[] {
  if (forwarded.kind === 'locked' || forwarded.kind === 'restored')
    return [{ kind: forwarded.kind }];
  return forwarded.kind === 'both' ? changedByBoth(forwarded.paths) : [];
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

/** It is said once: whoever commits again has seen it. */
function switchedOnce(repository: Repository, stage: Stage): readonly Problem[] {
  const switched = switchedUnder(repository, stage);
  if (switched === null) return [];
  noteBranch(repository, stage);
  return [switched];
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

/** Who commits, and on what: the beads that the agent has claimed. */
function trailersOf(
  world: RealWorld,
  { state }: Observation,
  { agent }: HookCaller,
): readonly string[] {
  if (agent === null) return [];
  const now = world.clock.now();
  const claims = [...state.leases.values()].filter(
    (lease) =>
      lease.kind === 'claim' &&
      lease.agent.id === agent.id &&
      phaseOf(lease, now, world.settings.graceMs) !== 'expired',
  );
  return [
    trailerOf(agent),
    ...(claims.length === 1
      ? claims.map((lease) => `Coord-Bead: ${lease.kind === 'claim' ? lease.bead : ''}`)
      : []),
  ];
}

/**
 * What a rebase makes again stays whose it was; a commit that is made on the way has another
 * message.
 */
function isReplay(repository: Repository, file: string): boolean {
  const subject = subjectReplayed(repository);
  return subject !== '' && readText(file).split('\n')[0] === subject;
}

/** Who made it, in the commit itself; a commit that is replayed keeps its own. */
export function signMessage(
  world: RealWorld,
  at: Observation,
  caller: HookCaller,
  file: string,
): void {
  if (isReplay(world.repository, file)) return;
  const trailers = trailersOf(world, at, caller).flatMap((trailer) => ['--trailer', trailer]);
  if (trailers.length > 0)
    gitWithIndex(world.repository, caller.stage.index, [
      'interpret-trailers',
      '--no-divider',
      '--in-place',
      '--if-exists',
      'doNothing',
      ...trailers,
      file,
    ]);
}

/**
 * Duties after HEAD has moved. Never fails: what could not be done now is done by the next hook.
 */
export function afterMove(world: RealWorld, caller: HookCaller): void {
  const { repository } = world;
  const own = repositoryStage(repository);
  if (baseOf(repository, own) !== null) refresh(repository, own);
  if (caller.stage.folder !== null && baseOf(repository, caller.stage) === headOf(repository).oid)
    keepGood(repository, caller.stage);
}

/**
 * Whose merge it was is of no interest once a commit has ended it; of several picks, the last one
 * does.
 */
export function forgetOperation({ repository }: RealWorld): void {
  if (operationMark(repository) === null) dropLocal(repository.gitDir, 'operation');
}

/**
 * A switch of branches has brought the index along; to a branch that is not born yet, an empty one.
 */
export async function afterCheckout(
  world: RealWorld,
  at: Observation,
  caller: HookCaller,
  [old = '', next = '', branch = '']: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<void> {
  const { repository } = world;
  const stage = env['COORD_STAGE'] ?? '';
  const home = stage.replace(/\/coord\/stages\/.*$/, '');
  if (stage !== '' && env['GIT_INDEX_FILE'] === stage && home !== repository.gitDir)
    undoForeignWrite(home, stage);
  const oidOf = (said: string): Oid | null => (/^0*$/.test(said) ? null : said);
  // `checkout --orphan` names a commit, but HEAD has none then, and all that the index holds is
  // staged.
  const base = headOf(repository).oid === null ? null : oidOf(next);
  if (branch === '1' && (baseOf(repository, caller.stage) === oidOf(old) || base === null))
    noteBase(repository, caller.stage, base);
  if (branch === '1') noteSwitch(repository, caller.who.name());
  noteBranch(repository, caller.stage);
  afterMove(world, caller);
  const [from, to] = [oidOf(old), oidOf(next)];
  const isSwitch = branch === '1' && from !== null && to !== null;
  const span = isSwitch ? { from, to } : null;
  if (span !== null) await tellMakers(world, caller, span);
  await tellHolders(world, overwrittenByGit(world, at, caller, env, span));
}

/**
 * Own reservations of nothing but files that are in the commit: a pattern is never done with one of
 * its files.
 */
export function doneWith(
  world: RealWorld,
  { state }: Observation,
  caller: HookCaller,
): readonly string[] {
  const { oid } = headOf(world.repository);
  if (oid === null || caller.agent === null) return [];
  const paths = new Set(changesIn(world.repository, oid).map(({ path }) => path));
  const own = [...state.leases.values()].filter(
    (lease): lease is Reservation =>
      lease.kind === 'reservation' && lease.agent.id === caller.agent?.id,
  );
  return own
    .filter(({ patterns }) => patterns.every((pattern) => paths.has(pathOf(pattern) ?? '')))
    .map(({ id }) => id);
}

/** The commit goes into the log with its agent's next operation. */
export function noteCommit(world: RealWorld, caller: HookCaller): void {
  const { oid } = headOf(world.repository);
  if (oid === null || !caller.who.isAgent) return;
  // A bead is named by the hook before each commit anew.
  if (caller.agent !== null)
    noteTrailers(world.repository, caller.stage, [trailerOf(caller.agent)]);
  world.tally.note(caller.who.name(), {
    what: 'committed',
    ...committedPaths(changesIn(world.repository, oid)),
    at: formatTime(world.clock.now().at),
    commit: oid,
  });
}
