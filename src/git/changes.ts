/** What commits change, path by path, as git tells it. */

import type { Oid } from '../core/ids.ts';
import { ask, type CommitFacts, factsOf, format, parseCommits } from './commits.ts';
import { existsCommit } from './files-at.ts';
import { stagedSince, treeOfIndex } from './index-file.ts';
import { encodeCommit } from './object-text.ts';
import { writeObject } from './objects.ts';
import { type PathChange, parseRaw, withSubmodules } from './path-changes.ts';
import { unquoted } from './quoted.ts';
import type { Repository } from './repository.ts';
import { runGit } from './run-git.ts';

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
    // A file that one side renamed is compared with what it was there.
    '-M',
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

/** So many commits back a reversal by an index that nobody knows is looked for. */
const recentCommits = 100;
