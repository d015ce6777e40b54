/** What a ref update brings in and takes away, as git tells it. Reads only: a hook may ask while refs are locked. */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Oid } from '../core/ids.ts';
import { parseRaw, type PathChange } from './index-file.ts';
import type { Repository } from './repository.ts';
import { readRef } from './refs.ts';
import { git, runGit } from './run-git.ts';

function ask(repository: Repository, args: readonly string[]): string {
  return git(repository.git, [`--git-dir=${repository.gitDir}`, ...args]).toString('utf8');
}

/** So many commits back a reversal by an index that nobody knows is looked for. */
const recentCommits = 100;

export interface CommitFacts {
  readonly oid: Oid;
  readonly parents: readonly Oid[];
  /** The agent that its trailer names, or null. */
  readonly agent: string | null;
  readonly subject: string;
  /** Author and time: what stays of a commit that is replayed. */
  readonly origin: string;
  readonly committedAt: number;
}

const format = '--format=%H%x00%P%x00%s%x00%(trailers:key=Coord-Agent,valueonly,separator=%x2C)%x00%an <%ae> %at%x00%ct%x00';

function parseCommits(text: string): readonly CommitFacts[] {
  const words = text.split('\0');
  const commits: CommitFacts[] = [];
  for (let i = 0; i + 5 < words.length; i += 6) {
    const [oid = '', parents = '', subject = '', agent = '', origin = '', at = ''] = words.slice(i, i + 6);
    commits.push({ oid: oid.trim(), origin, committedAt: Number(at) * 1_000, parents: parents.split(' ').filter((parent) => parent !== ''), subject, agent: agent === '' ? null : agent.split(',').at(-1) ?? null });
  }
  return commits;
}

export interface Head {
  readonly oid: Oid | null;
  readonly branch: string | null;
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

/** What a fetch or a merge that is under way has brought: it is there already. */
export function broughtIn({ gitDir }: Repository): readonly Oid[] {
  return ['FETCH_HEAD', 'MERGE_HEAD'].flatMap((name) => [...readText(join(gitDir, name)).matchAll(/^[0-9a-f]{40,64}/gm)].map(([oid]) => oid));
}

/** What git leaves in a work tree while something is unfinished, with its name and since when. */
export function operationUnderWay({ gitDir }: Repository): { readonly name: string; readonly sinceMs: number } | null {
  for (const [file, name] of [['MERGE_HEAD', 'merge'], ['CHERRY_PICK_HEAD', 'cherry-pick'], ['REVERT_HEAD', 'revert'], ['SQUASH_MSG', 'merge --squash']] as const) {
    const stat = statSync(join(gitDir, file), { throwIfNoEntry: false });
    if (stat !== undefined) return { name, sinceMs: stat.mtimeMs };
  }
  return null;
}

export function isRebasing({ gitDir }: Repository): boolean {
  return ['rebase-merge', 'rebase-apply'].some((name) => existsSync(join(gitDir, name)));
}

/** HEAD as the repository has it now: the commit, and the branch if it is on one. */
export function headOf(repository: Repository): Head {
  const [, branch, oid] = /^(?:ref: (refs\/\S+)|([0-9a-f]{40,64}))\n$/.exec(readText(join(repository.gitDir, 'HEAD'))) ?? [];
  if (repository.refs === 'files' && oid !== undefined) return { oid, branch: null };
  if (repository.refs === 'files' && branch !== undefined) return { oid: readRef(repository, branch), branch };
  const symbolic = runGit(repository.git, [`--git-dir=${repository.gitDir}`, 'symbolic-ref', '-q', 'HEAD']);
  const { code, stdout } = runGit(repository.git, [`--git-dir=${repository.gitDir}`, 'rev-parse', '--verify', '-q', 'HEAD']);
  return { oid: code === 0 ? stdout.toString('utf8').trim() : null, branch: symbolic.code === 0 ? symbolic.stdout.toString('utf8').trim() : null };
}

/** Commits that no branch, no remote-tracking branch and no fetch has brought before, oldest first. */
export function introduced(repository: Repository, tips: readonly Oid[], known: readonly Oid[]): readonly CommitFacts[] {
  return parseCommits(ask(repository, ['log', '--reverse', '--topo-order', '--no-show-signature', format, ...tips, ...known.map((oid) => `^${oid}`), '--not', '--branches', '--remotes']));
}

export function unpushed(repository: Repository, tips: readonly Oid[]): readonly CommitFacts[] {
  return parseCommits(ask(repository, ['log', '--no-show-signature', format, ...tips, '--not', '--remotes']));
}

/** What a branch of a server would get, oldest first; where it is new there, all that no remote has. */
export function between(repository: Repository, from: Oid | null, to: Oid, remote: string): readonly CommitFacts[] {
  return parseCommits(ask(repository, ['log', '--reverse', '--topo-order', '--no-show-signature', format, to, ...(from === null ? ['--not', `--remotes=${remote}`] : [`^${from}`])]));
}

/** From `old` to `next` where each has one parent, and the first of a new log none; null where it is no such chain. Oldest first. */
export function commitsSince(repository: Repository, old: Oid | null, next: Oid): readonly Oid[] | null {
  const rows = ask(repository, ['rev-list', '--parents', '--topo-order', '--reverse', next, ...(old === null ? [] : [`^${old}`])]).split('\n').filter((row) => row !== '').map((row) => row.split(' '));
  let at: Oid | undefined = old ?? undefined;
  for (const [oid, parent, other] of rows) {
    if (parent !== at || other !== undefined) return null;
    at = oid;
  }
  return at === next ? rows.map(([oid = '']) => oid) : null;
}

/** What no branch of a server has yet, but those of coord's own: anybody may put anything there. */
export function introducedTo(repository: Repository, next: Oid): readonly CommitFacts[] {
  return parseCommits(ask(repository, ['log', '--reverse', '--topo-order', '--no-show-signature', format, next, '--not', '--exclude=coord/*', '--branches']));
}

/** How much a push of it would have to send, at the most. */
export function sizeBetween(repository: Repository, from: Oid | null, to: Oid): { readonly objects: number; readonly bytes: number } {
  const range = [to, ...(from === null ? ['--not', '--remotes'] : [`^${from}`])];
  return { objects: ask(repository, ['rev-list', '--objects', ...range]).split('\n').length - 1, bytes: Number(ask(repository, ['rev-list', '--objects', '--disk-usage', ...range]).trim()) || 0 };
}

/** Commits that nothing would reach any more once these refs have moved or gone, and that do not stand in a new value in another dress. */
export function lost(repository: Repository, refs: readonly string[], olds: readonly Oid[], nexts: readonly Oid[]): readonly CommitFacts[] {
  const kept = [...refs.map((ref) => `--exclude=${ref.replace(/^refs\/heads\//, '')}`), '--branches', '--remotes'];
  const gone = parseCommits(ask(repository, ['log', '--no-show-signature', format, ...olds, ...nexts.map((next) => `^${next}`), '--not', ...kept]));
  // Only a rebase puts a commit of somebody else in another dress and means to keep it.
  if (!isRebasing(repository) || gone.length === 0 || nexts.length === 0) return gone;
  const replayed = new Set(parseCommits(ask(repository, ['log', '--no-show-signature', format, ...nexts, ...olds.map((old) => `^${old}`)])).map(({ origin }) => origin));
  return gone.filter(({ origin }) => !replayed.has(origin));
}

/** A commit's own changes: against its parent, for a merge what differs from all parents. */
export function ownChanges(repository: Repository, { oid, parents }: CommitFacts): readonly PathChange[] {
  if (parents.length > 1) {
    const names = ask(repository, ['diff-tree', '-r', '-c', '--name-only', '--no-commit-id', '-z', oid]).split('\0').filter((name) => name !== '');
    return names.map((path) => ({ path, before: null, after: null }));
  }
  return changesIn(repository, oid);
}

/** Against its only parent; nothing for a merge. */
export function changesIn(repository: Repository, oid: Oid): readonly PathChange[] {
  return parseRaw(ask(repository, ['diff-tree', '-r', '--root', '--no-renames', '--raw', '--no-abbrev', '--no-commit-id', '-z', oid]));
}

const betweenTwo = ['diff-tree', '-r', '--no-renames', '--raw', '--no-abbrev', '-z'];

export function changesBetween(repository: Repository, from: Oid, to: Oid): readonly PathChange[] {
  return from === to ? [] : parseRaw(ask(repository, [...betweenTwo, from, to]));
}

/** The same where one of them may be gone: then nothing is known. */
export function knownChanges(repository: Repository, from: Oid, to: Oid): readonly PathChange[] {
  const { code, stdout } = runGit(repository.git, [`--git-dir=${repository.gitDir}`, ...betweenTwo, from, to]);
  return code === 0 ? parseRaw(stdout.toString('utf8')) : [];
}

/** The last commit that changed a path on the way, for the words of a refusal. */
export function lastToChange(repository: Repository, from: Oid, to: Oid, path: string): CommitFacts | null {
  const range = existsCommit(repository, from) ? `${from}..${to}` : to;
  return parseCommits(ask(repository, ['log', '-1', '--no-show-signature', format, range, '--', path]))[0] ?? null;
}

export function factsOf(repository: Repository, oid: Oid): CommitFacts | null {
  return parseCommits(ask(repository, ['log', '-1', '--no-show-signature', format, oid]))[0] ?? null;
}

/** What a name stands for, if it is a commit's. */
export function commitAt(repository: Repository, name: string): Oid | null {
  const { code, stdout } = runGit(repository.git, [`--git-dir=${repository.gitDir}`, 'rev-parse', '--verify', '-q', '--end-of-options', `${name}^{commit}`]);
  return code === 0 ? stdout.toString('utf8').trim() : null;
}

export function existsCommit(repository: Repository, oid: Oid): boolean {
  return runGit(repository.git, [`--git-dir=${repository.gitDir}`, 'cat-file', '-e', `${oid}^{commit}`]).code === 0;
}

/** Does the commit of that name hold a file of this path? */
export function existsAt(repository: Repository, name: string, path: string): boolean {
  return runGit(repository.git, [`--git-dir=${repository.gitDir}`, 'cat-file', '-e', '--end-of-options', `${name}:${path}`]).code === 0;
}

/** The tree of a commit. */
export function treeOf(repository: Repository, oid: Oid): Oid {
  return ask(repository, ['rev-parse', '--verify', `${oid}^{tree}`]).trim();
}

/** By path, what stood there before commits that are not by this agent: a change to one of these undoes them. */
export function versionsBefore(repository: Repository, head: Oid, paths: readonly string[], isMine: (agent: string | null) => boolean): ReadonlyMap<string, ReadonlySet<string | null>> {
  const others = parseCommits(ask(repository, ['log', '-n', String(recentCommits), '--no-merges', '--no-show-signature', format, head, '--', ...paths])).filter(({ agent }) => !isMine(agent));
  const before = new Map<string, Set<string | null>>();
  for (const { oid } of others) {
    for (const change of changesIn(repository, oid)) before.set(change.path, (before.get(change.path) ?? new Set()).add(change.before));
  }
  return before;
}

/** How many files it holds. */
export function filesIn(repository: Repository, oid: Oid): number {
  return ask(repository, ['ls-tree', '-r', '-z', '--name-only', oid]).split('\0').length - 1;
}

export function isAncestor(repository: Repository, ancestor: Oid, descendant: Oid): boolean {
  return runGit(repository.git, [`--git-dir=${repository.gitDir}`, 'merge-base', '--is-ancestor', ancestor, descendant]).code === 0;
}

/** A file as a commit has it, or null. */
export function fileAt(repository: Repository, commit: Oid, path: string): string | null {
  const { code, stdout } = runGit(repository.git, [`--git-dir=${repository.gitDir}`, 'cat-file', 'blob', `${commit}:${path}`]);
  return code === 0 ? stdout.toString('utf8') : null;
}

/** So that nobody reads what is too large to be what they look for; null where it is not there. */
export function sizeAt(repository: Repository, commit: Oid, path: string): number | null {
  const { code, stdout } = runGit(repository.git, [`--git-dir=${repository.gitDir}`, 'cat-file', '-s', `${commit}:${path}`]);
  return code === 0 ? Number(stdout.toString('utf8')) : null;
}

export interface BeadsOfCommit {
  readonly oid: Oid;
  readonly committedAt: number;
  readonly agents: readonly string[];
  readonly beads: readonly string[];
  readonly message: string;
}

/** Newest first, with what their trailers name. */
export function beadsOf(repository: Repository, range: readonly string[], most: number): readonly BeadsOfCommit[] {
  const words = ask(repository, ['log', `--max-count=${most}`, '--no-show-signature', '--format=%H%x00%ct%x00%(trailers:key=Coord-Agent,valueonly,separator=%x2C)%x00%(trailers:key=Coord-Bead,valueonly,separator=%x2C)%x2C%(trailers:key=Bead,valueonly,separator=%x2C)%x00%B%x00', ...range, '--']).split('\0');
  const rows: BeadsOfCommit[] = [];
  const list = (text: string): readonly string[] => text.split(',').map((word) => word.trim()).filter((word) => word !== '');
  for (let i = 0; i + 4 < words.length; i += 5) {
    const [oid = '', at = '', agents = '', beads = '', message = ''] = words.slice(i, i + 5);
    rows.push({ oid: oid.trim(), committedAt: Number(at) * 1_000, agents: list(agents), beads: list(beads), message });
  }
  return rows;
}
