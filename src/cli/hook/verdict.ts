/** The answer of a hook: it passes, or what stands against it and the commands that go on from there. */

import type { RealWorld } from '../../agent/world.ts';
import { exits } from '../../core/exits.ts';
import { formatTime } from '../../core/instant.ts';
import { basedOn } from '../../draft/stage-base.ts';
import { takeLocal } from '../../git/local.ts';
import { aboutProblems } from '../../guard/audit.ts';
import { type HookCaller, overrideOf, pausedFor } from '../../guard/caller.ts';
import type { Problem } from '../../guard/evaluate.ts';
import type { Observation } from '../../log/log-store.ts';
import { decisionContext } from '../../loop/operate.ts';
import { refusalText } from '../../render/guard.ts';
import { whyLine } from '../../render/refusal.ts';
import type { Report } from '../../render/report.ts';
import type { Call } from '../verb.ts';

export const quiet: Report = { ok: true, exit: exits.done, result: 'passed', facts: {}, says: [] };
export interface Hooked {
  readonly call: Call;
  readonly world: RealWorld;
  readonly at: Observation;
  readonly caller: HookCaller;
}

export const overrideMark = 'overridden';
export function verdict(
  { call, world, at, caller }: Hooked,
  problems: readonly Problem[],
  head: string | null,
  next: readonly string[],
): Report {
  const { repository } = world;
  const why = overrideOf(call.env, caller.who) ?? pausedFor(world, at);
  const facts = { at: formatTime(world.clock.now().at), ...aboutProblems(problems) };
  // git asks twice about a commit whose own hooks it runs.
  const isTold =
    why !== null &&
    call.env['COORD_GIT_PID'] !== undefined &&
    takeLocal(repository.gitDir, overrideMark) === call.env['COORD_GIT_PID'];
  const id = isTold
    ? ''
    : world.tally.note(caller.who.name(), {
        what: why === null ? 'blocked' : 'overridden',
        ...facts,
        ...(why === null ? {} : { reason: why }),
      });
  if (why !== null) return quiet;
  const notes = refusalText(
    problems,
    {
      repository,
      basedOn: basedOn(repository, caller.stage),
      head,
      state: at.state,
      c: decisionContext(world, at),
      isAgent: caller.who.isAgent,
    },
    next,
  );
  return {
    ok: false,
    exit: exits.refused,
    result: 'refused',
    facts: { problems: problems.length, ...(id === '' ? {} : { refusal: { id } }) },
    says: [],
    notes: [...notes, ...whyLine(id)],
  };
}

/** It goes on, with something to tell. */
export function noting(notes: readonly string[]): Report {
  return notes.length === 0 ? quiet : { ...quiet, notes };
}
