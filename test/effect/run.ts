/** One run: so many agents work off the tasks of a history under one policy. */
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { median } from '../bench/measure.ts';
import { Agent, emptyTally, type Tally, type Team } from './agent.ts';
import { Chance } from './chance.ts';
import { idealMs } from './ideal.ts';
import type { EffectOptions, Policy } from './options.ts';
import { type Place, placeFor, type Source } from './place.ts';
import { runShell, Session } from './session.ts';
import {
  type CommitRecord,
  doubledTasks,
  type EditRecord,
  type Finished,
  fileChanges,
  foreignLines,
  lostEdits,
} from './truth.ts';

export interface Effect {
  readonly policy: Policy;
  readonly source: string;
  readonly idealMs: number;
  readonly tookMs: number;
  readonly tasks: number;
  readonly finished: number;
  readonly edits: number;
  readonly lost: readonly EditRecord[];
  /** Of the lost ones those that stand in the work tree, and were left out of the commit. */
  readonly leftOut: number;
  readonly doubled: readonly string[];
  readonly foreign: readonly string[];
  readonly tally: Tally;
  readonly cost: { readonly call: number; readonly sh: number; readonly node: number };
}

/** A run that goes on for longer will not end. */
const mostIdeals = 10;
const leastMs = 100_000;

function traced(file: string | null, call: Readonly<Record<string, unknown>>): void {
  if (file !== null)
    appendFileSync(file, `${JSON.stringify({ at: Math.round(performance.now()), ...call })}\n`);
}

export async function effectOf(
  source: Source,
  policy: Policy,
  options: EffectOptions,
): Promise<Effect> {
  const place = placeFor(source, policy);
  const ideal = idealMs(source.tasks, options.agents, options.stepMs);
  const until = { at: Number.POSITIVE_INFINITY };
  const team = teamFor(source, policy, options, {
    isOver: () => performance.now() > until.at,
    linesInHead: (path) => linesOf(place, path),
  });
  const agents = Array.from({ length: options.agents }, (_, i) => {
    const session = new Session(`effect-${i + 1}`, place, (call) => traced(options.trace, call));
    return new Agent(session, team, new Chance(options.seed * 1_000 + i));
  });
  for (const { session } of agents) await session.begin();
  const started = performance.now();
  until.at = started + Math.max(leastMs, mostIdeals * ideal);
  const late = setTimeout(() => {
    for (const { session } of agents) session.stop();
  }, until.at - started);
  const work = Promise.all(agents.map((agent) => agent.work())).then(() => performance.now());
  const floors = await sampled(place, work);
  const tookMs = (await work) - started;
  clearTimeout(late);
  const { finished, edits, tally } = team;
  const foreign = commitsOf(place, team).flatMap((commit) => foreignLines(commit, edits));
  const lost = lostEdits(edits, finished, team.linesInHead);
  const leftOut = lost.length - lostEdits(lost, finished, (path) => linesNow(place, path)).length;
  place.remove();
  return {
    policy,
    source: source.name,
    idealMs: ideal,
    tookMs,
    tasks: source.tasks.length,
    finished: new Set(finished.map(({ bead }) => bead)).size,
    edits: edits.length,
    lost,
    leftOut,
    doubled: doubledTasks(finished),
    foreign,
    tally,
    cost: { call: median(agents.flatMap(({ session }) => session.costsMs)), ...floors },
  };
}

/** What the least of programs cost beside it, once a second. */
async function sampled(
  { top, env }: Place,
  work: Promise<unknown>,
): Promise<{ readonly sh: number; readonly node: number }> {
  const times = { sh: [] as number[], node: [] as number[] };
  const commands = { sh: ':', node: `exec '${process.execPath}' -e 0` };
  const state = { isOver: false };
  void work.then(() => (state.isOver = true));
  while (!state.isOver) {
    for (const name of ['sh', 'node'] as const) {
      const started = performance.now();
      await runShell(commands[name], top, env);
      times[name].push(performance.now() - started);
    }
    await Promise.race([work, new Promise((next) => setTimeout(next, 1_000))]);
  }
  return { sh: median(times.sh), node: median(times.node) };
}

function teamFor(
  source: Source,
  policy: Policy,
  { agents, stepMs, hold }: EffectOptions,
  looks: Pick<Team, 'isOver' | 'linesInHead'>,
): Team {
  const tasks = new Map(source.tasks.map((task) => [task.bead, task]));
  const marked = new Set<string>();
  return {
    stepMs,
    hold,
    isGuarded: policy !== 'off',
    tasks,
    edits: [],
    finished: [],
    commits: new Map(),
    tally: emptyTally(),
    ...looks,
    take: policy === 'off' ? (agent) => takeOpen(agent, [...tasks.keys()], marked, agents) : claim,
  };
}

/** Without coord an agent reads the list, thinks about what it has chosen, and then marks it. */
async function takeOpen(
  agent: Agent,
  beads: readonly string[],
  marked: Set<string>,
  agents: number,
): Promise<string | null> {
  const open = beads.filter((bead) => !marked.has(bead)).slice(0, agents);
  const bead = open[agent.draw(open.length)] ?? null;
  await agent.think();
  if (bead !== null) marked.add(bead);
  return bead;
}

const mostClaims = 10;

async function claim(agent: Agent): Promise<string | null> {
  await agent.think();
  for (let tries = 0; tries < mostClaims; tries += 1) {
    const answer = await agent.session.shell('coord claim --next --json');
    if (answer.kind !== 'done') continue;
    const { stdout } = answer.ran;
    const said = stdout.startsWith('{') ? (JSON.parse(stdout) as { readonly bead?: string }) : {};
    if (answer.ran.code === 0) return said.bead ?? null;
    if (answer.ran.code === 1) return null;
    await agent.think();
  }
  return null;
}

function linesOf({ git }: Place, path: string): readonly string[] {
  try {
    return git('show', `HEAD:${path}`).split('\n');
  } catch {
    // Nobody has committed it.
    return [];
  }
}

function linesNow({ top }: Place, path: string): readonly string[] {
  const file = join(top, path);
  return existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [];
}

/** Whose commit it is says the name that git printed to its agent, else its subject. */
function commitsOf({ git, base }: Place, team: Team): readonly CommitRecord[] {
  const log = git(
    'log',
    '-p',
    '-U0',
    '--no-renames',
    '--no-ext-diff',
    '--format=%x00%H %s',
    `${base}..HEAD`,
  );
  return log
    .split('\0')
    .slice(1)
    .map((text) => {
      const [, oid = '', bead = ''] = /^(\S+) ([\w-]*)/.exec(text) ?? [];
      const known = [...team.commits].find(([short]) => oid.startsWith(short))?.[1];
      const owner: Finished = known ?? {
        bead,
        agent: team.edits.find((edit) => edit.bead === bead)?.agent ?? '',
      };
      return { ...owner, changes: fileChanges(text.slice(text.indexOf('\n') + 1)) };
    });
}
