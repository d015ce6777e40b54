/**
 * Telling holders what became of their files: what a command might overwrite is compared afterwards
 * with how it was before, and each holder whose file is another by then finds it in the inbox.
 */

import { join } from 'node:path';
import type { RealWorld } from '../agent/world.ts';
import { agentShown } from '../core/agent.ts';
import { decideTell } from '../core/decide/tell.ts';
import type { Event } from '../core/event.ts';
import { areKin, type Oid } from '../core/ids.ts';
import type { AgentName, Reservation } from '../core/lease.ts';
import { limits } from '../core/limits.ts';
import { collide } from '../core/overlap.ts';
import { literal } from '../core/pattern.ts';
import { lineFileAt } from '../draft/line-store.ts';
import { whoHides } from '../draft/put-away.ts';
import { snapshotsIn } from '../draft/snapshot.ts';
import { statOf } from '../draft/vanished.ts';
import { changesBetween } from '../git/changes.ts';
import { entryAt } from '../git/files-at.ts';
import { startedAt } from '../git/git-command.ts';
import { gitWithIndex } from '../git/index-file.ts';
import { hashObject } from '../git/objects.ts';
import { withSubmodules } from '../git/path-changes.ts';
import { readRegular } from '../git/regular-file.ts';
import { lost } from '../git/replay.ts';
import type { Observation } from '../log/log-store.ts';
import { operate } from '../loop/operate.ts';
import { standingReservations } from '../loop/standing.ts';
import { sharedFiles } from '../shim/files.ts';
import { isHere } from '../shim/here.ts';
import { dropShared, readShared, writeShared } from '../shim/shared-file.ts';
import type { HookCaller } from './caller.ts';
import { judgeLost } from './evaluate.ts';
import { makersOf } from './makers.ts';

interface Touched {
  readonly path: string;
  readonly agent: AgentName;
}

interface Watched extends Touched {
  readonly mark: string;
}

function markOf(file: string): string {
  const stat = statOf(file);
  return stat === undefined ? 'gone' : `${stat.ino} ${stat.size} ${stat.mtimeMs} ${stat.ctimeMs}`;
}

/** How these are now, for the look after the command. */
export function watch({ repository }: RealWorld, shim: string, touched: readonly Touched[]): void {
  const watched = touched.map(
    ({ path, agent }): Watched => ({ path, agent, mark: markOf(join(repository.top, path)) }),
  );
  writeShared(repository, sharedFiles.watched, [shim], { files: JSON.stringify(watched) });
}

/** Those of them that are not as they were. */
export function endWatch({ repository }: RealWorld, shim: string): readonly Touched[] {
  return takeWatched({ repository }, shim).filter(
    ({ path, mark }) => markOf(join(repository.top, path)) !== mark,
  );
}

/** Kept for the moment when git says that an update has gone through. */
export function takeWatched(
  { repository }: Pick<RealWorld, 'repository'>,
  name: string,
): readonly Watched[] {
  const text = readShared(repository, sharedFiles.watched, name);
  dropShared(repository, sharedFiles.watched, name);
  return text === null ? [] : (JSON.parse(text) as readonly Watched[]);
}

export interface Span {
  readonly from: Oid;
  readonly to: Oid;
}

type HeldHere = readonly Reservation[];

function othersHere(world: RealWorld, at: Observation): HeldHere {
  const me = world.caller().name;
  return standingReservations(world, at).filter(
    ({ agent }) => !areKin(agent.name, me) && isHere(world.repository, agent.id),
  );
}

function touchedAmong(
  world: RealWorld,
  leases: HeldHere,
  paths: readonly string[],
): readonly Touched[] {
  const { folding } = world.settings;
  return paths.flatMap((path) => {
    const key = literal(path);
    const holders = leases.filter(({ patterns }) =>
      patterns.some((held) => collide(held, key, folding)),
    );
    return holders.map(({ agent }) => ({ path, agent }));
  });
}

/**
 * Files of others that the git behind a hook has written since it began, other than what lies
 * between two commits: it has put the index's content in the place of what was there.
 */
export function overwrittenByGit(
  world: RealWorld,
  at: Observation,
  caller: HookCaller,
  env: NodeJS.ProcessEnv,
  span: Span | null,
): readonly Touched[] {
  const { repository } = world;
  const startedMs = startedAt(env['COORD_GIT_PID']);
  const leases = othersHere(world, at);
  if (leases.length === 0 || startedMs === null) return [];
  const ask = (...args: readonly string[]): readonly string[] =>
    gitWithIndex(repository, caller.stage.index, args).stdout.toString('utf8').split('\0');
  const isFresh = ({ path }: Touched): boolean =>
    (statOf(join(repository.top, path))?.ctimeMs ?? 0) >= startedMs - clockTicksMs;
  const fresh = touchedAmong(world, leases, ask('ls-files', '-z')).filter(isFresh);
  if (fresh.length === 0) return [];
  const moved =
    span === null ? [] : changesBetween(repository, span.from, span.to).map(({ path }) => path);
  const other = new Set([...moved, ...ask('diff-files', withSubmodules, '--name-only', '-z')]);
  return fresh.filter(({ path }) => !other.has(path));
}

/**
 * Files of others that are another commit's by this move, and those that git overwrote on the way.
 */
export function touchedByMove(
  world: RealWorld,
  at: Observation,
  caller: HookCaller,
  env: NodeJS.ProcessEnv,
  span: Span,
): readonly Touched[] {
  const leases = othersHere(world, at);
  if (leases.length === 0) return [];
  const paths = changesBetween(world.repository, span.from, span.to).map(({ path }) => path);
  return [...touchedAmong(world, leases, paths), ...overwrittenByGit(world, at, caller, env, span)];
}

/** A tick of the clock that tells how old a process is, and one of that which dates files. */
const clockTicksMs = 20;

/**
 * After a command: what is gone from files of others; not what is there as it was kept before. Whose
 * lines are gone from a file that several share is found by the look at their lines.
 */
export async function tellOverwritten(
  world: RealWorld,
  touched: readonly Touched[],
  facts: Readonly<Record<string, unknown>> = {},
): Promise<void> {
  const { repository } = world;
  if (touched.length === 0) return;
  const saved = snapshotsIn(repository);
  const isGone = ({ path, agent }: Touched): boolean => {
    if (lineFileAt(repository, path) !== null) return false;
    const newest = saved.find(({ agentId }) => agentId === agent.id);
    const kept = newest === undefined ? null : entryAt(repository, newest.commit, path);
    const file = join(repository.top, path);
    const found = readRegular(file, limits.sharedFileBytes);
    if (kept === null || found.kind !== 'file') return true;
    const mode = ((statOf(file)?.mode ?? 0) & 0o111) === 0 ? '100644' : '100755';
    const { oid } = hashObject(repository, 'blob', found.bytes);
    return kept !== `${mode} ${oid}`;
  };
  await tellHolders(world, touched.filter(isGone), facts);
}

/**
 * One operation tells each holder which of its files were overwritten, and where they are kept; not
 * of what a hook has put away and will put back.
 */
export async function tellHolders(
  world: RealWorld,
  touched: readonly Touched[],
  facts: Readonly<Record<string, unknown>> = {},
): Promise<void> {
  if (touched.length === 0 || whoHides(world.repository) !== null) return;
  const saved = snapshotsIn(world.repository);
  const holders = new Map(touched.map(({ agent }) => [agent.id, agent]));
  const eventOf = (agent: AgentName, by: AgentName): Event => ({
    event: 'overwritten',
    agent,
    by,
    ...facts,
    patterns: touched
      .filter((one) => one.agent.id === agent.id)
      .map(({ path }) => path)
      .slice(0, 20),
    saved: saved.find(({ agentId }) => agentId === agent.id)?.id ?? null,
  });
  await operate(world, (state, c) =>
    decideTell(
      world.caller(),
      (by) => [...holders.values()].map((agent) => eventOf(agent, by)),
      state,
      c,
    ),
  );
}

/** Commits of others that HEAD has left on no branch: git asks nobody before it switches. */
export async function tellMakers(world: RealWorld, caller: HookCaller, span: Span): Promise<void> {
  const { repository } = world;
  const gone = lost(repository, ['HEAD'], [span.from], [span.to]);
  const makerOf = makersOf(repository);
  const left = judgeLost(gone, caller.who, makerOf).flatMap((problem): readonly Event[] => {
    if (problem.kind !== 'lost') return [];
    const agent = agentShown(makerOf(problem.commit) ?? '');
    return agent === null ? [] : [{ event: 'overwritten', agent, commit: problem.commit.oid }];
  });
  if (left.length === 0) return;
  await operate(world, (state, c) =>
    decideTell(world.caller(), (by) => left.map((event) => ({ ...event, by })), state, c),
  );
}
