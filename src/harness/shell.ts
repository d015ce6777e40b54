/**
 * Shell commands: before one runs, what it would do to the work of others is read from it;
 * afterwards, what it did to files is read from the files, because nobody can tell beforehand what
 * a program does.
 */

import { existsSync, realpathSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Harness } from '../adapter/harness.ts';
import { type HookAnswer, type HookEvent, quiet } from '../adapter/hook-event.ts';
import { type RealWorld, realWorld } from '../agent/world.ts';
import type { Reservation } from '../core/lease.ts';
import { limits } from '../core/limits.ts';
import { collide, covers } from '../core/overlap.ts';
import type { Change } from '../core/patch-text.ts';
import { pathOf } from '../core/pattern.ts';
import { presetFor } from '../core/presets.ts';
import { dropCommand, noteCommand } from '../draft/maybe-by.ts';
import { ofOthers, saveWork, unsavedWork } from '../draft/saved-work.ts';
import { wallAge } from '../git/local.ts';
import { placeAbove } from '../git/repository.ts';
import { pausedFor } from '../guard/caller.ts';
import { lookAtAllLines } from '../guard/overwritten-lines.ts';
import { keepBefore, occupied, removedByCommand } from '../guard/removal.ts';
import type { Effects } from '../guard/shell-effects.ts';
import { undoInstead } from '../guard/undo-instead.ts';
import { changedSince, dropLook, readLook } from '../guard/work-tree.ts';

import type { Observation } from '../log/log-store.ts';
import { decisionContext } from '../loop/operate.ts';
import { isSharedHere, reservationsHere } from '../loop/standing.ts';
import type { HarnessAgent } from './agent.ts';
import { attribute } from './attribute.ts';
import { effectsIn, isOfOthers, keysOfFiles, keysWritten } from './command-effects.ts';
import { news } from './context.ts';
import {
  deniedFiles,
  deniedPuttingBack,
  deniedRemoval,
  deniedUnlocked,
  deniedWiping,
} from './denial.ts';
import { beforeEdit, guardedFiles } from './edit.ts';
import { announceAll, lineEdits } from './edit-lines.ts';
import { sessionFile } from './edit-note.ts';
import { releaseDone } from './lines-done.ts';
import { lookNow } from './look-now.ts';
import { dropOpen, noteOpen } from './open-shell.ts';
import { tellUndone } from './stale-found.ts';
import { refusedStale } from './stale-write.ts';
import { noteHead, refusedCommit } from './unheard-git.ts';

function lookName({ who }: HarnessAgent, { call }: HookEvent): string {
  return `${sessionFile(who) ?? 'another'}${call !== null && /^[A-Za-z0-9_-]{1,100}$/.test(call) ? `.${call}` : ''}`;
}

interface Shell {
  /** What the command has to begin with. */
  lines(): Promise<readonly string[]>;
  /** The program whose shell keeps what git does from us. */
  readonly unheard: Harness | null;
}

export async function beforeShell(
  agent: HarnessAgent,
  told: HookEvent,
  shell: Shell,
): Promise<HookAnswer> {
  if (told.tool.kind !== 'shell') return quiet;
  const { world } = agent;
  const { command } = told.tool;
  const at = await world.store.observe();
  const effects = effectsIn(command, told.cwd);
  const unlocked = withoutLock(world, effects);
  if (unlocked !== null) return { kind: 'deny', reason: unlocked };
  const others = reservationsHere(world, at).filter(isOfOthers(world));
  if (others.length > 0) {
    await lookAtAllLines(world, at);
    const unsaved = unsavedWork(world, at);
    const theirs = ofOthers(world, unsaved);
    const reason = atStake(world, at, told.cwd, effects, others, unsaved);
    if (reason !== null) return { kind: 'deny', reason };
    // Whatever the command does to it, what is there now is kept.
    if (theirs.length > 0) saveWork(world, theirs, `a command of ${world.caller().name}`);
  }
  const taken = takenAway(world, at, told.tool.command, effects);
  if (taken !== null) return { kind: 'deny', reason: taken };
  const name = lookName(agent, told);
  if (shell.unheard !== null) {
    const reason = refusedCommit(shell.unheard, agent, at, effects);
    if (reason !== null) return { kind: 'deny', reason };
  }
  // A patch in it is an edit, whatever carries it: some programs run it themselves, and tell nobody.
  if (effects.edits.length > 0) {
    const changes = effects.changes.filter(({ path }) => effects.edits.includes(path));
    const tool = { kind: 'edit', paths: effects.edits, changes } as const;
    const said = await beforeEdit(agent, { ...told, tool });
    if (said.kind === 'deny') return said;
    // Nothing else is run, so no after comes where the program does it.
    if (effects.commands.every(([name = '']) => /^(cd|(.*\/)?apply_?patch)$/.test(name)))
      return quiet;
  }
  const whole = effects.changes.filter(({ path }) => !effects.edits.includes(path));
  const files = guardedFiles(
    world,
    told.cwd,
    whole.map(({ path }) => path),
  );
  const stale = refusedStale(agent, whole, files);
  if (stale !== null && pausedFor(world, at) === null)
    return { kind: 'deny', reason: stale, isOnce: true };
  await announceWhole(world, at, told, whole, files);
  await lookNow(agent, name);
  noteCommand(world.repository, name, command);
  if (shell.unheard !== null) noteHead(agent, name, effects);
  noteOpen(agent, name, effects);
  const lines = effects.isOurs ? await shell.lines() : [];
  return lines.length === 0 ? quiet : { kind: 'rewrite', command: [...lines, command].join('; ') };
}

/** Who is in a work tree that would go; what is in it is kept. */
function takenAway(
  world: RealWorld,
  at: Observation,
  command: string,
  effects: Effects,
): string | null {
  const going = removedByCommand(world, effects);
  // Also where it is let past: then nobody else keeps it.
  for (const tree of going) keepBefore(world, at, tree, command.slice(0, limits.commandChars));
  const [first] = pausedFor(world, at) === null ? occupied(world, at, going) : [];
  return first === undefined ? null : deniedRemoval(first);
}

/** A text that the command writes as a whole is known before: what of it is new is its agent's. */
async function announceWhole(
  world: RealWorld,
  at: Observation,
  told: HookEvent,
  changes: readonly Change[],
  files: ReadonlyMap<string, string>,
): Promise<void> {
  const keys = [...new Set(files.values())];
  const tool = { kind: 'edit', paths: [...files.keys()], changes } as const;
  const keyOfOne = (path: string): string | null => pathOf(files.get(path) ?? '');
  const edits = keys.length === 0 ? null : lineEdits(world, { ...told, tool }, keys, keyOfOne);
  // What is in its way is found by the look after it: a shell writes what it likes.
  if (edits !== null) await announceAll(world, at, edits);
}

/** A command that the team runs one at a time, and the line that does so. */
function withoutLock({ settings }: RealWorld, { commands }: Effects): string | null {
  for (const words of commands) {
    const preset = presetFor(words, settings.presets);
    if (preset !== null) return deniedUnlocked(words, preset.lock);
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
  unsaved: ReturnType<typeof unsavedWork>,
): string | null {
  const { repository, settings } = world;
  const theirs = ofOthers(world, unsaved);
  const wiped = effects.wipesIn.flatMap((folder) => unsavedIn(world, at, folder, theirs));
  const [first] = wiped;
  if (first !== undefined) {
    const changedMs = statSync(join(repository.top, first.path), {
      throwIfNoEntry: false,
    })?.mtimeMs;
    return deniedWiping(
      effects.wipesBy[0] ?? '',
      wiped,
      changedMs === undefined ? null : wallAge(changedMs),
    );
  }
  const keys = keysWritten(world, effects, cwd);
  const hits = (lease: Reservation, key: string): boolean =>
    lease.patterns.some((held) => collide(held, key, settings.folding));
  const restored = keysOfFiles(world, effects.restores, cwd);
  const hit = others.filter((lease) =>
    (isSharedHere(world, lease) ? restored : keys).some((key) => hits(lease, key)),
  );
  if (hit.length === 0) return null;
  const instead = putsBackShared(world, cwd, effects, unsaved);
  if (instead !== null) return instead;
  // Of a folder that holds more than what is held, only that is waited for.
  const inTheWay = keys.flatMap((key) =>
    hit.flatMap(({ patterns }) =>
      patterns
        .filter((held) => collide(held, key, settings.folding))
        .map((held) => (covers(held, key, settings.folding) ? key : held)),
    ),
  );
  const c = decisionContext(world, at);
  return deniedFiles({ repository, cwd, state: at.state, c }, [...new Set(inTheWay)], hit);
}

/** A file that is put back whole, though others have lines in it. */
function putsBackShared(
  world: RealWorld,
  cwd: string,
  { commands }: Effects,
  unsaved: ReturnType<typeof unsavedWork>,
): string | null {
  for (const [program, verb = '', ...words] of commands) {
    const next = program === 'git' ? undoInstead(world, cwd, { verb, words }, unsaved) : null;
    if (next !== null) return deniedPuttingBack(ofOthers(world, unsaved), next);
  }
  return null;
}

/** `isHeard`: what is said now reaches its model. */
export async function afterShell(
  agent: HarnessAgent,
  told: HookEvent,
  isHeard: boolean,
): Promise<HookAnswer> {
  const { world } = agent;
  const name = lookName(agent, told);
  const before = readLook(world.repository, name);
  dropOpen(agent, name);
  const changed = before === null ? [] : changedSince(world.repository, before);
  const notes =
    changed.length === 0 || before === null || world.isApart?.() === true
      ? []
      : [
          ...(await attribute(agent, told, changed, before, name)),
          // Of a look that the shim took it is not known what was as HEAD has it.
          ...(before.isFull
            ? await tellUndone(
                agent,
                told,
                changed.filter((path) => !before.marks.has(path)),
                before.atMs,
              )
            : []),
        ];
  dropLook(world.repository, name);
  dropCommand(world.repository, name);
  if (told.tool.kind === 'shell' && /\bcommit\b/.test(told.tool.command)) await releaseDone(world);
  const said = [...notes, isHeard ? await news(world) : ''].filter((text) => text !== '');
  return told.tool.kind !== 'shell' || said.length === 0
    ? quiet
    : { kind: 'context', text: said.join('\n') };
}
