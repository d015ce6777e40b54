import { nameOf, showAgent } from '../../core/agent.ts';
import { collide } from '../../core/overlap.ts';
import { literal } from '../../core/pattern.ts';
import type { State } from '../../core/state.ts';
import { linesHere, type OwnLines } from '../../draft/line-counts.ts';
import { openStages } from '../../draft/stage-end.ts';
import { keyOf } from '../../git/paths.ts';
import type { Repository } from '../../git/repository.ts';
import { lookAtAllLines } from '../../guard/overwritten-lines.ts';
import { decisionContext } from '../../loop/operate.ts';
import { besideError, knownBeside } from '../../remote/log-beside.ts';
import type { Report } from '../../render/report.ts';
import { statusLine, statusReport, whoReport } from '../../show/status.ts';
import { isOn, limitFlag, type Verb, whole } from '../verb.ts';

/** The stages in this work tree: whose, and whether HEAD has moved away from them. */
function withStages(report: Report, state: State, repository: Repository): Report {
  const stages = openStages(repository).flatMap(({ agentId, isBehind }) => {
    const agent = state.agents.get(agentId);
    return agent === undefined ? [] : [{ agent: nameOf(agent), behind: isBehind }];
  });
  const line = `stages here: ${stages.map(({ agent, behind }) => `${showAgent(agent)}${behind ? ' (HEAD has moved)' : ''}`).join(', ')}`;
  return stages.length === 0
    ? report
    : { ...report, facts: { ...report.facts, stages }, says: [...report.says, line] };
}

/** Uncommitted lines in files that several change here. */
function withLines(report: Report, lines: readonly OwnLines[]): Report {
  return lines.length === 0
    ? report
    : {
        ...report,
        facts: {
          ...report.facts,
          lines: lines.map(({ path, agent, added, removed }) => ({ path, agent, added, removed })),
        },
        says: [
          ...report.says,
          ...lines.map(
            ({ path, agent, added, removed }) =>
              `lines    ${path}  ${agent === null ? 'nobody that is known' : showAgent(agent)}  +${added} -${removed}`,
          ),
        ],
      };
}

export const status: Verb = {
  words: ['status'],
  group: 'seeing',
  about: 'show who is here, who holds what, who waits',
  flags: [limitFlag, { name: 'line', about: 'all of it on one line, for a prompt' }],
  examples: [
    ['coord status', 'the whole picture'],
    ['coord status --line', 'for a prompt'],
    [
      "git for-each-ref refs/coord --format='%(refname:lstrip=2)  %(authorname)  %(contents:subject)'",
      'the same with plain git',
    ],
  ],
  run: async (call) => {
    const world = call.world();
    const at = await world.store.glimpse();
    const c = decisionContext(world, at);
    if (isOn(call, 'line')) return statusLine(at, c);
    await lookAtAllLines(world, at);
    const report = withLines(
      withStages(statusReport(at, c, whole(call, 'limit')), at.state, world.repository),
      linesHere(world.repository, at),
    );
    const beside = at.remote === undefined ? knownBeside(world.repository) : null;
    if (beside === null) return report;
    const { message, hint = '' } = besideError(beside, at.state.leases.size > 0);
    return { ...report, notes: [`note: ${message}: ${hint}`, ...(report.notes ?? [])] };
  },
};

export const who: Verb = {
  words: ['who'],
  group: 'seeing',
  about: 'show each agent with its beads, locks and paths',
  more: 'The last active is first. With paths, only those who hold some of them.',
  positional: {
    name: 'path',
    least: 0,
    most: Number.POSITIVE_INFINITY,
    about: 'only who holds something of these',
  },
  flags: [limitFlag],
  examples: [
    ['coord who', 'everybody'],
    ['coord who src/api', 'whom to ask about src/api'],
  ],
  run: async (call) => {
    const world = call.world();
    const at = await world.store.glimpse();
    const paths = call.positionals.map((arg) =>
      keyOf({ repository: world.repository, cwd: call.cwd }, arg, false),
    );
    const { repository, settings } = world;
    await lookAtAllLines(world, at);
    const isAsked = (path: string): boolean =>
      paths.length === 0 || paths.some((key) => collide(key, literal(path), settings.folding));
    return withLines(
      whoReport(at, decisionContext(world, at), paths, whole(call, 'limit')),
      linesHere(repository, at, isAsked),
    );
  },
};
