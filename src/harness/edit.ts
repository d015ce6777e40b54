/**
 * Before an edit: one request that reserves what is about to be edited, or says who has it. Never a
 * look first and a reservation after.
 */
import { existsSync, realpathSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { type HookAnswer, type HookEvent, quiet } from '../adapter/hook-event.ts';
import type { RealWorld } from '../agent/world.ts';
import type { DecisionContext } from '../core/decide/decision.ts';
import { check } from '../core/decide/look.ts';
import { renewEveryMs } from '../core/decide/renew.ts';
import { CoordError } from '../core/errors.ts';
import { elapsedMs, formatTime } from '../core/instant.ts';
import { type Lease, type Mode, phaseOf } from '../core/lease.ts';
import { limits } from '../core/limits.ts';
import { afterRefusal, nobodyAsked } from '../core/next.ts';
import { covers } from '../core/overlap.ts';
import { pathOf } from '../core/pattern.ts';
import { saveWork, unsavedWork } from '../draft/saved-work.ts';
import { localAge, readLocal, writeLocal } from '../git/local.ts';
import { ignored, keyOf, mayBeTracked } from '../git/paths.ts';
import { placeAbove } from '../git/repository.ts';
import { pausedFor } from '../guard/caller.ts';
import type { Observation } from '../log/log-store.ts';
import { refComponent } from '../log/view.ts';
import { decisionContext } from '../loop/operate.ts';
import { reserve } from '../loop/take.ts';
import { refusalWords } from '../render/wording.ts';
import { noteHere } from '../shim/here.ts';
import type { HarnessAgent } from './agent.ts';
import { deniedFiles, deniedFor, deniedLines, deniedPutAway, deniedUnreserved } from './denial.ts';
import { announceAll, type LineEdit, lineEdits } from './edit-lines.ts';
import { noteEdit } from './edit-note.ts';
import { releaseDone } from './lines-done.ts';
import { untilPutBack } from './put-away.ts';
import { refusedStale } from './stale-write.ts';

/**
 * What is this repository's to guard, by key: a link is what it leads to; what git ignores or keeps
 * for itself is nobody's.
 */
export function guardedFiles(
  world: RealWorld,
  cwd: string,
  paths: readonly string[],
): ReadonlyMap<string, string> {
  const { repository } = world;
  const keys = new Map(
    paths.flatMap((path): readonly (readonly [string, string])[] => {
      const file = resolve(cwd, path);
      try {
        const key = keyOf({ repository, cwd }, existsSync(file) ? realpathSync(file) : file, true);
        return /^\.git(\/|$)/.test(key) ? [] : [[path, key]];
      } catch (error) {
        if (error instanceof CoordError && error.code === 'path_outside') return [];
        throw error;
      }
    }),
  );
  const untracked = [...keys.values()]
    .map((key) => pathOf(key))
    .filter((path) => path !== null && !mayBeTracked(repository, path)) as readonly string[];
  const out = untracked.length === 0 ? new Set<string>() : ignored(repository, untracked);
  return new Map([...keys].filter(([, key]) => !out.has(pathOf(key) ?? '')));
}

export function ownLeases(
  world: RealWorld,
  { state }: Observation,
  c: DecisionContext,
): readonly Lease[] {
  const { name } = world.caller();
  return [...state.leases.values()].filter(
    (lease) =>
      lease.kind === 'reservation' &&
      lease.mode !== 'shared' &&
      lease.agent.name === name &&
      phaseOf(lease, c.now, c.graceMs) === 'live',
  );
}

/**
 * Those that answer for these, each for at least one; null where one of them is nobody's or
 * somebody else's.
 */
function answering(
  own: readonly Lease[],
  keys: readonly string[],
  c: DecisionContext,
): readonly Lease[] | null {
  const found = keys.map((key) =>
    own.find(
      (lease) =>
        lease.kind === 'reservation' && lease.patterns.some((held) => covers(held, key, c.folding)),
    ),
  );
  return found.every((lease) => lease !== undefined) ? found : null;
}

export async function beforeEdit(agent: HarnessAgent, told: HookEvent): Promise<HookAnswer> {
  const { world } = agent;
  if (told.tool.kind !== 'edit') return quiet;
  const files = guardedFiles(world, told.cwd, told.tool.paths);
  const keys = [...new Set(files.values())];
  if (keys.length === 0) return quiet;
  const tool = await untilPutBack(world);
  if (tool !== null) return { kind: 'deny', reason: deniedPutAway(keys, tool), isOnce: true };
  if (world.isApart?.() === true) {
    const stale = refusedStale(agent, told.tool.changes, files);
    return stale === null ? quiet : { kind: 'deny', reason: stale, isOnce: true };
  }
  return takeForEdit(agent, { ...told, tool: told.tool }, files, keys);
}

interface Edit extends HookEvent {
  readonly tool: Extract<HookEvent['tool'], { readonly kind: 'edit' }>;
}

async function takeForEdit(
  agent: HarnessAgent,
  told: Edit,
  files: ReadonlyMap<string, string>,
  keys: readonly string[],
): Promise<HookAnswer> {
  const { world, who } = agent;
  const seen = await world.store.observe();
  const c = decisionContext(world, seen);
  const answers = answering(ownLeases(world, seen, c), keys, c);
  // What one holds alone one need not share.
  const lines =
    answers?.every(({ mode }) => mode === 'exclusive') === true
      ? null
      : lineEdits(world, told, keys, (path) => pathOf(files.get(path) ?? ''));
  const isFresh =
    answers?.every(
      (lease) =>
        (lease.mode === 'exclusive' || lines !== null) &&
        lease.edited !== null &&
        elapsedMs(lease.id, lease.renewed, c.now) < renewEveryMs(lease, c),
    ) === true;
  const held = isFresh
    ? null
    : await whileReachable(
        () => refusedEdit(world, keys, seen, told.cwd, lines === null ? 'exclusive' : 'lines'),
        () => answers !== null,
      );
  // Only now that nobody else may write it is it looked at.
  const refusal =
    held ??
    refusedStale(agent, told.tool.changes, files) ??
    (lines === null ? null : await refusedLines(world, keys, lines, told.cwd));
  if (refusal !== null) {
    const paused = pausedFor(world, seen);
    // What was reserved for an edit that is not made would only be in the way of others.
    if (paused === null && held === null && lines !== null)
      await whileReachable(
        () => releaseDone(world).then(() => null),
        () => true,
      );
    if (paused === null)
      return { kind: 'deny', reason: refusal, ...(held === null ? { isOnce: true } : {}) };
    world.tally.note(world.caller().name, {
      what: 'overridden',
      at: formatTime(c.now.at),
      paths: keys.slice(0, 50),
      reason: paused,
    });
    return quiet;
  }
  const after = isFresh ? seen : await world.store.observe();
  const own = ownLeases(world, after, c);
  if (answering(own, keys, c) !== null) {
    noteEdit(world, who, after, own, told.tool.paths);
    notePlaces(told.cwd, told.tool.paths, own[0]?.agent.id);
  }
  if (!isFresh) saveNowAndThen(world, after);
  return quiet;
}

/** It is at work in the work tree of the file, wherever it was started. */
function notePlaces(cwd: string, paths: readonly string[], agentId: string | undefined): void {
  const folders = new Set(paths.map((path) => dirname(resolve(cwd, path))));
  for (const folder of agentId === undefined ? [] : folders) {
    const place = placeAbove(folder);
    if (place !== null) noteHere(place, agentId ?? '');
  }
}

/** Without the server nothing new is granted; what one holds one holds, until its time is over. */
async function whileReachable(
  ask: () => Promise<string | null>,
  holdsThem: () => boolean,
): Promise<string | null> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof CoordError && error.code === 'arbiter_unreachable' && holdsThem())
      return null;
    throw error;
  }
}

/** What an agent has not committed is kept while it edits, every few minutes. */
function saveNowAndThen(world: RealWorld, at: Observation): void {
  const { name } = world.caller();
  const file = `saved/${refComponent(name)}`;
  const { commonDir } = world.repository;
  const last = readLocal(commonDir, file);
  if (last !== null && localAge(commonDir, file) < limits.saveEveryMs) return;
  writeLocal(commonDir, file, '');
  // The first time there is only what was there before it came.
  if (last !== null)
    saveWork(
      world,
      unsavedWork(world, at).filter(({ agent }) => agent?.name === name),
      'it went on',
    );
}

/**
 * What others have in these files and have not committed is in the way, if it is touched; where
 * what becomes of a file cannot be told, one at a time has it.
 */
async function refusedLines(
  world: RealWorld,
  keys: readonly string[],
  edits: readonly LineEdit[],
  cwd: string,
): Promise<string | null> {
  const at = await world.store.observe();
  const inTheWay = await announceAll(world, at, edits);
  if (inTheWay === 'unknown') return refusedEdit(world, keys, at, cwd, 'exclusive');
  const c = decisionContext(world, at);
  const place = { repository: world.repository, cwd, state: at.state, c };
  return inTheWay === null ? null : deniedLines(place, inTheWay.path, inTheWay.ranges);
}

/** Takes or renews it, as far as `coord.edit` says; why not, where it may not be. */
async function refusedEdit(
  world: RealWorld,
  keys: readonly string[],
  at: Observation,
  cwd: string,
  mode: Mode,
): Promise<string | null> {
  const { repository } = world;
  const c = decisionContext(world, at);
  const place = { repository, cwd, state: at.state, c };
  const { edit } = world.settings;
  const looked = edit === 'auto' ? null : check(keys, () => world.caller().name, at.state, c);
  if (looked?.kind === 'held') return deniedFiles(place, keys, looked.blockers);
  if (looked?.kind === 'free') return edit === 'conflict' ? null : deniedUnreserved(place, keys);
  const outcome = await reserve(world, keys, { edited: true, mode });
  if (outcome.kind === 'done') return null;
  const { refusal, at: seen, ctx } = outcome;
  return refusal.kind === 'held' || refusal.kind === 'grace'
    ? deniedFiles({ ...place, state: seen.state, c: ctx }, keys, refusal.blockers, refusal.ahead)
    : deniedFor(keys, refusalWords(refusal), afterRefusal(refusal, nobodyAsked));
}
