/** Before the git of a session runs what may overwrite files of others, or take their commits. */

import { resolve } from 'node:path';
import type { RealWorld } from '../../agent/world.ts';
import { few } from '../../core/counted.ts';
import { exits } from '../../core/exits.ts';
import { harmless, shorten } from '../../core/harmless.ts';
import { formatTime } from '../../core/instant.ts';
import { limits } from '../../core/limits.ts';
import { shellLine } from '../../core/shell-line.ts';
import { ofOthers, saveWork, unsavedWork } from '../../draft/saved-work.ts';
import { aboutProblems, aboutUnsaved } from '../../guard/audit.ts';
import { beforeCommand } from '../../guard/before-command.ts';
import { hookCaller, overrideOf, pausedFor } from '../../guard/caller.ts';
import { watch } from '../../guard/overwritten.ts';
import {
  keepBefore,
  occupied,
  type Removal,
  removedWith,
  takesRepository,
} from '../../guard/removal.ts';
import type { StashEntry } from '../../guard/stash-owner.ts';
import type { Observation } from '../../log/log-store.ts';
import { decisionContext } from '../../loop/operate.ts';
import type { SeenByHook } from '../../loop/world.ts';
import { refusalText } from '../../render/guard.ts';
import { whyLine } from '../../render/refusal.ts';
import { aboutRemovals, keptLines, occupiedLines } from '../../render/removal.ts';
import type { Report } from '../../render/report.ts';
import { type Hooked, noting } from './verdict.ts';

/** The git of a session asks before it runs a command. */
export function commandDuty(
  { call, world, at }: Hooked,
  [verb = '', ...words]: readonly string[],
): Report {
  const env = { ...call.env, GIT_INDEX_FILE: call.env['COORD_STAGE'] ?? '' };
  const caller = hookCaller(world, at, env, call.cwd);
  const isWider = call.env['COORD_WIDER'] === '1';
  const before = beforeCommand({ world, at, caller, cwd: call.cwd, isWider }, { verb, words });
  if (before.kind === 'go') {
    if (before.watched.length > 0) watch(world, call.env['COORD_SHIM'] ?? '', before.watched);
    return noting(keptLines(before.kept ?? []));
  }
  const line = shellLine('git', verb, ...words);
  const why = overrideOf(call.env, caller.who) ?? pausedFor(world, at);
  const noted = {
    at: formatTime(world.clock.now().at),
    command: shorten(line, limits.commandChars),
    ...factsOf(before),
  };
  const name = caller.who.name();
  if (why !== null) {
    world.tally.note(name, { what: 'overridden', ...noted, reason: why });
    return noting([]);
  }
  return blocked(world, name, noted, linesOf(before, line, world, at, caller.who.isAgent));
}

/** The log is told, and says later why. */
function blocked(
  { tally }: RealWorld,
  name: string,
  noted: Pick<SeenByHook, 'at'> & Readonly<Record<string, unknown>>,
  lines: readonly string[],
): Report {
  const id = tally.note(name, { what: 'blocked', ...noted });
  return {
    ok: false,
    exit: exits.refused,
    result: 'refused',
    facts: id === '' ? {} : { refusal: { id } },
    says: [],
    notes: [...lines, ...whyLine(id)],
  };
}

type Refused = Exclude<ReturnType<typeof beforeCommand>, { readonly kind: 'go' }>;

/** What the log is to say of it. */
function factsOf(before: Refused): Readonly<Record<string, unknown>> {
  switch (before.kind) {
    case 'problems':
      return aboutProblems(before.problems);
    case 'stashed':
      return { why: 'stashed', entries: before.others.slice(0, 20) };
    case 'wipes':
      return { why: 'unsaved', ...aboutUnsaved(before.unsaved) };
    case 'occupied':
      return { why: 'occupied', ...aboutRemovals(before.removals) };
  }
}

function linesOf(
  before: Refused,
  line: string,
  world: RealWorld,
  at: Observation,
  isAgent: boolean,
): readonly string[] {
  const next = before.next.map((step) => `  next: ${step}`);
  switch (before.kind) {
    case 'problems': {
      const c = decisionContext(world, at);
      const { repository } = world;
      const about = { repository, basedOn: () => null, head: null, state: at.state, c, isAgent };
      return refusalText(before.problems, about, before.next);
    }
    case 'stashed':
      return [`coord: refused: ${stashedBy(before.others)}`, ...next];
    case 'occupied':
      return [...occupiedLines(before.removals), ...next];
    case 'wipes':
      return [
        `coord: refused: ${line} would overwrite uncommitted changes of others`,
        ...before.what.slice(0, 20).map((what) => `  ${what}`),
        ...next,
      ];
  }
}

function stashedBy(entries: readonly StashEntry[]): string {
  const by = [...new Set(entries.map(({ agent }) => agent ?? 'a person'))];
  return `${few(entries.map(({ name }) => name))} ${entries.length === 1 ? 'was' : 'were'} stashed by ${few(by)}`;
}

/** `rm -r` of a session: who is in a work tree says no, and what is in it is kept. */
export function removesDuty({ call, world, at }: Hooked, words: readonly string[]): Report {
  const end = words.indexOf('--');
  const paths = words.filter((word, i) => (end < 0 || i < end ? !word.startsWith('-') : i > end));
  const files = paths.map((path) => resolve(call.env['COORD_FROM'] ?? call.cwd, path));
  const repository = takesRepository(world, files);
  const going = removedWith(world, files);
  const removals = occupied(world, at, going);
  const who = hookCaller(world, at, call.env, call.cwd).who;
  const line = shellLine('rm', '-r', ...paths);
  const noted = {
    at: formatTime(world.clock.now().at),
    command: shorten(line, limits.commandChars),
  };
  const why = overrideOf(call.env, who) ?? pausedFor(world, at);
  if (why === null && (removals.length > 0 || repository !== null)) {
    const about = { ...noted, why: 'occupied', ...aboutRemovals(removals) };
    return blocked(world, who.name(), about, refusedLines(removals, repository));
  }
  const kept = going.flatMap((tree) => keepBefore(world, at, tree, line).kept ?? []);
  return noting(keptLines(kept));
}

function refusedLines(removals: readonly Removal[], repository: string | null): readonly string[] {
  return repository === null
    ? [...occupiedLines(removals), '  next: coord work list']
    : [
        `coord: refused: ${harmless(repository)} holds the repository itself, with the work of everybody`,
        '  next: git worktree list',
      ];
}

/** Whoever has staged what another holds may give it up now with a command that no hook sees. */
export function keepHeld(world: RealWorld, at: Observation, paths: readonly string[]): void {
  if (paths.length === 0) return;
  const theirs = ofOthers(world, unsavedWork(world, at)).filter(({ path }) => paths.includes(path));
  if (theirs.length > 0)
    saveWork(world, theirs, `a commit of ${world.caller().name} that was refused`);
}
