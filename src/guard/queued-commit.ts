/**
 * A commit that stands in line: brought to HEAD, judged, and put in place by one transaction that
 * moves the branch only if the log still stands where it was read. So a holder that was paused
 * after it was judged is fenced as well, and of many who commit at once all succeed. git's own
 * hooks have their say.
 */

import { rmSync } from 'node:fs';
import type { RealWorld } from '../agent/world.ts';
import { CoordError } from '../core/errors.ts';
import { formatTime } from '../core/instant.ts';
import { limits } from '../core/limits.ts';
import { bringForward, keepGood } from '../draft/stage.ts';
import { emptyTree, noteBase, noteBranch } from '../draft/stage-base.ts';
import { vanished } from '../draft/vanished.ts';
import { type Head, headOf, operationUnderWay, readText } from '../git/head.ts';
import { stagedSince, treeOfIndex, withIndexLock } from '../git/index-file.ts';
import { localPath, writeLocal } from '../git/local.ts';
import type { PathChange } from '../git/path-changes.ts';
import { readRef, zeroOid } from '../git/refs.ts';
import type { Observation } from '../log/log-store.ts';
import { logRef } from '../log/view.ts';
import { afterMove } from './after-commit.ts';
import { aboutProblems } from './audit.ts';
import { type HookCaller, hookCaller, pausedFor } from './caller.ts';
import { changedByBoth } from './commit-hooks.ts';
import { heldPaths, lostEntries, type Problem } from './evaluate.ts';
import { lookAtAllLines } from './overwritten-lines.ts';
import { leasesAgainst, takeOwnLines } from './sharing.ts';
import { stageFirst } from './stage-first.ts';
import { switchedUnder } from './under-way.ts';
import { expectSuccess, type RefusedByHook, runHooks, type UserGit, userGit } from './user-git.ts';

export type Committed =
  | {
      readonly kind: 'committed';
      readonly oid: string;
      readonly paths: readonly string[];
      readonly tries: number;
    }
  | { readonly kind: 'nothing' }
  | RefusedByHook
  | RefusedCommit;

interface RefusedCommit {
  readonly kind: 'refused';
  readonly problems: readonly Problem[];
  readonly staged: readonly string[];
  readonly at: Observation;
  readonly caller: HookCaller;
}

interface CommitWish {
  readonly message: string;
  /** What of the work tree is staged first: all that git knows, or these files. */
  readonly takes?: 'all' | readonly string[];
  readonly env: NodeJS.ProcessEnv;
}

interface Attempt {
  readonly world: RealWorld;
  readonly env: NodeJS.ProcessEnv;
  readonly git: UserGit;
  /** The message, in a file that the hooks may change. */
  readonly file: string;
  readonly isOfAll: boolean;
}

/**
 * The user's hooks run once and hold up nobody; only the judgement and the step that moves the
 * branch are in line.
 */
export async function commitInLine(
  world: RealWorld,
  { message, takes = [], env }: CommitWish,
): Promise<Committed> {
  const { repository } = world;
  const entered = await enter(world, env);
  if ('kind' in entered) return entered;
  const { stage } = entered.caller;
  const name = `message-${process.pid}`;
  const attempt: Attempt = {
    world,
    env,
    git: userGit(repository, env, stage.index),
    file: localPath(repository.gitDir, name),
    isOfAll: takes === 'all',
  };
  const { leftOut, putBack } = stageFirst(world, attempt.git, entered, takes);
  let done: Committed | undefined;
  try {
    const first = await look(attempt, entered);
    if ('kind' in first) {
      const isEmpty = first.kind === 'nothing' && leftOut.length > 0;
      return isEmpty ? refusal(entered, leftOut) : first;
    }
    writeLocal(repository.gitDir, name, `${message.trimEnd()}\n`);
    done = runHooks(attempt.git, attempt.file) ?? (await inLine(attempt));
    return done;
  } finally {
    if (done?.kind !== 'committed') putBack();
    rmSync(attempt.file, { force: true });
  }
}

async function inLine(attempt: Attempt): Promise<Committed> {
  const leave = await attempt.world.store.enter(true);
  try {
    for (let tries = 1; tries <= limits.swapAttempts; tries += 1) {
      const done = await tryOnce(attempt, tries);
      if (done !== 'moved') return done;
    }
    throw new CoordError('busy', 'HEAD moved again and again', 'try again');
  } finally {
    leave?.();
  }
}

interface Entered {
  readonly at: Observation;
  /**
   * Of the log here, read before anything is judged by it: whatever moves it from now on is seen
   * when the branch moves.
   */
  readonly tip: string | null;
  readonly caller: HookCaller;
  readonly before: Head;
}

interface Prepared extends Entered {
  readonly staged: readonly PathChange[];
}

function refusal({ at, caller }: Entered, problems: readonly Problem[]): RefusedCommit {
  return { kind: 'refused', at, caller, problems, staged: [] };
}

/** The log as it is, and the index at HEAD; or why it is not. */
async function enter(world: RealWorld, env: NodeJS.ProcessEnv): Promise<Entered | RefusedCommit> {
  const { repository } = world;
  const at = await world.store.observe();
  const tip = at.remote === undefined ? at.tip : (await world.local.observe()).tip;
  const used = { ...env, GIT_INDEX_FILE: env['COORD_STAGE'] ?? '' };
  const caller = hookCaller(world, at, used, repository.top);
  const { stage } = caller;
  const entered: Entered = { at, tip, caller, before: headOf(repository) };
  if (operationUnderWay(repository) !== null) {
    throw new CoordError(
      'usage',
      'a merge, cherry-pick or revert is in progress in this work tree',
      'git commit ends it, if it is yours',
    );
  }
  const switched = switchedUnder(repository, stage);
  if (switched !== null) {
    noteBranch(repository, stage);
    return refusal(entered, [switched]);
  }
  const forwarded = withIndexLock(stage.index, () =>
    bringForward(repository, stage, entered.before.oid),
  ) ?? { kind: 'locked' };
  if (forwarded.kind === 'locked' || forwarded.kind === 'restored')
    return refusal(entered, [{ kind: forwarded.kind }]);
  if (forwarded.kind === 'both') return refusal(entered, changedByBoth(forwarded.paths));
  if (forwarded.kind === 'unmerged' || forwarded.kind === 'baseless')
    throw new CoordError(
      'git_failed',
      `the stage cannot be committed: ${forwarded.kind}`,
      'coord stage status',
    );
  return entered;
}

/** What is staged now, without what others have in these files. */
async function look(
  { world, isOfAll }: Attempt,
  entered: Entered,
): Promise<Prepared | Extract<Committed, { kind: 'nothing' | 'refused' }>> {
  const { repository } = world;
  const { at, caller, before } = entered;
  const { index } = caller.stage;
  await lookAtAllLines(world, at);
  const own = takeOwnLines(world, at, caller, [index], before.oid, isOfAll);
  if (own.problems.length > 0) return refusal(entered, own.problems);
  const staged = stagedSince(repository, index, before.oid ?? emptyTree(repository.hash));
  if (staged.length === 0 && own.leftOut.length > 0) return refusal(entered, own.leftOut);
  return staged.length === 0 ? { kind: 'nothing' } : { ...entered, staged };
}

async function tryOnce(attempt: Attempt, tries: number): Promise<Committed | 'moved'> {
  const { world, env, git, file } = attempt;
  const { repository } = world;
  const entered = await enter(world, env);
  const prepared = 'kind' in entered ? entered : await look(attempt, entered);
  if ('kind' in prepared) return prepared;
  const { at, tip, caller, before, staged } = prepared;
  const { stage } = caller;
  const setting = {
    leases: leasesAgainst(world, at, caller, staged),
    folding: world.settings.folding,
    who: caller.who,
  };
  const paths = staged.map(({ path }) => path);
  const problems = [
    ...heldPaths(paths, setting),
    ...lostEntries(vanished(repository, stage, before.oid, staged)),
  ];
  const paused = pausedFor(world, at);
  if (problems.length > 0 && paused === null)
    return { kind: 'refused', at, caller, problems, staged: paths };
  if (problems.length > 0)
    world.tally.note(caller.who.name(), {
      what: 'overridden',
      at: formatTime(world.clock.now().at),
      ...aboutProblems(problems),
      reason: paused,
    });
  const tree = treeOfIndex(repository, stage.index);
  if (tree === null)
    throw new CoordError(
      'git_failed',
      'the stage cannot be written as a tree',
      'coord stage status',
    );
  const oid = expectSuccess(
    git(['commit-tree', tree, ...(before.oid === null ? [] : ['-p', before.oid]), '-F', file]),
  );
  const subject = readText(file).split('\n')[0] ?? '';
  if (!move(world, git, tip, before, oid, subject)) return 'moved';
  noteBase(repository, stage, oid);
  keepGood(repository, stage);
  git(['hook', 'run', '--ignore-missing', 'post-commit']);
  afterMove(world, caller);
  return { kind: 'committed', oid, tries, paths };
}

/** The log where it was read, and the branch where it was; or nothing. */
function move(
  { repository }: RealWorld,
  git: UserGit,
  tip: string | null,
  before: Head,
  oid: string,
  subject: string,
): boolean {
  const log = tip === null ? [] : [`update ${logRef}\0${tip}\0${tip}\0`];
  const head = `update HEAD\0${oid}\0${before.oid ?? zeroOid(repository)}\0`;
  const off = [
    '-c',
    'core.hooksPath=/dev/null',
    '-c',
    'hook.reference-transaction.enabled=false',
    '-c',
    'hook.coord-reference-transaction.enabled=false',
  ];
  const answer = git(
    [...off, 'update-ref', '-z', '-m', `commit: ${subject}`, '--stdin'],
    [...log, head].join(''),
  );
  const now = headOf(repository);
  if (answer.code === 0 || now.oid === oid) return true;
  if (now.oid === before.oid && readRef(repository, logRef) === tip)
    throw new CoordError(
      'git_failed',
      `git could not move HEAD: ${answer.stderr.split('\n')[0] ?? ''}`,
      'if no git is at work here, take its lock away',
    );
  return false;
}
