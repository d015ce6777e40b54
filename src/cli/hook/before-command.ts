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
  const caller = hookCaller(
    world,
    at,
    { ...call.env, GIT_INDEX_FILE: call.env['COORD_STAGE'] ?? '' },
    call.cwd,
  );
  const before = beforeCommand(
    { world, at, caller, cwd: call.cwd, isWider: call.env['COORD_WIDER'] === '1' },
    { verb, words },
  );
  const why = overrideOf(call.env, caller.who) ?? pausedFor(world, at);
  const refused = (notes: readonly string[], facts: Readonly<Record<string, unknown>>): Report => {
    const command = shorten(shellLine('git', verb, ...words), limits.commandChars);
    if (why !== null) {
      world.tally.note(caller.who.name(), {
        what: 'overridden',
        at: formatTime(world.clock.now().at),
        command,
        ...facts,
        reason: why,
      });
      return quiet;
    }
    const id = world.tally.note(caller.who.name(), {
      what: 'blocked',
      at: formatTime(world.clock.now().at),
      command,
      ...facts,
    });
    return {
      ok: false,
      exit: exits.refused,
      result: 'refused',
      facts: id === '' ? {} : { refusal: { id } },
      says: [],
      notes: [...notes, ...whyLine(id)],
    };
  };
  switch (before.kind) {
    case 'go':
      if (before.watched.length > 0) watch(world, call.env['COORD_SHIM'] ?? '', before.watched);
      return quiet;
    case 'problems':
      return refused(
        refusalText(
          before.problems,
          {
            repository: world.repository,
            base: null,
            head: null,
            state: at.state,
            c: decisionContext(world, at),
            isAgent: caller.who.isAgent,
          },
          before.next,
        ),
        aboutProblems(before.problems),
      );
    case 'stashed':
      return refused(
        [
          `coord: refused: ${stashedBy(before.others)}`,
          ...before.next.map((step) => `  next: ${step}`),
        ],
        { why: 'stashed', entries: before.others.slice(0, 20) },
      );
    case 'wipes':
      return refused(
        [
          `coord: refused: ${shellLine('git', verb, ...words)} would overwrite uncommitted changes of others`,
          ...before.what.slice(0, 20).map((line) => `  ${line}`),
          ...before.next.map((step) => `  next: ${step}`),
        ],
        { why: 'unsaved', ...aboutUnsaved(before.unsaved) },
      );
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
