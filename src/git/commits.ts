/**
 * What a ref update brings in and takes away, as git tells it. Reads only: a hook may ask while
 * refs are locked.
 */
import type { Oid } from '../core/ids.ts';
import { wasHere } from './reflog.ts';
import type { Repository } from './repository.ts';
import { git, runGit } from './run-git.ts';

export function ask(repository: Repository, args: readonly string[], input = ''): string {
  return git(repository.git, [`--git-dir=${repository.gitDir}`, ...args], input).toString('utf8');
}

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

/** Those that changed this file and are not reached any more. */
export function droppedCommits(
  repository: Repository,
  from: Oid | null,
  to: Oid | null,
  path: string,
): readonly CommitFacts[] {
  if (from === null || to === null) return [];
  const range = [from, `^${to}`, '--', path];
  return parseCommits(ask(repository, [...logArgs, ...range]));
}

/**
 * What a branch of a server would get, oldest first; where it is new there, all that no remote has.
 */
export function between(
  repository: Repository,
  from: Oid | null,
  to: Oid,
  remote = '',
): readonly CommitFacts[] {
  return parseCommits(
    ask(repository, [
      'log',
      '--reverse',
      '--topo-order',
      '--no-show-signature',
      format,
      to,
      ...(from === null
        ? ['--not', `--remotes${remote === '' ? '' : `=${remote}`}`]
        : [`^${from}`]),
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
