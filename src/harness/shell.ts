/**
 * Shell commands: before one runs, what it would do to the work of others is read from it;
 * afterwards, what it did to files is read from the files, because nobody can tell beforehand what
 * a program does.
 */

import { existsSync, realpathSync } from 'node:fs';
import { type HookAnswer, type HookEvent, quiet } from '../adapter/hook-event.ts';
import { type RealWorld, realWorld } from '../agent/world.ts';
import { showAgent } from '../core/agent.ts';
import type { Reservation } from '../core/lease.ts';
import { collide } from '../core/overlap.ts';
import { pathOf } from '../core/pattern.ts';
import { presetFor } from '../core/presets.ts';
import { shellLine } from '../core/shell-line.ts';
import { ofOthers, saveWork, unsavedWork } from '../draft/saved-work.ts';
import { placeAbove } from '../git/repository.ts';
import type { Effects } from '../guard/shell-effects.ts';
import { changedSince, keepLook, look, takeLook } from '../guard/work-tree.ts';
import type { Observation } from '../log/log-store.ts';
import { decisionContext } from '../loop/operate.ts';
import { standingReservations } from '../loop/standing.ts';
import { leaseLine } from '../render/lines.ts';
import type { HarnessAgent } from './agent.ts';
import { attribute } from './attribute.ts';
import { effectsIn, isOfOthers, keysWritten } from './command-effects.ts';
import { news } from './context.ts';
import { beforeEdit } from './edit.ts';
import { sessionFile } from './edit-note.ts';

function lookName({ who }: HarnessAgent, { call }: HookEvent): string {
  return `${sessionFile(who) ?? 'another'}${call !== null && /^[A-Za-z0-9_-]{1,100}$/.test(call) ? `.${call}` : ''}`;
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
  const effects = effectsIn(command, told.cwd);
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
  // A patch in it is an edit, whatever carries it: some programs run it themselves, and tell nobody.
  if (effects.edits.length > 0) {
    const said = await beforeEdit(agent, { ...told, tool: { kind: 'edit', paths: effects.edits } });
    if (said.kind === 'deny') return said;
    // Nothing else is run, so no after comes where the program does it.
    if (effects.commands.every(([name = '']) => /^(cd|(.*\/)?apply_?patch)$/.test(name)))
      return quiet;
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
  const keys = keysWritten(world, effects, cwd);
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

export async function afterShell(agent: HarnessAgent, told: HookEvent): Promise<HookAnswer> {
  const { world } = agent;
  const before = takeLook(world.repository, lookName(agent, told));
  const changed = before === null ? [] : changedSince(world.repository, before);
  const notes =
    changed.length === 0 || before === null
      ? []
      : await attribute(agent, told, changed, before.atMs);
  const said = [...notes, await news(world)].filter((line) => line !== '');
  return told.tool.kind !== 'shell' || said.length === 0
    ? quiet
    : { kind: 'context', text: said.join('\n') };
}
