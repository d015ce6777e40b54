/**
 * What a ref update brings in and takes away, as git tells it. Reads only: a hook may ask while
 * refs are locked.
 */
import type { Oid } from '../core/ids.ts';
import {
  type PathChange,
  parseRaw,
  stagedSince,
  treeOfIndex,
  withSubmodules,
} from './index-file.ts';
import { encodeCommit } from './object-text.ts';
import { writeObject } from './objects.ts';
import { unquoted } from './quoted.ts';
import { wasHere } from './reflog.ts';
import type { Repository } from './repository.ts';
import { git, runGit } from './run-git.ts';

export function ask(repository: Repository, args: readonly string[], input = ''): string {
  return git(repository.git, [`--git-dir=${repository.gitDir}`, ...args], input).toString('utf8');
}

/** So many commits back a reversal by an index that nobody knows is looked for. */
const recentCommits = 100;

export interface CommitFacts {
  readonly oid: Oid;
  readonly tree: Oid;
  readonly parents: readonly Oid[];
  /** The agent that its trailer names, or null. */
  readonly agent: string | null;
  readonly subject: string;
  /** Author and time: what stays of a commit that is replayed. */
  readonly origin: string;
  readonly committedAt: number;
  /** Of a commit that was replayed, before that. */
  readonly authoredAt: number;
}

export const format: string =
  '--format=%H%x00%T%x00%P%x00%s%x00%(trailers:key=Coord-Agent,valueonly,separator=%x2C)%x00%an <%ae> %at%x00%ct%x00';

export function parseCommits(text: string): readonly CommitFacts[] {
  const words = text.split('\0');
  const commits: CommitFacts[] = [];
  for (let i = 0; i + 6 < words.length; i += 7) {
    const [oid = '', tree = '', parents = '', subject = '', agent = '', origin = '', at = ''] =
      words.slice(i, i + 7);
    const authoredAt = Number(origin.split(' ').at(-1)) * 1_000;
    commits.push({
      oid: oid.trim(),
      tree,
      origin,
      committedAt: Number(at) * 1_000,
      authoredAt,
      parents: parents.split(' ').filter((parent) => parent !== ''),
      subject,
      agent: agent === '' ? null : (agent.split(',').at(-1) ?? null),
    });
  }
  return commits;
}

/** `--ignore-missing`: a ref that is broken is nobody's reason to commit nothing. */
export const logArgs: readonly string[] = [
  'log',
  '--ignore-missing',
  '--no-show-signature',
  format,
];

/**
 * Commits that are new here, oldest first: on no branch and no remote-tracking branch, brought by
 * no fetch, and never on a branch or checked out here before, as the reflogs tell.
 */
export function introduced(
  repository: Repository,
  tips: readonly Oid[],
  known: readonly Oid[],
): readonly CommitFacts[] {
  const range = [...tips, ...known.map((oid) => `^${oid}`), '--not', '--branches', '--remotes'];
  const fresh = parseCommits(ask(repository, [...logArgs, '--reverse', '--topo-order', ...range]));
  if (fresh.length === 0) return fresh;
  const lines = wasHere(repository)
    .map((oid) => `^${oid}\n`)
    .join('');
  const args = [...logArgs, '--reverse', '--topo-order', ...range, '--stdin'];
  return parseCommits(ask(repository, args, lines));
}

export function unpushed(repository: Repository, tips: readonly Oid[]): readonly CommitFacts[] {
  return parseCommits(ask(repository, [...logArgs, ...tips, '--not', '--remotes']));
}

/**
 * What a branch of a server would get, oldest first; where it is new there, all that no remote has.
 */
export function between(
  repository: Repository,
  from: Oid | null,
  to: Oid,
  remote: string,
): readonly CommitFacts[] {
  return parseCommits(
    ask(repository, [
      'log',
      '--reverse',
      '--topo-order',
      '--no-show-signature',
      format,
      to,
      ...(from === null ? ['--not', `--remotes=${remote}`] : [`^${from}`]),
    ]),
  );
}

/**
 * From `old` to `next` where each has one parent, and the first of a new log none; null where it is
 * no such chain. Oldest first.
 */
export function commitsSince(
  repository: Repository,
  old: Oid | null,
  next: Oid,
): readonly Oid[] | null {
  const rows = ask(repository, [
    'rev-list',
    '--parents',
    '--topo-order',
    '--reverse',
    next,
    ...(old === null ? [] : [`^${old}`]),
  ])
    .split('\n')
    .filter((row) => row !== '')
    .map((row) => row.split(' '));
  let at: Oid | undefined = old ?? undefined;
  for (const [oid, parent, other] of rows) {
    if (parent !== at || other !== undefined) return null;
    at = oid;
  }
  return at === next ? rows.map(([oid = '']) => oid) : null;
}

/** What no branch of a server has yet, but those of coord's own: anybody may put anything there. */
export function introducedTo(repository: Repository, next: Oid): readonly CommitFacts[] {
  return parseCommits(
    ask(repository, [
      'log',
      '--reverse',
      '--topo-order',
      '--no-show-signature',
      format,
      next,
      '--not',
      '--exclude=coord/*',
      '--branches',
    ]),
  );
}

/** How much a push of it would have to send, at the most. */
export function sizeBetween(
  repository: Repository,
  from: Oid | null,
  to: Oid,
): { readonly objects: number; readonly bytes: number } {
  const range = [to, ...(from === null ? ['--not', '--remotes'] : [`^${from}`])];
  return {
    objects: ask(repository, ['rev-list', '--objects', ...range]).split('\n').length - 1,
    bytes: Number(ask(repository, ['rev-list', '--objects', '--disk-usage', ...range]).trim()) || 0,
  };
}

/** A commit's own changes: against its parent, for a merge what it resolves itself. */
export function ownChanges(
  repository: Repository,
  { oid, parents }: Pick<CommitFacts, 'oid' | 'parents'>,
): readonly PathChange[] {
  if (parents.length <= 1) return changesIn(repository, oid);
  return resolvedIn(repository, oid).map((path) => ({ path, before: null, after: null }));
}

/**
 * Paths in which a merge has lines that none of its parents has. A file that both sides changed and
 * that git put together by itself is none of them.
 */
function resolvedIn(repository: Repository, merge: Oid): readonly string[] {
  const combined = [
    'diff-tree',
    '-r',
    withSubmodules,
    '--no-commit-id',
    '--no-ext-diff',
    '--no-textconv',
  ];
  const names = ask(repository, [...combined, '-c', '--name-only', '-z', merge])
    .split('\0')
    .filter((name) => name !== '');
  if (names.length === 0) return [];
  const patch = ask(repository, [...combined, '--cc', '-p', '-U0', merge]);
  const shown = [...patch.matchAll(/^diff --(?:cc|combined) (.+)$/gm)];
  const resolved = new Set(shown.map(([, name = '']) => unquoted(name)));
  return names.filter((name) => resolved.has(name));
}

/** What the merge that this index would become resolves itself; null while it is unmerged. */
export function resolvedInIndex(
  repository: Repository,
  index: string,
  parents: readonly Oid[],
): readonly string[] | null {
  const differing = parents.map((parent) =>
    stagedSince(repository, index, parent).map(({ path }) => path),
  );
  const inAll = (differing[0] ?? []).filter((path) =>
    differing.every((paths) => paths.includes(path)),
  );
  if (inAll.length === 0) return [];
  const tree = treeOfIndex(repository, index);
  if (tree === null) return null;
  // Nobody will see this commit: it is only there to be compared as git compares one.
  const nobody = { name: 'coord', email: 'coord@coord.invalid', at: 0 };
  const body = encodeCommit({ tree, parents, message: 'as it would be\n' }, nobody, nobody);
  return resolvedIn(repository, writeObject(repository, 'commit', body));
}

/** Paths that the other side of a merge changed since both were one. */
export function changesByMerge(repository: Repository, head: Oid, side: Oid): readonly string[] {
  const { stdout } = runGit(repository.git, [
    `--git-dir=${repository.gitDir}`,
    'diff-tree',
    '-r',
    withSubmodules,
    '--merge-base',
    '--name-only',
    '--no-renames',
    '-z',
    head,
    side,
  ]);
  return stdout
    .toString('utf8')
    .split('\0')
    .filter((path) => path !== '');
}

/**
 * Files that an entry of the stash took along: changed, staged and, in its third parent, untracked
 * ones.
 */
export function stashedPaths(repository: Repository, entry: Oid): readonly string[] {
  const parents = factsOf(repository, entry)?.parents ?? [];
  const [base, , untracked] = parents;
  if (base === undefined) return [];
  const changed = changesBetween(repository, base, entry).map(({ path }) => path);
  return untracked === undefined
    ? changed
    : [...changed, ...changesIn(repository, untracked).map(({ path }) => path)];
}

/** Against its only parent; nothing for a merge. */
export function changesIn(repository: Repository, oid: Oid): readonly PathChange[] {
  return parseRaw(ask(repository, [...betweenTwo, '--root', '--no-commit-id', oid]));
}

const betweenTwo = [
  'diff-tree',
  '-r',
  withSubmodules,
  '--no-renames',
  '--raw',
  '--no-abbrev',
  '-z',
];

export function changesBetween(repository: Repository, from: Oid, to: Oid): readonly PathChange[] {
  return from === to ? [] : parseRaw(ask(repository, [...betweenTwo, from, to]));
}

/** The same where one of them may be gone: then nothing is known. */
export function knownChanges(repository: Repository, from: Oid, to: Oid): readonly PathChange[] {
  const { code, stdout } = runGit(repository.git, [
    `--git-dir=${repository.gitDir}`,
    ...betweenTwo,
    from,
    to,
  ]);
  return code === 0 ? parseRaw(stdout.toString('utf8')) : [];
}

/** The last commit that changed a path on the way, for the words of a refusal. */
export function lastToChange(
  repository: Repository,
  from: Oid,
  to: Oid,
  path: string,
): CommitFacts | null {
  const range = existsCommit(repository, from) ? `${from}..${to}` : to;
  return (
    parseCommits(
      ask(repository, [
        'log',
        '-1',
        withSubmodules,
        '--no-show-signature',
        format,
        range,
        '--',
        path,
      ]),
    )[0] ?? null
  );
}

export function factsOf(repository: Repository, oid: Oid): CommitFacts | null {
  return (
    parseCommits(ask(repository, ['log', '-1', '--no-show-signature', format, oid]))[0] ?? null
  );
}

/** What a name stands for, if it is a commit's. */
export function commitAt(repository: Repository, name: string): Oid | null {
  const { code, stdout } = runGit(repository.git, [
    `--git-dir=${repository.gitDir}`,
    'rev-parse',
    '--verify',
    '-q',
    '--end-of-options',
    `${name}^{commit}`,
  ]);
  return code === 0 ? stdout.toString('utf8').trim() : null;
}

export function existsCommit(repository: Repository, oid: Oid): boolean {
  return (
    runGit(repository.git, [`--git-dir=${repository.gitDir}`, 'cat-file', '-e', `${oid}^{commit}`])
      .code === 0
  );
}

/** Does the commit of that name hold a file of this path? */
export function existsAt(repository: Repository, name: string, path: string): boolean {
  return (
    runGit(repository.git, [
      `--git-dir=${repository.gitDir}`,
      'cat-file',
      '-e',
      '--end-of-options',
      `${name}:${path}`,
    ]).code === 0
  );
}

/**
 * By path, the part of it that HEAD has as something else: a file where the path needs a folder, or
 * a folder in the path's own place.
 */
export function takenInHead(
  repository: Repository,
  paths: readonly string[],
): ReadonlyMap<string, string> {
  const partsOf = (path: string): readonly string[] =>
    path.split('/').map((_, i, parts) => parts.slice(0, i + 1).join('/'));
  // A name with a line break cannot be asked for.
  const asked = [...new Set(paths.filter((path) => !path.includes('\n')).flatMap(partsOf))];
  if (asked.length === 0) return new Map();
  const rows = ask(
    repository,
    ['cat-file', '--batch-check'],
    asked.map((path) => `HEAD:${path}\n`).join(''),
  ).split('\n');
  const kinds = new Map(
    asked.flatMap((path, i) => {
      const [, kind] = /^[0-9a-f]+ (blob|tree) /.exec(rows[i] ?? '') ?? [];
      return kind === undefined ? [] : [[path, kind] as const];
    }),
  );
  return new Map(
    paths.flatMap((path) => {
      const taken = partsOf(path).find(
        (part) => kinds.has(part) && (kinds.get(part) === 'tree') === (part === path),
      );
      return taken === undefined ? [] : [[path, taken] as const];
    }),
  );
}

/** The tree of a commit. */
export function treeOf(repository: Repository, oid: Oid): Oid {
  return ask(repository, ['rev-parse', '--verify', `${oid}^{tree}`]).trim();
}

/**
 * By path, what stood there before commits that are not by this agent: a change to one of these
 * undoes them.
 */
export function versionsBefore(
  repository: Repository,
  head: Oid,
  paths: readonly string[],
  isMine: (agent: string | null) => boolean,
): ReadonlyMap<string, ReadonlySet<string | null>> {
  const others = parseCommits(
    ask(repository, [
      'log',
      '-n',
      String(recentCommits),
      withSubmodules,
      '--no-merges',
      '--no-show-signature',
      format,
      head,
      '--',
      ...paths,
    ]),
  ).filter(({ agent }) => !isMine(agent));
  const before = new Map<string, Set<string | null>>();
  for (const { oid } of others) {
    for (const change of changesIn(repository, oid))
      before.set(change.path, (before.get(change.path) ?? new Set()).add(change.before));
  }
  return before;
}

/** How many files it holds. */
export function filesIn(repository: Repository, oid: Oid): number {
  return ask(repository, ['ls-tree', '-r', '-z', '--name-only', oid]).split('\0').length - 1;
}

export function isAncestor(repository: Repository, ancestor: Oid, descendant: Oid): boolean {
  return (
    runGit(repository.git, [
      `--git-dir=${repository.gitDir}`,
      'merge-base',
      '--is-ancestor',
      ancestor,
      descendant,
    ]).code === 0
  );
}

/** A file as a commit has it, or null. */
export function fileAt(repository: Repository, commit: Oid, path: string): string | null {
  const { code, stdout } = runGit(repository.git, [
    `--git-dir=${repository.gitDir}`,
    'cat-file',
    'blob',
    `${commit}:${path}`,
  ]);
  return code === 0 ? stdout.toString('utf8') : null;
}

/** So that nobody reads what is too large to be what they look for; null where it is not there. */
export function sizeAt(repository: Repository, commit: Oid, path: string): number | null {
  const { code, stdout } = runGit(repository.git, [
    `--git-dir=${repository.gitDir}`,
    'cat-file',
    '-s',
    `${commit}:${path}`,
  ]);
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
export function beadsOf(
  repository: Repository,
  range: readonly string[],
  most: number,
): readonly BeadsOfCommit[] {
  const words = ask(repository, [
    'log',
    `--max-count=${most}`,
    '--no-show-signature',
    '--format=%H%x00%ct%x00%(trailers:key=Coord-Agent,valueonly,separator=%x2C)%x00%(trailers:key=Coord-Bead,valueonly,separator=%x2C)%x2C%(trailers:key=Bead,valueonly,separator=%x2C)%x00%B%x00',
    ...range,
    '--',
  ]).split('\0');
  const rows: BeadsOfCommit[] = [];
  const list = (text: string): readonly string[] =>
    text
      .split(',')
      .map((word) => word.trim())
      .filter((word) => word !== '');
  for (let i = 0; i + 4 < words.length; i += 5) {
    const [oid = '', at = '', agents = '', beads = '', message = ''] = words.slice(i, i + 5);
    rows.push({
      oid: oid.trim(),
      committedAt: Number(at) * 1_000,
      agents: list(agents),
      beads: list(beads),
      message,
    });
  }
  return rows;
}
