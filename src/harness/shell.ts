/**
 * Shell commands: before one runs, what it would do to the work of others is read from it;
 * afterwards, what it did to files is read from the files, because nobody can tell beforehand what
 * a program does.
 */

import { existsSync, realpathSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type HookAnswer, type HookEvent, quiet } from '../adapter/hook-event.ts';
import { type RealWorld, realWorld } from '../agent/world.ts';
import { showAgent } from '../core/agent.ts';
import { CoordError } from '../core/errors.ts';
import { areKin } from '../core/ids.ts';
import type { AgentName, Lease, Reservation } from '../core/lease.ts';
import { collide, covers } from '../core/overlap.ts';
import { literal, pathOf } from '../core/pattern.ts';
import { presetFor } from '../core/presets.ts';
import { shellLine } from '../core/shell-line.ts';
import { ofOthers, saveWork, unsavedWork } from '../draft/saved-work.ts';
import { listLocal } from '../git/local.ts';
import { keyOf } from '../git/paths.ts';
import { placeAbove } from '../git/repository.ts';
import { tellHolders } from '../guard/overwritten.ts';
import { type Effects, effectsOf } from '../guard/shell-effects.ts';
import { changedSince, keepLook, look, takeLook } from '../guard/work-tree.ts';
import type { Observation } from '../log/log-store.ts';
import { decisionContext } from '../loop/operate.ts';
import { standingReservations } from '../loop/standing.ts';
import { reserve } from '../loop/take.ts';
import { leaseLine } from '../render/lines.ts';
import { sharedFiles } from '../shim/files.ts';
import { sharedPath } from '../shim/shared-file.ts';
import type { HarnessAgent } from './agent.ts';
import { news } from './context.ts';
import { sessionFile } from './edit-note.ts';

function lookName({ who }: HarnessAgent, { call }: HookEvent): string {
  return `${sessionFile(who) ?? 'another'}${call !== null && /^[A-Za-z0-9_-]{1,100}$/.test(call) ? `.${call}` : ''}`;
}

function isOfOthers(world: RealWorld): (of: { readonly agent: AgentName }) => boolean {
  const { name } = world.caller();
  return ({ agent }) => !areKin(agent.name, name);
}

/** `environment` is what the command has to begin with, as lines. */
export async function beforeShell(
  agent: HarnessAgent,
  told: HookEvent,
  environment: () => Promise<readonly string[]>,
): Promise<HookAnswer> {
  if (told.tool.kind !== 'shell') return quiet;
  const { world } = agent;
  const { command } = told.tool;
  const at = await world.store.observe();
  const effects = effectsOf(
    command,
    told.cwd,
    existsSync,
    (file) => statSync(file, { throwIfNoEntry: false })?.isDirectory() === true,
  );
  const unlocked = withoutLock(world, effects);
  if (unlocked !== null) return { kind: 'deny', reason: unlocked };
  const others = standingReservations(world, at).filter(isOfOthers(world));
  if (others.length > 0) {
    const unsaved = unsavedWork(world, at);
    const theirs = ofOthers(world, unsaved);
    const reason = atStake(world, at, told.cwd, effects, others, theirs);
    if (reason !== null) return { kind: 'deny', reason };
    // Whatever the command does to it, what is there now is kept.
    if (theirs.length > 0) saveWork(world, theirs, `a command of ${world.caller().name}`);
  }
  // Files of others are looked at even if they are as they were committed.
  const guarded = others.flatMap(({ patterns }) =>
    patterns.flatMap((pattern) => pathOf(pattern) ?? []),
  );
  keepLook(
    world.repository,
    lookName(agent, told),
    look(world.repository, world.clock.now().at, guarded),
    guarded,
  );
  const lines = effects.isOurs ? await environment() : [];
  return lines.length === 0 ? quiet : { kind: 'rewrite', command: [...lines, command].join('; ') };
}

/** A command that the team runs one at a time, and the line that does so. */
function withoutLock({ settings }: RealWorld, { commands }: Effects): string | null {
  for (const words of commands) {
    const preset = presetFor(words, settings.presets);
    if (preset !== null)
      return `coord: '${words.join(' ')}' is run under the lock ${preset.lock} here, one at a time (coord.presets).\nNext: ${shellLine('coord', 'run', '--', ...words)}`;
  }
  return null;
}

/** Unsaved work of others in the work tree around a folder, if it is one of this repository's. */
function unsavedIn(
  world: RealWorld,
  at: Observation,
  folder: string,
  here: ReturnType<typeof ofOthers>,
): ReturnType<typeof ofOthers> {
  const place = existsSync(folder) ? placeAbove(folder) : null;
  if (place === null || realpathSync(place.commonDir) !== realpathSync(world.repository.commonDir))
    return [];
  if (realpathSync(place.top) === realpathSync(world.repository.top)) return here;
  return ofOthers(
    world,
    unsavedWork(realWorld({ cwd: place.top, env: world.repository.git.env }), at),
  );
}

/** Whose work the command would wipe or write over, and what to do instead. */
function atStake(
  world: RealWorld,
  at: Observation,
  cwd: string,
  effects: Effects,
  others: readonly Reservation[],
  unsaved: ReturnType<typeof ofOthers>,
): string | null {
  const { settings } = world;
  const wiped = effects.wipesIn.flatMap((folder) => unsavedIn(world, at, folder, unsaved));
  if (wiped.length > 0) {
    return [
      'coord: this command would wipe or take along unsaved work of others:',
      ...wiped.slice(0, 10).map(({ path, agent }) => `  ${path}: ${showAgent(agent)}`),
      'Next: name your own files instead, such as git restore -- <path>, git commit -- <path>, git stash push -- <path>',
    ].join('\n');
  }
  const keys = effects.writes.flatMap((file) => keysOf(world, cwd, file));
  const hit = others.filter((lease) =>
    lease.patterns.some((held) => keys.some((key) => collide(held, key, settings.folding))),
  );
  if (hit.length === 0) return null;
  const c = decisionContext(world, at);
  return [
    'coord: this command would change files that others hold:',
    ...hit.slice(0, 10).map((lease) => `  ${leaseLine(lease, at.state, c)}`),
    'Next: leave them out, or wait: coord reserve --wait 2m -- <path>',
  ].join('\n');
}

function keysOf({ repository }: RealWorld, cwd: string, file: string): readonly string[] {
  try {
    return [keyOf({ repository, cwd }, existsSync(file) ? realpathSync(file) : file, false)];
  } catch (error) {
    if (error instanceof CoordError) return [];
    throw error;
  }
}

export async function afterShell(agent: HarnessAgent, told: HookEvent): Promise<HookAnswer> {
  const { world } = agent;
  const before = takeLook(world.repository, lookName(agent, told));
  const changed = before === null ? [] : changedSince(world.repository, before);
  const notes =
    changed.length === 0 || before === null ? [] : await attribute(agent, changed, before.atMs);
  const said = [...notes, await news(world)].filter((line) => line !== '');
  return told.tool.kind !== 'shell' || said.length === 0
    ? quiet
    : { kind: 'context', text: said.join('\n') };
}

/**
 * Free files are reserved for whoever changed them; a holder whose file was changed learns of it,
 * and so does who did.
 */
async function attribute(
  agent: HarnessAgent,
  changed: readonly string[],
  sinceMs: number,
): Promise<readonly string[]> {
  const { world } = agent;
  const at = await world.store.observe();
  const others = standingReservations(world, at).filter(isOfOthers(world));
  const holderOf = (path: string): Lease | undefined =>
    others.find((lease) =>
      lease.patterns.some((held) => collide(held, literal(path), world.settings.folding)),
    );
  const { name } = world.caller();
  const own = standingReservations(world, at).filter((lease) => lease.agent.name === name);
  const isOwn = (path: string): boolean =>
    own.some((lease) =>
      lease.patterns.some((held) => covers(held, literal(path), world.settings.folding)),
    );
  const free = changed.filter((path) => holderOf(path) === undefined && !isOwn(path));
  const hit = changed.flatMap((path) => {
    const lease = holderOf(path);
    return lease === undefined || editedByItself(world, path, sinceMs) ? [] : [{ path, lease }];
  });
  await tellHolders(
    world,
    hit.map(({ path, lease }) => ({ path, agent: lease.agent })),
  );
  if (world.settings.edit === 'auto')
    for (let i = 0; i < Math.min(free.length, 256); i += 64)
      await reserve(world, free.slice(i, i + 64).map(literal), { edited: true });
  return hit.length === 0
    ? []
    : [
        'coord: your command changed files that others hold; what was there before is kept (coord rescue list):',
        ...hit.slice(0, 10).map(({ path, lease }) => `  ${path}: ${showAgent(lease.agent)}`),
        'Undo your change to them, unless it was meant, and tell their holders.',
      ];
}

/** Some session's edit tool was at this file in the meantime, as its note tells. */
function editedByItself({ repository }: RealWorld, path: string, sinceMs: number): boolean {
  const file = join(repository.top, path);
  return listLocal(repository.commonDir, 'edits').some(
    (session) =>
      (statSync(sharedPath(repository, sharedFiles.edit, session, resolve(file)), {
        throwIfNoEntry: false,
      })?.mtimeMs ?? 0) >= sinceMs,
  );
}
