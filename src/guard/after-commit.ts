/** Duties once git has moved HEAD: indexes come along, holders are told, what was done is noted. */

import type { RealWorld } from '../agent/world.ts';
import type { Oid } from '../core/ids.ts';
import { formatTime } from '../core/instant.ts';
import type { Reservation } from '../core/lease.ts';
import { pathOf } from '../core/pattern.ts';
import { keepGood, refresh, undoForeignWrite } from '../draft/stage.ts';
import {
  baseOf,
  noteBase,
  noteBranch,
  noteSwitch,
  noteTrailers,
  repositoryStage,
  trailerOf,
} from '../draft/stage-base.ts';
import { changesIn } from '../git/changes.ts';
import { headOf, operationMark } from '../git/head.ts';
import type { Observation } from '../log/log-store.ts';
import { sharedFiles } from '../shim/files.ts';
import { dropShared } from '../shim/shared-file.ts';
import type { HookCaller } from './caller.ts';
import { committedPaths } from './foreseen.ts';
import { overwrittenByGit, tellHolders, tellMakers } from './overwritten.ts';

/**
 * Duties after HEAD has moved. Never fails: what could not be done now is done by the next hook.
 */
export function afterMove(world: RealWorld, caller: HookCaller): void {
  const { repository } = world;
  const own = repositoryStage(repository);
  if (baseOf(repository, own) !== null) refresh(repository, own);
  if (caller.stage.agentId !== null && baseOf(repository, caller.stage) === headOf(repository).oid)
    keepGood(repository, caller.stage);
}

/**
 * Whose merge it was is of no interest once a commit has ended it; of several picks, the last one
 * does.
 */
export function forgetOperation({ repository }: RealWorld): void {
  if (operationMark(repository) === null) dropShared(repository, sharedFiles.operation);
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
