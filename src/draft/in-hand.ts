/**
 * What each has in hand: uncommitted changes of this work tree by whose they are, and the tree that
 * HEAD would be with those of one of them alone.
 */
import { join } from 'node:path';
import type { RealWorld } from '../agent/world.ts';
import { recall } from '../core/decide/enrol.ts';
import type { Oid } from '../core/ids.ts';
import type { AgentName } from '../core/lease.ts';
import { labelled } from '../core/lines/change.ts';
import { type LineRecord, nobodyKnown, type Owner, rangesOf } from '../core/lines/record.ts';
import { split } from '../core/lines/split.ts';
import { changesBetween } from '../git/changes.ts';
import { headOf } from '../git/head.ts';
import type { PathChange } from '../git/path-changes.ts';
import { askObjects } from '../git/read-objects.ts';
import type { Repository } from '../git/repository.ts';
import { onDraftOf } from '../git/tested-tree.ts';
import type { Observation } from '../log/log-store.ts';
import { countsOf } from './line-counts.ts';
import { unsavedWork } from './saved-work.ts';
import { partEntry } from './shared-lines.ts';
import { emptyTree } from './stage-base.ts';
import { treeWith } from './tree-with.ts';
import { statOf } from './vanished.ts';

/** What one has of one file. */
export interface Part {
  readonly path: string;
  /** Null for what nobody is known to have changed. */
  readonly agent: AgentName | null;
  /** Where several change it, its lines; else all of the change is its agent's. */
  readonly lines: LineRecord | null;
}

/** What git ignores is in nobody's hand, and neither is a folder that is a repository of its own. */
export function inHand(world: RealWorld, at: Observation): readonly Part[] {
  const { top } = world.repository;
  return unsavedWork(world, at, true).flatMap(({ path, agent, lines, isIgnored, isTracked }) => {
    const stat = statOf(join(top, path));
    const isFile = stat === undefined ? isTracked : stat.isFile() || stat.isSymbolicLink();
    const isTheirs = lines === null || hasLines(lines, ownerOf(agent));
    // A name that is no text would become another one.
    return isFile && !isIgnored && isTheirs && !path.includes('\ufffd')
      ? [{ path, agent, lines }]
      : [];
  });
}

export function ownerOf(agent: AgentName | null): Owner {
  return agent?.id ?? nobodyKnown;
}

function hasLines(lines: LineRecord, owner: Owner): boolean {
  return lines.some(({ addedBy, removedBy }) => addedBy === owner || removedBy === owner);
}

/**
 * Is it the caller's own? A person's is also what nobody is known to have changed. Of a name that a
 * session elsewhere has, `isTheirs` says whose it is.
 */
export function ownership(
  world: RealWorld,
  { state }: Observation,
): { readonly owner: AgentName | null; readonly isOwn: (agent: AgentName | null) => boolean } {
  const caller = world.caller();
  const named = [...state.agents.values()].find(({ name }) => name === caller.name);
  const isPerson = (named?.kind ?? caller.kind) === 'person';
  return {
    owner: named === undefined ? null : { id: named.id, name: named.name },
    isOwn: (agent) => (agent === null ? isPerson : agent.id === (named?.id ?? caller.name)),
  };
}

/** Null where the caller may act as whom it says it is. */
export function notItsSession(world: RealWorld, { state }: Observation): AgentName | null {
  const known = recall(state, world.caller());
  return known !== null && !('startedAt' in known) && known.kind === 'not_your_session'
    ? known.agent
    : null;
}

/** By whose they are, in the order of their names; nobody's come last. */
export function byOwner(
  parts: readonly Part[],
): readonly { readonly agent: AgentName | null; readonly parts: readonly Part[] }[] {
  const groups = new Map<Owner, { agent: AgentName | null; parts: Part[] }>();
  for (const part of parts) {
    const group = groups.get(ownerOf(part.agent)) ?? { agent: part.agent, parts: [] };
    group.parts.push(part);
    groups.set(ownerOf(part.agent), group);
  }
  const nameIn = (agent: AgentName | null): string => (agent === null ? '~' : agent.name);
  return [...groups.values()].sort((a, b) => (nameIn(a.agent) < nameIn(b.agent) ? -1 : 1));
}

export interface Draft {
  /** The commit it is on, or the empty tree before the first. */
  readonly base: Oid;
  readonly tree: Oid;
}

/** HEAD with these, all of one owner. */
export function draftOf(repository: Repository, parts: readonly Part[]): Draft {
  const base = headOf(repository).oid ?? emptyTree(repository.hash);
  const byPath = new Map(parts.map((part) => [part.path, part] as const));
  const tree = onDraftOf(repository, join(repository.gitDir, 'index'), (ask) =>
    treeWith(ask, base, [...byPath.keys()], {
      isThere: (path) =>
        byPath.get(path)?.lines === null && statOf(join(repository.top, path)) !== undefined,
      entry: (path) => {
        const { lines = null, agent = null } = byPath.get(path) ?? {};
        const isTheirs = (one: Owner): boolean => one === ownerOf(agent);
        const part = lines === null ? null : partEntry(repository, path, lines, isTheirs);
        return part === null ? null : `${part.mode} ${part.oid}`;
      },
    }),
  );
  return { base, tree };
}

/** One file of a draft, in numbers. */
export interface Changed {
  readonly path: string;
  readonly agent: AgentName | null;
  /** Lines of the file as it is now, from 1; where only something is gone, the line before. */
  readonly ranges: readonly (readonly [first: number, last: number])[];
  /** Null of what has no lines. */
  readonly added: number | null;
  readonly removed: number | null;
}

export function changedIn(
  repository: Repository,
  { base, tree }: Draft,
  parts: readonly Part[],
): readonly Changed[] {
  const byPath = new Map(parts.map((part) => [part.path, part] as const));
  return changesBetween(repository, base, tree).flatMap((change): readonly Changed[] => {
    const part = byPath.get(change.path);
    if (part === undefined) return [];
    const { path, agent } = part;
    const owner = ownerOf(agent);
    const lines = part.lines ?? linesOf(repository, change, owner);
    if (lines === null) return [{ path, agent, ranges: [], added: null, removed: null }];
    return [
      {
        path,
        agent,
        ranges: rangesOf(lines)
          .filter((range) => range.owner === owner)
          .map(({ first, last }) => [first, last] as const),
        ...countsOf(lines, owner),
      },
    ];
  });
}

/** Null for what has no lines: a link, a submodule, bytes that are no text. */
function linesOf(
  repository: Repository,
  { before, after }: PathChange,
  owner: Owner,
): LineRecord | null {
  const entries = [before, after].map((entry) => entry?.split(' ') ?? []);
  if (entries.some(([mode = '100644']) => !mode.startsWith('100'))) return null;
  const [from = '', to = ''] = entries.map(([, oid]) => textOf(repository, oid));
  if (`${from}${to}`.includes('\0')) return null;
  return labelled(
    split(from),
    split(to),
    () => owner,
    () => owner,
  );
}

function textOf(repository: Repository, oid: Oid | undefined): string {
  const [found = null] = oid === undefined ? [] : askObjects(repository, [oid]);
  return found?.body.toString('latin1') ?? '';
}
