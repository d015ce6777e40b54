/** `coord undo`: one's own uncommitted changes are taken back, others' in the same file stay. */
import type { RealWorld } from '../../agent/world.ts';
import { showAgent } from '../../core/agent.ts';
import { exits } from '../../core/exits.ts';
import type { AgentName } from '../../core/lease.ts';
import { literal } from '../../core/pattern.ts';
import { shellLine } from '../../core/shell-line.ts';
import { inHand, notItsSession, ownership, type Part } from '../../draft/in-hand.ts';
import { stageOfCaller } from '../../draft/own-tree.ts';
import { undo as takeBack, type Undone } from '../../draft/undone.ts';
import { headOf } from '../../git/head.ts';
import { stagedSince } from '../../git/index-file.ts';
import { argumentOf } from '../../git/paths.ts';
import { lookAtAllLines } from '../../guard/overwritten-lines.ts';
import type { Observation } from '../../log/log-store.ts';
import type { Report } from '../../render/report.ts';
import type { Call, Verb } from '../verb.ts';
import { isNamed } from './diff.ts';

type Result = Undone | 'of-others' | 'unknown';

interface File {
  readonly path: string;
  readonly result: Result;
  readonly agents: readonly AgentName[];
}

export const undo: Verb = {
  words: ['undo'],
  group: 'commits',
  exits: '1 if a file was left as it is',
  about: 'take back your own uncommitted changes of files',
  more: 'What others have changed in them stays, and coord rescue brings yours back.',
  positional: {
    name: 'path',
    least: 1,
    most: Number.POSITIVE_INFINITY,
    about: 'files, directories or patterns',
  },
  flags: [],
  examples: [
    ['coord undo src/auth.ts', 'your lines are as HEAD has them'],
    ['coord rescue list', 'what can come back'],
  ],
  run: async (call) => {
    const world = call.world();
    const at = await world.store.observe();
    await lookAtAllLines(world, at);
    const other = notItsSession(world, at);
    if (other !== null) return refusedFor(other);
    const { isOwn } = ownership(world, at);
    const isAsked = isNamed(call, world);
    const parts = inHand(world, at).filter(({ path }) => isAsked(path));
    const files = [...new Set(parts.map(({ path }) => path))].map((path): File => {
      const here = parts.filter((part) => part.path === path);
      const own = here.filter(({ agent }) => isOwn(agent));
      const others = here.filter(({ agent }) => !isOwn(agent));
      const agents = others.flatMap(({ agent }) => agent ?? []);
      return { path, agents, result: undone(world, own, others) };
    });
    return reportOf(call, files, stillStaged(world, at, files));
  },
};

function undone(world: RealWorld, own: readonly Part[], others: readonly Part[]): Result {
  const [first] = own;
  if (first === undefined)
    return others.every(({ agent }) => agent === null) ? 'unknown' : 'of-others';
  // Only lines can be told apart.
  if (first.lines === null && others.length > 0) return 'of-others';
  const results = own.map((part) => takeBack(world, part));
  return results.find((result) => result !== 'undone' && result !== 'same') ?? results[0] ?? 'same';
}

function refusedFor(agent: AgentName): Report {
  return {
    ok: false,
    exit: exits.refused,
    result: 'refused',
    facts: { refusal: { kind: 'not_your_session', agent } },
    says: [],
    notes: [`refused: ${showAgent(agent)} belongs to another session, and its changes are its own`],
  };
}

/** What is staged stays so, and would be committed. */
function stillStaged(world: RealWorld, at: Observation, files: readonly File[]): readonly string[] {
  const { oid: head } = headOf(world.repository);
  const undone = new Set(files.flatMap(({ path, result }) => (result === 'undone' ? path : [])));
  if (head === null || undone.size === 0) return [];
  return stagedSince(world.repository, stageOfCaller(world, at).index, head)
    .map(({ path }) => path)
    .filter((path) => undone.has(path));
}

function reportOf(call: Call, files: readonly File[], staged: readonly string[]): Report {
  const left = files.filter(({ result }) => result !== 'undone' && result !== 'same');
  const done = files.filter(({ result }) => result === 'undone');
  const place = { repository: call.world().repository, cwd: call.cwd };
  const next = left.flatMap((file) => nextFor(file, argumentOf(place, literal(file.path))));
  return {
    ok: left.length === 0,
    exit: left.length === 0 ? exits.done : exits.refused,
    result: left.length > 0 ? 'refused' : done.length > 0 ? 'undone' : 'nothing',
    facts: {
      files: files.map(({ path, result, agents }) => ({ path, result, agents })),
      ...(staged.length === 0 ? {} : { staged }),
      ...(left.length === 0
        ? {}
        : { refusal: { kind: 'left' }, ...(next[0] === undefined ? {} : { next: next[0] }) }),
    },
    says:
      files.length === 0
        ? ['nothing to undo']
        : done.map(({ path, agents }) => `undone ${path}${staying(agents)}`),
    notes: [
      ...(done.length === 0 ? [] : ['note: coord rescue list shows what can come back']),
      ...(staged.length === 0
        ? []
        : [
            `note: still staged: ${shellLine('git', 'restore', '--staged', '--', ...staged.map((path) => argumentOf(place, literal(path))))}`,
          ]),
      ...left.map((file) => `refused: ${file.path} ${whyLeft(file)}`),
      ...next.map((line) => `  next: ${line}`),
    ],
  };
}

function staying(agents: readonly AgentName[]): string {
  return agents.length === 0
    ? ''
    : `; what ${agents.map((agent) => showAgent(agent)).join(' and ')} changed stays`;
}

function whyLeft({ result, agents }: File): string {
  switch (result) {
    case 'of-others':
      return `has uncommitted changes of ${agents.map((agent) => showAgent(agent)).join(' and ')}`;
    case 'unknown':
      return 'has changes of nobody that is known';
    case 'new':
      return 'is new: HEAD has nothing to go back to';
    case 'not-kept':
      return 'is too large to be kept, and is left as it is';
    default:
      return 'has changed meanwhile';
  }
}

/** A command that takes nothing of anybody else's. */
function nextFor({ result }: File, path: string): readonly string[] {
  switch (result) {
    case 'of-others':
      return [shellLine('coord', 'diff', '--all', '--', path)];
    case 'unknown':
      return [shellLine('git', 'diff', 'HEAD', '--', path)];
    case 'moved':
      return [shellLine('coord', 'undo', '--', path)];
    default:
      return [];
  }
}
