/** What the log says of what the guard refused: why, which paths and commits, whose they are. */
import { nameOf } from '../core/agent.ts';
import type { AgentName } from '../core/lease.ts';
import { type Problem, pathsOf } from './evaluate.ts';

export function aboutProblems(problems: readonly Problem[]): Readonly<Record<string, unknown>> {
  const held = problems.flatMap((problem) => (problem.kind === 'held' ? problem.lease : []));
  const holders = [...new Map(held.map(({ agent }) => [agent.id, nameOf(agent)])).values()];
  const leases = [...new Set(held.map(({ id }) => id))];
  const commits = problems.flatMap((problem) =>
    problem.kind === 'lost' ? problem.commit.oid : [],
  );
  return {
    why: problems[0]?.kind ?? '',
    ...(held.length === 0 ? {} : { holders, leases }),
    paths: pathsOf(problems).slice(0, 50),
    commits: commits.slice(0, 50),
  };
}

export function aboutUnsaved(
  unsaved: readonly { readonly path: string; readonly agent: AgentName }[],
): Readonly<Record<string, unknown>> {
  const holders = [...new Map(unsaved.map(({ agent }) => [agent.id, nameOf(agent)])).values()];
  return { holders, paths: [...new Set(unsaved.map(({ path }) => path))].slice(0, 50) };
}
