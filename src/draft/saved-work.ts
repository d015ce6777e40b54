/**
 * Work that is in the work tree alone: whose it is, and that it is kept before something can wipe
 * it.
 */
import { readlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { RealWorld } from '../agent/world.ts';
import { showAgent } from '../core/agent.ts';
import { areKin, type Oid } from '../core/ids.ts';
import type { AgentName } from '../core/lease.ts';
import { limits } from '../core/limits.ts';
import {
  baseOf as committedLines,
  type LineRecord,
  nobodyKnown,
  type Owner,
  ownersOf as ownersIn,
} from '../core/lines/record.ts';
import { pathOf } from '../core/pattern.ts';
import { builtin } from '../git/builtin.ts';
import { changesIn } from '../git/changes.ts';
import type { CommitFacts } from '../git/commits.ts';
import { existsCommit } from '../git/files-at.ts';
import { headOf } from '../git/head.ts';
import { gitWithIndex } from '../git/index-file.ts';
import { readLocal, writeLocal } from '../git/local.ts';
import { hashObject, writeFileObject, writeObject } from '../git/objects.ts';
import type { Repository } from '../git/repository.ts';
import type { Observation } from '../log/log-store.ts';
import { ownersOf, stagedBy } from './owners.ts';
import { asBytes, partEntry, sharersOf } from './shared-lines.ts';
import { type SavedEntry, writeSnapshots } from './snapshot.ts';

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
  /** Where several change the file: its lines, of which only some are its agent's. */
  readonly lines: LineRecord | null;
}

/** In a snapshot of what nobody is known to have changed. */
const unknownAgent: AgentName = { id: 'unknown0', name: 'unknown' };

/**
 * What differs from HEAD in this work tree, untracked files too; what git ignores only where
 * somebody holds it by its name. A file that is gone has nothing to lose, and is left out unless it
 * is asked for.
 */
export function unsavedWork(
  world: RealWorld,
  at: Observation,
  withGone = false,
): readonly Unsaved[] {
  const { repository } = world;
  const owners = ownersOf(world, at);
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
  const named = owners.patterns.flatMap((pattern) => pathOf(pattern) ?? []);
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
    path !== '' &&
    !again.has(path) &&
    (withGone || statOf(join(repository.top, path)) !== undefined);
  return [...new Set([...seen, ...hidden])].filter(isThere).flatMap((path): readonly Unsaved[] => {
    const lines = owners.lines(path);
    const about = { path, isIgnored: !seen.has(path), isTracked: tracked.has(path), lines };
    const holders = owners.holding(path);
    if (lines !== null) return sharersOf(at, lines, holders).map((one) => ({ ...about, ...one }));
    if (holders.length > 0) return holders.map((agent) => ({ ...about, agent, isHeld: true }));
    return about.isIgnored ? [] : [{ ...about, agent: owners.staging(path), isHeld: false }];
  });
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

/** Of a file that several change, what one has of it, on top of what is committed. */
function partSnapshot(
  { repository }: RealWorld,
  path: string,
  lines: LineRecord,
  owner: Owner,
): SavedEntry | null {
  const entry = partEntry(repository, path, lines, (one) => one === owner);
  if (entry === null || !ownersIn(lines).includes(owner)) return null;
  const base = hashObject(repository, 'blob', asBytes(committedLines(lines))).oid;
  return { ...entry, path, base };
}

/** A session that has ended is known by its name alone, and snapshots go by ids. */
function keptAs({ id, name }: AgentName): AgentName {
  const hash = (): string => builtin.crypto.createHash('sha256').update(name).digest('hex');
  return { id: id === name ? hash().slice(0, 8) : id, name };
}

/**
 * One snapshot for each agent that has unsaved work, and of a file that several change for each its
 * own lines; the same work is not kept twice. Returns the paths that are kept: not those of folders
 * and of files that are too large.
 */
export function saveWork(
  world: RealWorld,
  unsaved: readonly (Pick<Unsaved, 'path' | 'agent'> & Partial<Pick<Unsaved, 'lines'>>)[],
  why: string,
): readonly string[] {
  const byAgent = new Map<string, { readonly agent: AgentName; readonly entries: SavedEntry[] }>();
  for (const { path, agent: owner, lines = null } of unsaved) {
    const agent = owner === null ? unknownAgent : keptAs(owner);
    const entry =
      lines === null
        ? snapshotOf(world, path)
        : partSnapshot(world, path, lines, owner?.id ?? nobodyKnown);
    if (entry === null) continue;
    const known = byAgent.get(agent.id) ?? { agent, entries: [] };
    known.entries.push(entry);
    byAgent.set(agent.id, known);
  }
  const at = world.clock.now().at;
  writeSnapshots(
    world.repository,
    [...byAgent.values()].map((one) => ({ ...one, why, at })),
  );
  return [...byAgent.values()].flatMap(({ entries }) => entries.map(({ path }) => path));
}
