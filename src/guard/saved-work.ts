/**
 * Work that is in the work tree alone: kept as snapshots before something can wipe it, byte for byte, in
 * `refs/coord/saved/<agent>/<time>`. Bounded in number and age; brought back into another place.
 */
import { existsSync, mkdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { RealWorld } from '../agent/world.ts';
import { nameOf, showAgent } from '../core/agent.ts';
import { CoordError } from '../core/errors.ts';
import { areKin, type Oid } from '../core/ids.ts';
import type { AgentName } from '../core/lease.ts';
import { limits } from '../core/limits.ts';
import { collide } from '../core/overlap.ts';
import { literal, pathOf } from '../core/pattern.ts';
import { changesIn, existsCommit, type CommitFacts } from '../git/commits.ts';
import { headOf } from '../git/head.ts';
import { gitWithIndex, stagedSince } from '../git/index-file.ts';
import { isHere } from '../git/here.ts';
import { localPath, readLocal, writeLocal } from '../git/local.ts';
import { statOf } from './vanished.ts';
import type { Observation } from '../git/log-store.ts';
import { encodeCommit } from '../git/object-text.ts';
import { writeObject } from '../git/objects.ts';
import { listRefs, updateRefs, zeroOid } from '../git/refs.ts';
import type { Repository } from '../git/repository.ts';
import { runGit, type GitResult } from '../git/run-git.ts';
import { baseOf, openStages, stageOf } from '../stage/stage.ts';
import { standingReservations } from './caller.ts';

/** What has to go right, or nothing is kept. */
function must({ code, stdout, stderr }: GitResult): string {
  if (code !== 0) throw new CoordError('git_failed', `unsaved work could not be kept: ${stderr.split('\n')[0] ?? ''}`, 'coord doctor');
  return stdout.toString('utf8').trim();
}

const savedPrefix = 'refs/coord/saved/';

/** A file whose content is in no commit. */
export interface Unsaved {
  readonly path: string;
  /** Whose it is: who holds it and is at work in this work tree, or null where that is not known. */
  readonly agent: AgentName | null;
  /** git ignores it, and so writes over it without a word. */
  readonly isIgnored: boolean;
  readonly isTracked: boolean;
}

/** In a snapshot of what nobody is known to have changed. */
export const unknownAgent: AgentName = { id: 'unknown0', name: 'unknown' };

/**
 * What differs from HEAD in this work tree, untracked files too; what git ignores only where somebody
 * holds it by its name. A file that is gone has nothing to lose.
 */
export function unsavedWork(world: RealWorld, at: Observation): readonly Unsaved[] {
  const { repository, settings: { folding } } = world;
  const leases = standingReservations(world, at).filter(({ agent }) => isHere(repository, agent.id));
  const index = join(repository.gitDir, 'index');
  const { oid } = headOf(repository);
  const ask = (...args: readonly string[]): readonly string[] => (
    gitWithIndex(repository, index, args).stdout.toString('utf8').split('\0'));
  const changed = oid === null ? [] : ask('diff', '--name-only', '-z', '--no-renames', '--no-ext-diff', '--ignore-submodules', oid, '--');
  const untracked = ask('ls-files', '--others', '--exclude-standard', '-z');
  // What git ignores is work too, if it is reserved by its name.
  const named = leases.flatMap(({ patterns }) => patterns.flatMap((pattern) => pathOf(pattern) ?? []));
  const hidden = named.length === 0 ? [] : ask('ls-files', '--others', '-z', '--', ...[...new Set(named)].slice(0, limits.leasesInAll));
  const seen = new Set([...changed, ...untracked]);
  const tracked = new Set(changed);
  const again = new Set([...fromRefused(world), ...asIn(world, oid, [...seen])]);
  const isThere = (path: string): boolean => (
    path !== '' && !again.has(path) && statOf(join(repository.top, path)) !== undefined);
  let staged: ReadonlyMap<string, AgentName> | null = null;
  const stagers = (): ReadonlyMap<string, AgentName> => (staged ??= stagedBy(world, at));
  return [...new Set([...seen, ...hidden])].filter(isThere).flatMap((path): readonly Unsaved[] => {
    const key = literal(path);
    const holders = leases.filter(({ patterns }) => patterns.some((pattern) => collide(pattern, key, folding)));
    const about = { path, isIgnored: !seen.has(path), isTracked: tracked.has(path) };
    if (holders.length === 0) return about.isIgnored ? [] : [{ ...about, agent: stagers().get(path) ?? null }];
    return holders.map(({ agent }) => ({ ...about, agent }));
  });
}

/** What sessions have staged in their private indexes: that says whose it is, held or not. */
function stagedBy({ repository }: RealWorld, { state }: Observation): ReadonlyMap<string, AgentName> {
  return new Map(openStages(repository).flatMap(({ agentId }) => {
    const [agent, stage] = [state.agents.get(agentId), stageOf(repository, agentId)];
    const base = baseOf(repository, stage);
    if (agent === undefined || base === null || !existsSync(stage.index)) return [];
    return stagedSince(repository, stage.index, base).map(({ path }) => [path, nameOf(agent)] as const);
  }));
}

/** An index may be behind HEAD: what it takes for changed may be just what HEAD holds. */
function asIn({ repository }: RealWorld, head: Oid | null, paths: readonly string[]): readonly string[] {
  const plain = paths.filter((path) => path !== '' && !path.includes('\n')
    && statOf(join(repository.top, path))?.isFile() === true);
  if (head === null || plain.length === 0) return [];
  const index = join(repository.gitDir, 'index');
  const names = plain.map((path) => `${head}:${path}\n`).join('');
  const found = gitWithIndex(repository, index, ['cat-file', '--batch-check'], names);
  const rows = found.stdout.toString('utf8').split('\n');
  const blobs = new Map(plain.flatMap((path, i) => {
    const [, oid] = /^([0-9a-f]+) blob /.exec(rows[i] ?? '') ?? [];
    return oid === undefined ? [] : [[path, oid] as const];
  }));
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
  const oids = (readLocal(repository.gitDir, refusedFile) ?? '').split('\n').filter((oid) => oid !== '');
  return new Set(oids.filter((oid) => existsCommit(repository, oid)).flatMap((oid) => {
    const paths = changesIn(repository, oid).map(({ path }) => path);
    return asIn(world, oid, paths);
  }));
}

/** What is somebody else's; of what nobody is known to have changed that cannot be said. */
export function ofOthers(world: RealWorld, unsaved: readonly Unsaved[]): readonly (Unsaved & { readonly agent: AgentName })[] {
  const { name } = world.caller();
  return unsaved.flatMap(({ agent, ...rest }) => (agent === null || areKin(agent.name, name) ? [] : [{ ...rest, agent }]));
}

export interface SavedEntry {
  readonly mode: string;
  readonly oid: string;
  readonly path: string;
}

/** As the bytes are, whatever filters and line ends git would apply; null for what is not a file. */
function snapshotOf(world: RealWorld, path: string): SavedEntry | null {
  const file = join(world.repository.top, path);
  const stat = statOf(file);
  if (stat === undefined || stat.size > limits.savedFileBytes) return null;
  if (stat.isSymbolicLink()) return { mode: '120000', oid: writeObject(world.repository, 'blob', Buffer.from(readlinkSync(file))), path };
  if (!stat.isFile()) return null;
  return { mode: (stat.mode & 0o111) === 0 ? '100644' : '100755', oid: writeObject(world.repository, 'blob', readFileSync(file)), path };
}

/** One snapshot for each agent that has unsaved work; the same work is not kept twice. Returns how many files. */
export function saveWork(world: RealWorld, unsaved: readonly Unsaved[], why: string): number {
  const byAgent = new Map<string, { readonly agent: AgentName; readonly entries: SavedEntry[] }>();
  for (const { path, agent: owner } of unsaved) {
    const agent = owner ?? unknownAgent;
    const entry = snapshotOf(world, path);
    if (entry === null) continue;
    const known = byAgent.get(agent.id) ?? { agent, entries: [] };
    known.entries.push(entry);
    byAgent.set(agent.id, known);
  }
  for (const { agent, entries } of byAgent.values()) keep(world, agent, entries, why);
  dropOld(world);
  return [...byAgent.values()].reduce((sum, { entries }) => sum + entries.length, 0);
}

/** An index that holds just these, for as long as the work takes. */
export function withIndexOf<T>(repository: Repository, entries: readonly SavedEntry[], work: (index: string) => T): T {
  const index = localPath(repository.gitDir, `saved-${process.pid}`);
  mkdirSync(dirname(index), { recursive: true });
  const lines = entries.map(({ mode, oid, path }) => `${mode} ${oid}\t${path}\0`).join('');
  try {
    must(gitWithIndex(repository, index, ['read-tree', '--empty']));
    must(gitWithIndex(repository, index, ['update-index', '-z', '--index-info'], lines));
    return work(index);
  } finally {
    rmSync(index, { force: true });
  }
}

function keep(world: RealWorld, agent: AgentName, entries: readonly SavedEntry[], why: string): void {
  const { repository } = world;
  const tree = withIndexOf(repository, entries, (index) => must(gitWithIndex(repository, index, ['write-tree'])));
  if (savedOf(world).some((saved) => saved.agentId === agent.id && saved.tree === tree)) return;
  const at = world.clock.now().at;
  const signature = { name: agent.name, email: `${agent.id}@coord.invalid`, at };
  const head = headOf(repository).oid;
  const message = `work of ${showAgent(agent)}, kept before ${why}\n\nAgent: ${showAgent(agent)}\nHead: ${head ?? 'none'}\n`;
  const commit = writeObject(repository, 'commit', encodeCommit({ tree, parents: [], message }, signature, signature));
  must(updateRefs(repository, [{ ref: `${savedPrefix}${agent.id}/${String(at).padStart(15, '0')}`, value: commit, expected: zeroOid(repository) }]));
}

export interface Saved {
  readonly id: string;
  readonly ref: string;
  readonly agentId: string;
  readonly agent: string;
  readonly at: number;
  readonly why: string;
  readonly tree: string;
}

/** Newest first. */
export function savedOf({ repository }: RealWorld): readonly Saved[] {
  const format = '%(refname) %(tree) %(committerdate:unix) %(authorname) %(contents:subject)';
  const { stdout } = runGit(repository.git, [`--git-dir=${repository.commonDir}`, 'for-each-ref', '--sort=-refname', `--format=${format}`, savedPrefix]);
  return stdout.toString('utf8').split('\n').flatMap((line) => {
    const [, ref = '', agentId = '', at = '', tree = '', agent = '', subject = ''] = /^(refs\/coord\/saved\/([0-9a-z]{8})\/(\d+)) ([0-9a-f]+) \d+ (\S+) (.*)$/.exec(line) ?? [];
    return ref === '' ? [] : [{ id: `${agentId}/${Number(at)}`, ref, agentId, agent, at: Number(at), tree, why: subject.replace(/^.*, kept before /, '') }];
  }).sort((a, b) => b.at - a.at);
}

function dropOld(world: RealWorld): void {
  const now = world.clock.now().at;
  const counts = new Map<string, number>();
  const old = savedOf(world).filter(({ agentId, at }) => {
    const count = (counts.get(agentId) ?? 0) + 1;
    counts.set(agentId, count);
    return count > limits.savedPerAgent || now - at > limits.savedAgeMs;
  });
  const known = listRefs(world.repository, savedPrefix);
  if (old.length > 0) updateRefs(world.repository, old.map(({ ref }) => ({ ref, value: null, expected: known.get(ref) ?? null })));
}
