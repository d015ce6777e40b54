/**
 * A commit that stands in line: brought to HEAD, judged, and put in place by one transaction that moves
 * the branch only if the log still stands where it was read. So a holder that was paused after it was
 * judged is fenced as well, and of many who commit at once all succeed. git's own hooks have their say.
 */
import { readFileSync, rmSync } from 'node:fs';
import { CoordError } from '../core/errors.ts';
import { limits } from '../core/limits.ts';
import type { RealWorld } from '../agent/world.ts';
import { changesBetween } from '../git/commits.ts';
import { headOf, operationUnderWay } from '../git/head.ts';
import { stagedSince, treeOfIndex, withIndexLock } from '../git/index-file.ts';
import { localPath, writeLocal } from '../git/local.ts';
import type { Observation } from '../git/log-store.ts';
import { runPlain, type GitProgram, type GitResult } from '../git/run-git.ts';
import { readRef, zeroOid } from '../git/refs.ts';
import { logRef } from '../git/view.ts';
import { bringForward, emptyTree, keepGood, noteBase, noteBranch } from '../stage/stage.ts';
import { hookCaller, standingReservations, type HookCaller } from './caller.ts';
import { afterMove, switchedUnder } from './commit-hooks.ts';
import { heldBy, lostEntries, type Problem } from './evaluate.ts';
import { vanished } from './vanished.ts';

export type Committed =
  | { readonly kind: 'committed'; readonly oid: string; readonly paths: readonly string[]; readonly tries: number }
  | { readonly kind: 'nothing' }
  | { readonly kind: 'hook'; readonly name: string; readonly said: string }
  | { readonly kind: 'refused'; readonly problems: readonly Problem[]; readonly at: Observation; readonly caller: HookCaller };

export interface CommitWish {
  readonly message: string;
  readonly env: NodeJS.ProcessEnv;
}

/** What git would find in the environment of the shell: who commits, and the stage. */
function ownGit({ git }: RealWorld['repository'], env: NodeJS.ProcessEnv, index: string): GitProgram {
  const said = Object.entries(env).filter(([name]) => /^GIT_(AUTHOR|COMMITTER)_(NAME|EMAIL|DATE)$/.test(name));
  return { ...git, env: { ...git.env, ...Object.fromEntries(said), ...Object.fromEntries(Object.entries(env).filter(([name]) => name.startsWith('COORD_'))), GIT_INDEX_FILE: index } };
}

export async function commitInLine(world: RealWorld, { message, env }: CommitWish): Promise<Committed> {
  const leave = await world.store.enter(true);
  try {
    for (let tries = 1; tries <= limits.swapAttempts; tries += 1) {
      const done = await attempt(world, message, env, tries);
      if (done !== 'moved') return done;
    }
    throw new CoordError('busy', 'HEAD moved again and again', 'try again');
  } finally {
    leave?.();
  }
}

async function attempt(world: RealWorld, message: string, env: NodeJS.ProcessEnv, tries: number): Promise<Committed | 'moved'> {
  const { repository } = world;
  const at = await world.store.observe();
  // Of the log here, read before anything is judged by it: whatever moves it from now on is seen when the branch moves.
  const tip = at.arbiter === undefined ? at.tip : (await world.local.observe()).tip;
  const caller = hookCaller(world, at, { ...env, GIT_INDEX_FILE: env['COORD_STAGE'] ?? '' }, repository.top);
  const { stage } = caller;
  const program = ownGit(repository, env, stage.index);
  const git = (args: readonly string[], input = ''): GitResult => runPlain(program, ['-C', repository.top, ...args], input, repository.top);
  const before = headOf(repository);
  if (operationUnderWay(repository) !== null) {
    throw new CoordError('usage', 'a merge or the like is under way in this work tree', 'git commit ends it, if it is yours');
  }
  const switched = switchedUnder(repository, stage);
  if (switched !== null) {
    noteBranch(repository, stage);
    return { kind: 'refused', at, caller, problems: [switched] };
  }
  const forwarded = withIndexLock(stage.index, () => bringForward(repository, stage, before.oid)) ?? { kind: 'locked' };
  if (forwarded.kind === 'locked' || forwarded.kind === 'restored') return { kind: 'refused', at, caller, problems: [{ kind: forwarded.kind }] };
  if (forwarded.kind === 'both') return { kind: 'refused', at, caller, problems: forwarded.paths.map(({ path }) => ({ kind: 'both', path })) };
  if (forwarded.kind === 'unmerged' || forwarded.kind === 'baseless') throw new CoordError('git_failed', `the stage cannot be committed: ${forwarded.kind}`, 'coord stage status');
  const from = before.oid ?? emptyTree(repository.hash);
  if (stagedSince(repository, stage.index, from).length === 0) return { kind: 'nothing' };
  const file = localPath(repository.gitDir, `message-${process.pid}`);
  writeLocal(repository.gitDir, `message-${process.pid}`, `${message.trimEnd()}\n`);
  try {
    for (const [name, ...args] of [['pre-commit'], ['prepare-commit-msg', file, 'message'], ['commit-msg', file]] as const) {
      const said = git(['hook', 'run', '--ignore-missing', name, '--', ...args]);
      if (said.stderr.includes('is not a git command')) throw new CoordError('git_too_old', 'coord commit needs git 2.36 or newer, which can run hooks', 'git commit');
      if (said.code !== 0) return { kind: 'hook', name, said: said.stderr };
    }
    const staged = stagedSince(repository, stage.index, from);
    const held = heldBy(staged.map(({ path }) => path), { leases: standingReservations(world, at), folding: world.settings.folding, who: caller.who });
    const problems = [...held, ...lostEntries(vanished(repository, stage, before.oid, staged))];
    if (problems.length > 0) return { kind: 'refused', at, caller, problems };
    const tree = treeOfIndex(repository, stage.index);
    if (tree === null) throw new CoordError('git_failed', 'the stage cannot be written as a tree', 'coord stage status');
    const oid = must(git(['commit-tree', tree, ...(before.oid === null ? [] : ['-p', before.oid]), '-F', file]));
    const subject = readFileSync(file, 'utf8').split('\n')[0] ?? '';
    if (!move(world, git, tip, before, oid, subject)) return 'moved';
    noteBase(repository, stage, oid);
    keepGood(repository, stage);
    git(['hook', 'run', '--ignore-missing', 'post-commit']);
    afterMove(world, caller);
    return { kind: 'committed', oid, tries, paths: changesBetween(repository, from, oid).map(({ path }) => path) };
  } finally {
    rmSync(file, { force: true });
  }
}

function must({ code, stdout, stderr }: GitResult): string {
  if (code !== 0) throw new CoordError('git_failed', stderr.split('\n')[0] ?? 'git failed');
  return stdout.toString('utf8').trim();
}

/** The log where it was read, and the branch where it was; or nothing. */
function move({ repository }: RealWorld, git: (args: readonly string[], input?: string) => GitResult, tip: string | null, before: ReturnType<typeof headOf>, oid: string, subject: string): boolean {
  const log = tip === null ? [] : [`update ${logRef}\0${tip}\0${tip}\0`];
  const head = `update HEAD\0${oid}\0${before.oid ?? zeroOid(repository)}\0`;
  const off = ['-c', 'core.hooksPath=/dev/null', '-c', 'hook.reference-transaction.enabled=false', '-c', 'hook.coord-reference-transaction.enabled=false'];
  const answer = git([...off, 'update-ref', '-z', '-m', `commit: ${subject}`, '--stdin'], [...log, head].join(''));
  const now = headOf(repository);
  if (answer.code === 0 || now.oid === oid) return true;
  if (now.oid === before.oid && readRef(repository, logRef) === tip) throw new CoordError('git_failed', `git could not move HEAD: ${answer.stderr.split('\n')[0] ?? ''}`, 'if no git is at work here, take its lock away');
  return false;
}
