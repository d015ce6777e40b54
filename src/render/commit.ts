/** What came of a commit that stood in line. */
import type { RealWorld } from '../agent/world.ts';
import { exits } from '../core/exits.ts';
import { harmless, shorten } from '../core/harmless.ts';
import { limits } from '../core/limits.ts';
import { basedOn } from '../draft/stage-base.ts';
import { headOf } from '../git/head.ts';
import { afterRefusedCommit } from '../guard/next-commit.ts';
import type { Committed } from '../guard/queued-commit.ts';
import { decisionContext } from '../loop/operate.ts';
import { refusalText } from './guard.ts';
import type { Report } from './report.ts';

const mostShown = 8;

function refused(
  result: string,
  notes: readonly string[],
  facts: Report['facts'] = {},
  next?: string,
): Report {
  return {
    ok: false,
    exit: exits.refused,
    result,
    facts,
    says: [],
    notes,
    ...(next === undefined ? {} : { next }),
  };
}

export function renderCommitted(world: RealWorld, done: Committed): Report {
  const { repository } = world;
  switch (done.kind) {
    case 'committed': {
      const { oid, paths, tries } = done;
      const shown = paths.slice(0, mostShown).join(' ');
      const more = paths.length > mostShown ? ` and ${paths.length - mostShown} more` : '';
      return {
        ok: true,
        exit: exits.done,
        result: 'committed',
        facts: { commit: oid, paths, tries },
        says: [`committed ${oid.slice(0, 10)}: ${shown}${more}`],
      };
    }
    case 'nothing':
      return refused('nothing', ['coord: nothing is staged', '  next: git add <path>']);
    case 'hook': {
      const said = done.said.split('\n').map((line) => `  ${line}`);
      return refused('hook', [`coord: the hook ${done.name} refused`, ...said], {
        hook: done.name,
        said: harmless(shorten(done.said.trim(), limits.textBytes)),
      });
    }
    case 'refused': {
      const { problems, staged, at, caller } = done;
      const next = afterRefusedCommit(repository, problems, staged, null);
      const about = {
        repository,
        basedOn: basedOn(repository, caller.stage),
        head: headOf(repository).oid,
        state: at.state,
        c: decisionContext(world, at),
        isAgent: caller.who.isAgent,
      };
      const shown = problems.map((problem) => ({
        kind: problem.kind,
        ...('path' in problem ? { path: problem.path } : {}),
        ...(problem.kind === 'held' ? { by: problem.lease.agent.name } : {}),
      }));
      return refused('refused', refusalText(problems, about, next), { problems: shown }, next[0]);
    }
  }
}
