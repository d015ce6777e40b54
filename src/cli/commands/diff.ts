/** `coord diff`: what an agent has in hand and has not committed. */
import type { RealWorld } from '../../agent/world.ts';
import { nameOf, showAgent } from '../../core/agent.ts';
import { CoordError } from '../../core/errors.ts';
import { exits } from '../../core/exits.ts';
import { harmless } from '../../core/harmless.ts';
import type { AgentName } from '../../core/lease.ts';
import { collide } from '../../core/overlap.ts';
import { literal } from '../../core/pattern.ts';
import {
  byOwner,
  type Changed,
  changedIn,
  type Draft,
  draftOf,
  inHand,
  ownership,
  type Part,
} from '../../draft/in-hand.ts';
import { patchOf } from '../../draft/patch.ts';
import { draftRef, publishDrafts } from '../../draft/published.ts';
import { keyOf, precheck } from '../../git/paths.ts';
import { lookAtAllLines } from '../../guard/overwritten-lines.ts';
import type { Observation } from '../../log/log-store.ts';
import type { Report } from '../../render/report.ts';
import { type Call, isOn, text, type Verb } from '../verb.ts';

/** Is it one of those that were named, if any were? */
export function isNamed(
  call: Call,
  { repository, settings }: RealWorld,
): (path: string) => boolean {
  precheck(call.positionals, call.cwd, false);
  const keys = call.positionals.map((arg) => keyOf({ repository, cwd: call.cwd }, arg, false));
  return (path) =>
    keys.length === 0 || keys.some((key) => collide(key, literal(path), settings.folding));
}

interface Group {
  readonly agent: AgentName | null;
  readonly draft: Draft;
  readonly files: readonly Changed[];
}

function groupsOf(world: RealWorld, parts: readonly Part[]): readonly Group[] {
  return byOwner(parts).flatMap(({ agent, parts: own }) => {
    const draft = draftOf(world.repository, own);
    const files = changedIn(world.repository, draft, own);
    return files.length === 0 ? [] : [{ agent, draft, files }];
  });
}

export const diff: Verb = {
  words: ['diff'],
  group: 'commits',
  about: 'show what you have changed and not committed',
  more: 'What others have in the same files is left out; --agent shows what they have.',
  positional: {
    name: 'path',
    least: 0,
    most: Number.POSITIVE_INFINITY,
    about: 'only of these files, directories or patterns',
  },
  flags: [
    { name: 'all', about: "everybody's, by whose it is; nobody's that is known comes last" },
    { name: 'stat', about: 'how many lines of each file' },
    { name: 'name-only', about: 'only the names of the files' },
    { name: 'publish', about: 'also as refs/coord/drafts/<agent>, of everybody in this work tree' },
  ],
  examples: [
    ['coord diff', 'your own lines, also of a file that others change too'],
    ['coord diff --agent ann src/auth.ts', 'what ann has in hand there'],
    ['coord diff --all --stat', 'who has changed how much'],
    ['coord diff | git apply --check -R', 'a patch like any other'],
  ],
  run: async (call) => {
    const world = call.world();
    const at = await world.store.observe();
    await lookAtAllLines(world, at);
    const mine = ownership(world, at);
    const isWhose = isOn(call, 'all') ? () => true : mine.isOwn;
    const isAsked = isNamed(call, world);
    const all = inHand(world, at).filter(({ agent }) => isWhose(agent));
    const name = text(call, 'agent');
    if (name !== undefined && mine.owner === null && all.length === 0 && !isOn(call, 'all'))
      throw new CoordError('usage', `no agent '${name}' is on record`, 'coord who');
    const parts = all.filter(({ path }) => isAsked(path));
    const groups = groupsOf(world, parts);
    const published = isOn(call, 'publish') ? publishedBy(world, at) : null;
    return {
      ok: true,
      exit: exits.done,
      result: groups.length === 0 ? 'nothing' : 'differs',
      facts: {
        files: groups.flatMap(({ files }) => files.map(factsOf)),
        ...(published === null ? {} : { published }),
      },
      ...shown(call, world, groups),
    };
  },
};

function publishedBy(world: RealWorld, at: Observation): readonly string[] {
  const refs = publishDrafts(world, at);
  return [...at.state.agents.values()]
    .map((agent) => draftRef(agent))
    .filter((ref) => refs.includes(ref));
}

function factsOf({ agent, ...file }: Changed): Readonly<Record<string, unknown>> {
  return { ...file, agent: agent === null ? null : nameOf(agent) };
}

function shown(
  call: Call,
  world: RealWorld,
  groups: readonly Group[],
): Pick<Report, 'says' | 'patch' | 'isWhole'> {
  const isTold = isOn(call, 'all');
  const headOf = ({ agent }: Group): string =>
    `# ${agent === null ? 'nobody that is known' : showAgent(agent)}`;
  if (isOn(call, 'name-only'))
    return {
      says: groups.flatMap((group) => [
        ...(isTold ? [headOf(group)] : []),
        ...group.files.map(({ path }) => path),
      ]),
      isWhole: true,
    };
  const form = isOn(call, 'stat') ? 'stat' : 'patch';
  const texts = groups.flatMap((group) => [
    ...(isTold ? [Buffer.from(`${harmless(headOf(group))}\n`)] : []),
    patchOf(world.repository, group.draft, form),
  ]);
  return { says: [], patch: Buffer.concat(texts) };
}
