/**
 * Work that is in the work tree alone: whose it is, and that it is kept before something can wipe
 * it.
 */
import { existsSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { RealWorld } from '../agent/world.ts';
import { nameOf, showAgent } from '../core/agent.ts';
import { areKin, type Oid } from '../core/ids.ts';
import type { AgentName } from '../core/lease.ts';
import { limits } from '../core/limits.ts';
import { collide } from '../core/overlap.ts';
import { literal, pathOf } from '../core/pattern.ts';
import { changesIn } from '../git/changes.ts';
import type { CommitFacts } from '../git/commits.ts';
import { existsCommit } from '../git/files-at.ts';
import { headOf } from '../git/head.ts';
import { gitWithIndex, stagedSince } from '../git/index-file.ts';
import { readLocal, writeLocal } from '../git/local.ts';
import { writeFileObject, writeObject } from '../git/objects.ts';
import type { Repository } from '../git/repository.ts';
import type { Observation } from '../log/log-store.ts';
import { standingReservations } from '../loop/standing.ts';
import { isHere } from '../shim/here.ts';
import { dropOldSnapshots, type SavedEntry, writeSnapshot } from './snapshot.ts';
import { baseOf, stageOf } from './stage-base.ts';
import { openStages } from './stage-end.ts';
import { statOf } from './vanished.ts';

/** A file whose content is in no commit. */
export interface Unsaved {
  readonly path: string;
  /**
   * Whose it is: who holds it and is at work in this work tree, or null where that is not known.
   */
  readonly agent: AgentName | null;
  /** Its agent holds it; else it has staged it and no more. */
  readonly isHeld: boolean;
  /** git ignores it, and so writes over it without a word. */
  readonly isIgnored: boolean;
  readonly isTracked: boolean;
}

/** In a snapshot of what nobody is known to have changed. */
const unknownAgent: AgentName = { id: 'unknown0', name: 'unknown' };

/**
 * What differs from HEAD in this work tree, untracked files too; what git ignores only where
 * somebody holds it by its name. A file that is gone has nothing to lose.
 */
export function unsavedWork(world: RealWorld, at: Observation): readonly Unsaved[] {
  const {
    repository,
    settings: { folding },
  } = world;
  const leases = standingReservations(world, at).filter(({ agent }) =>
    isHere(repository, agent.id),
  );
  const index = join(repository.gitDir, 'index');
  const { oid } = headOf(repository);
  const ask = (...args: readonly string[]): readonly string[] =>
    gitWithIndex(repository, index, args).stdout.toString('utf8').split('\0');
  const changed =
    oid === null
      ? []
      : ask(
          'diff',
          '--name-only',
          '-z',
          '--no-renames',
          '--no-ext-diff',
          '--ignore-submodules',
          oid,
          '--',
        );
  const untracked = ask('ls-files', '--others', '--exclude-standard', '-z');
  // What git ignores is work too, if it is reserved by its name.
  const named = leases.flatMap(({ patterns }) =>
    patterns.flatMap((pattern) => pathOf(pattern) ?? []),
  );
  const hidden =
    named.length === 0
      ? []
      : ask(
          'ls-files',
          '--others',
          '-z',
          '--',
          ...[...new Set(named)].slice(0, limits.leasesInAll),
        );
  const seen = new Set([...changed, ...untracked]);
  const tracked = new Set(changed);
  const again = new Set([...fromRefused(world), ...asIn(world, oid, [...seen])]);
  const isThere = (path: string): boolean =>
    path !== '' && !again.has(path) && statOf(join(repository.top, path)) !== undefined;
  let staged: ReadonlyMap<string, AgentName> | null = null;
  const stagers = (): ReadonlyMap<string, AgentName> => (staged ??= stagedBy(world, at));
  return [...new Set([...seen, ...hidden])].filter(isThere).flatMap((path): readonly Unsaved[] => {
    const key = literal(path);
    const holders = leases.filter(({ patterns }) =>
      patterns.some((pattern) => collide(pattern, key, folding)),
    );
    const about = { path, isIgnored: !seen.has(path), isTracked: tracked.has(path) };
    if (holders.length === 0)
      return about.isIgnored
        ? []
        : [{ ...about, agent: stagers().get(path) ?? null, isHeld: false }];
    return holders.map(({ agent }) => ({ ...about, agent, isHeld: true }));
  });
}

/** What sessions have staged in their private indexes: that says whose it is, held or not. */
function stagedBy(
  { repository }: RealWorld,
  { state }: Observation,
): ReadonlyMap<string, AgentName> {
  return new Map(
    openStages(repository).flatMap(({ agentId }) => {
      const [agent, stage] = [state.agents.get(agentId), stageOf(repository, agentId)];
      const base = baseOf(repository, stage);
      if (agent === undefined || base === null || !existsSync(stage.index)) return [];
      return stagedSince(repository, stage.index, base).map(
        ({ path }) => [path, nameOf(agent)] as const,
      );
    }),
  );
}

/** By path, which other agent, no kin of the caller's, has staged it. */
export function stagedByOthers(world: RealWorld, at: Observation): ReadonlyMap<string, string> {
  const { name } = world.caller();
  return new Map(
    [...stagedBy(world, at)].flatMap(([path, agent]) =>
      areKin(agent.name, name) ? [] : [[path, showAgent(agent)] as const],
    ),
  );
}

/**
 * Those of these files that are just as a commit has them. An index does not tell: it may be behind
 * HEAD, or told not to look.
 */
export function asIn(
  { repository }: RealWorld,
  head: Oid | null,
  paths: readonly string[],
): readonly string[] {
  const plain = paths.filter(
    (path) =>
      path !== '' && !path.includes('\n') && statOf(join(repository.top, path))?.isFile() === true,
  );
  if (head === null || plain.length === 0) return [];
  const index = join(repository.gitDir, 'index');
  const names = plain.map((path) => `${head}:${path}\n`).join('');
  const found = gitWithIndex(repository, index, ['cat-file', '--batch-check'], names);
  const rows = found.stdout.toString('utf8').split('\n');
  const blobs = new Map(
    plain.flatMap((path, i) => {
      const [, oid] = /^([0-9a-f]+) blob /.exec(rows[i] ?? '') ?? [];
      return oid === undefined ? [] : [[path, oid] as const];
    }),
  );
  const inHead = plain.filter((path) => blobs.has(path));
  if (inHead.length === 0) return [];
  const input = inHead.map((path) => `${path}\n`).join('');
  const hashed = gitWithIndex(repository, index, ['hash-object', '--stdin-paths'], input);
  const oids = hashed.stdout.toString('utf8').split('\n');
  return inHead.filter((path, i) => blobs.get(path) === oids[i]);
}

const refusedFile = 'refused';
const mostRefused = 8;

/** Commits that git had written to the files by the time they were refused. */
export function noteRefused({ gitDir }: Repository, commits: readonly CommitFacts[]): void {
  const old = (readLocal(gitDir, refusedFile) ?? '').split('\n').filter((oid) => oid !== '');
  const oids = [...new Set([...commits.map(({ oid }) => oid), ...old])].slice(0, mostRefused);
  if (commits.length > 0) writeLocal(gitDir, refusedFile, `${oids.join('\n')}\n`);
}

/** Paths that are as such a commit has them: nobody's work is lost with them. */
function fromRefused(world: RealWorld): ReadonlySet<string> {
  const { repository } = world;
  const oids = (readLocal(repository.gitDir, refusedFile) ?? '')
    .split('\n')
    .filter((oid) => oid !== '');
  return new Set(
    oids
      .filter((oid) => existsCommit(repository, oid))
      .flatMap((oid) => {
        const paths = changesIn(repository, oid).map(({ path }) => path);
        return asIn(world, oid, paths);
      }),
  );
}

/** What is somebody else's; of what nobody is known to have changed that cannot be said. */
export function ofOthers(
  world: RealWorld,
  unsaved: readonly Unsaved[],
): readonly (Unsaved & { readonly agent: AgentName })[] {
  const { name } = world.caller();
  return unsaved.flatMap(({ agent, ...rest }) =>
    agent === null || areKin(agent.name, name) ? [] : [{ ...rest, agent }],
  );
}

/**
 * As the bytes are, whatever filters and line ends git would apply; null for what is not a file.
 */
function snapshotOf(world: RealWorld, path: string): SavedEntry | null {
  const file = join(world.repository.top, path);
  const stat = statOf(file);
  if (stat === undefined || stat.size > limits.savedFileBytes) return null;
  if (stat.isSymbolicLink())
    return {
      mode: '120000',
      oid: writeObject(world.repository, 'blob', Buffer.from(readlinkSync(file))),
      path,
    };
  if (!stat.isFile()) return null;
  return {
    mode: (stat.mode & 0o111) === 0 ? '100644' : '100755',
    oid: writeFileObject(world.repository, file),
    path,
  };
}

/**
 * One snapshot for each agent that has unsaved work; the same work is not kept twice. Returns the
 * paths that are kept: not those of folders and of files that are too large.
 */
export function saveWork(
  world: RealWorld,
  unsaved: readonly Pick<Unsaved, 'path' | 'agent'>[],
  why: string,
): readonly string[] {
  const byAgent = new Map<string, { readonly agent: AgentName; readonly entries: SavedEntry[] }>();
  for (const { path, agent: owner } of unsaved) {
    const agent = owner ?? unknownAgent;
    const entry = snapshotOf(world, path);
    if (entry === null) continue;
    const known = byAgent.get(agent.id) ?? { agent, entries: [] };
    known.entries.push(entry);
    byAgent.set(agent.id, known);
  }
  const at = world.clock.now().at;
  for (const { agent, entries } of byAgent.values())
    writeSnapshot(world.repository, { agent, entries, why, at });
  dropOldSnapshots(world.repository, at);
  return [...byAgent.values()].flatMap(({ entries }) => entries.map(({ path }) => path));
}
