/** Before the git of a session runs what may overwrite files of others, or take their commits. */

import type { RealWorld } from '../../agent/world.ts';
import { few } from '../../core/counted.ts';
import { exits } from '../../core/exits.ts';
import { shorten } from '../../core/harmless.ts';
import { formatTime } from '../../core/instant.ts';
import { limits } from '../../core/limits.ts';
import { shellLine } from '../../core/shell-line.ts';
import { ofOthers, saveWork, unsavedWork } from '../../draft/saved-work.ts';
import { aboutProblems, aboutUnsaved } from '../../guard/audit.ts';
import { beforeCommand } from '../../guard/before-command.ts';
import { hookCaller, overrideOf, pausedFor } from '../../guard/caller.ts';
import { watch } from '../../guard/overwritten.ts';
import type { StashEntry } from '../../guard/stash-owner.ts';
import type { Observation } from '../../log/log-store.ts';
import { decisionContext } from '../../loop/operate.ts';
import { refusalText } from '../../render/guard.ts';
import { whyLine } from '../../render/refusal.ts';
import type { Report } from '../../render/report.ts';
import { type Hooked, quiet } from './verdict.ts';

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
    return quiet;
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
    return quiet;
  }
  const id = world.tally.note(name, { what: 'blocked', ...noted });
  return {
    ok: false,
    exit: exits.refused,
    result: 'refused',
    facts: id === '' ? {} : { refusal: { id } },
    says: [],
    notes: [...linesOf(before, line, world, at, caller.who.isAgent), ...whyLine(id)],
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

/** Whoever has staged what another holds may give it up now with a command that no hook sees. */
export function keepHeld(world: RealWorld, at: Observation, paths: readonly string[]): void {
  if (paths.length === 0) return;
  const theirs = ofOthers(world, unsavedWork(world, at)).filter(({ path }) => paths.includes(path));
  if (theirs.length > 0)
    saveWork(world, theirs, `a commit of ${world.caller().name} that was refused`);
}
