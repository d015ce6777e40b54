/**
 * The tree that a commit of the caller's own work would have: HEAD, and what of the uncommitted
 * changes in this work tree is the caller's. What others are at stays out of it.
 */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { RealWorld } from '../agent/world.ts';
import { agentNamed } from '../core/decide/enrol.ts';
import { areKin, type Oid } from '../core/ids.ts';
import type { AgentName } from '../core/lease.ts';
import { type LineRecord, type Owner, ownersOf as ownersIn } from '../core/lines/record.ts';
import { type Head, headOf } from '../git/head.ts';
import { stagedSince } from '../git/index-file.ts';
import { type PathChange, parseRaw } from '../git/path-changes.ts';
import { type Ask, onDraftOf } from '../git/tested-tree.ts';
import type { Observation } from '../log/log-store.ts';
import { ownersOf } from './owners.ts';
import { asIn } from './saved-work.ts';
import { ownerNamed, partEntry } from './shared-lines.ts';
import { baseOf, emptyTree, repositoryStage, type Stage, stageOf } from './stage-base.ts';
import { treeWith } from './tree-with.ts';
import { statOf } from './vanished.ts';

export interface OwnTree {
  readonly tree: Oid;
  readonly head: Head;
  /** What it holds otherwise than HEAD. */
  readonly paths: readonly string[];
  /** What else is changed in the work tree; null where nobody is known to have changed it. */
  readonly leftOut: readonly LeftOut[];
}

interface LeftOut {
  readonly path: string;
  readonly agent: AgentName | null;
}

/**
 * A file counts as it is in the work tree, staged or not. What is staged and not in the work tree
 * counts as it is staged.
 */
export function ownTree(world: RealWorld, at: Observation): OwnTree {
  const { repository } = world;
  const head = headOf(repository);
  const base = head.oid ?? emptyTree(repository.hash);
  const stage = stageOfCaller(world, at);
  const staged = new Map(
    stagedSince(repository, stage.index, baseOf(repository, stage) ?? base).map(
      (change) => [change.path, change] as const,
    ),
  );
  const owners = ownersOf(world, at);
  const kin = kinOf(world, at);
  const isOwn = ownership(
    world,
    owners,
    kin,
    stage.agentId === null ? new Set() : new Set(staged.keys()),
  );
  return onDraftOf(repository, stage.index, (ask) => {
    const changed = changedIn(ask, repository.top, base);
    for (const { path, after } of staged.values())
      if (!changed.has(path)) changed.set(path, isFileOf(repository.top, path, after));
    const own = [...changed.keys()].filter((path) => isOwn(path) === true);
    const partOf = (path: string): string | null => {
      const lines = owners.lines(path);
      const part = lines === null ? null : partEntry(repository, path, lines, kin.isKin);
      return part === null ? null : `${part.mode} ${part.oid}`;
    };
    const tree = treeWith(ask, base, own, {
      isThere: (path) => changed.get(path) === true && owners.lines(path) === null,
      entry: (path) => partOf(path) ?? staged.get(path)?.after ?? null,
    });
    const paths = namesIn(ask(['diff-tree', '-r', '-z', '--name-only', base, tree]));
    const rest = [...changed.keys()].filter((path) => isOwn(path) !== true);
    // Its index may be behind HEAD, and a folder of one's own takes the place of a file.
    const isIn = new Set([...asIn(world, head.oid, rest), ...paths]);
    const leftOut = rest.flatMap((path): LeftOut[] => {
      const agent = isOwn(path);
      return agent === true || isIn.has(path) ? [] : [{ path, agent }];
    });
    // Of a file that is its own in part, what others have in it.
    const parts = own.flatMap((path) =>
      kin.others(owners.lines(path) ?? []).map((agent) => ({ path, agent })),
    );
    return { tree, head, paths, leftOut: [...leftOut, ...parts] };
  });
}

/** The private index of a session, or else the repository's own. */
export function stageOfCaller(world: RealWorld, { state }: Observation): Stage {
  const { repository } = world;
  const agent = agentNamed(state, world.caller().name);
  const own = agent === null ? null : stageOf(repository, agent.id);
  return own !== null && existsSync(own.index) ? own : repositoryStage(repository);
}

interface Kin {
  /** Its own lines, and those of its kin; a person's are those of nobody that is known. */
  isKin(owner: Owner): boolean;
  others(lines: LineRecord): readonly (AgentName | null)[];
}

function kinOf(world: RealWorld, at: Observation): Kin {
  const { name, kind } = world.caller();
  const isKin = (owner: Owner): boolean => {
    const agent = ownerNamed(at, owner);
    return agent === null ? kind === 'person' : areKin(agent.name, name);
  };
  const others = (lines: LineRecord): readonly (AgentName | null)[] =>
    ownersIn(lines)
      .filter((owner) => !isKin(owner))
      .map((owner) => ownerNamed(at, owner));
  return { isKin, others };
}

/** True of the caller's own; else whose it is, or null where that is not known. */
function ownership(
  world: RealWorld,
  owners: ReturnType<typeof ownersOf>,
  kin: Kin,
  stagedHere: ReadonlySet<string>,
): (path: string) => true | AgentName | null {
  const { name, kind } = world.caller();
  return (path) => {
    // A name that is no text would become another one.
    if (path.includes('\ufffd')) return null;
    const lines = owners.lines(path);
    if (lines !== null)
      return ownersIn(lines).some(kin.isKin) ? true : (kin.others(lines)[0] ?? null);
    const holders = owners.holding(path);
    if (holders.some((agent) => areKin(agent.name, name))) return true;
    if (holders[0] !== undefined) return holders[0];
    if (stagedHere.has(path)) return true;
    const agent = owners.staging(path);
    if (agent !== null) return areKin(agent.name, name) ? true : agent;
    return kind === 'person' ? true : null;
  };
}

/** Paths that differ from this commit, and whether they are in the work tree. */
function changedIn(ask: Ask, top: string, base: Oid): Map<string, boolean> {
  const rows = parseRaw(
    ask([
      'diff',
      '--raw',
      '--no-abbrev',
      '-z',
      '--no-renames',
      '--no-ext-diff',
      '--ignore-submodules=dirty',
      base,
      '--',
    ]),
  );
  // A repository in a folder of its own is no file of this one.
  const others = namesIn(ask(['ls-files', '--others', '--exclude-standard', '-z'])).filter(
    (path) => !path.endsWith('/'),
  );
  return new Map([
    ...rows.map(({ path, after }) => [path, after !== null && isFileOf(top, path, after)] as const),
    ...others.map((path) => [path, true] as const),
  ]);
}

/** Is it there as what git takes it for, and not behind a link? */
function isFileOf(top: string, path: string, entry: PathChange['after']): boolean {
  for (let folder = dirname(path); folder !== '.'; folder = dirname(folder))
    if (statOf(join(top, folder))?.isDirectory() !== true) return false;
  const stat = statOf(join(top, path));
  return entry !== null && stat !== undefined && stat.isDirectory() === entry.startsWith('160000 ');
}

function namesIn(text: string): readonly string[] {
  return text.split('\0').filter((name) => name !== '');
}
