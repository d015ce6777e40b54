/**
 * What is made again somewhere else, by a rebase, a revert or a cherry-pick, and what is left out
 * by it: commits that nothing reaches any more, and those whose content the new base has already.
 */
import type { Oid } from '../core/ids.ts';
import { ownChanges } from './changes.ts';
import { ask, type CommitFacts, format, logArgs, parseCommits } from './commits.ts';
import { branchRebased, detachedHeads, isRebasing, rebasedOnto } from './head.ts';
import { type PathChange, withSubmodules } from './path-changes.ts';
import type { Repository } from './repository.ts';
import { runGit } from './run-git.ts';

/**
 * Commits that nothing would reach any more once these refs have moved or gone, and that do not
 * stand in a new value in another dress.
 */
export function lost(
  repository: Repository,
  refs: readonly string[],
  olds: readonly Oid[],
  nexts: readonly Oid[],
  mayReplay = true,
): readonly CommitFacts[] {
  const kept = [
    ...refs.map((ref) => `--exclude=${ref.replace(/^refs\/heads\//, '')}`),
    '--branches',
    '--remotes',
    ...stoodOn(repository, refs, nexts),
  ];
  const gone = parseCommits(
    ask(repository, [...logArgs, ...olds, ...nexts.map((next) => `^${next}`), '--not', ...kept]),
  );
  // Only a rebase puts a commit of somebody else in another dress and means to keep it.
  if (!mayReplay || !isOfRebase(repository, refs) || gone.length === 0 || nexts.length === 0)
    return gone;
  const made = parseCommits(
    ask(repository, [
      'log',
      '--no-show-signature',
      format,
      ...nexts,
      ...olds.map((old) => `^${old}`),
    ]),
  );
  const base = rebasedOnto(repository);
  return notAmong(gone, made).filter((commit) => {
    const isMerge = commit.parents.length > 1;
    return isMerge
      ? ownChanges(repository, commit).length > 0
      : base === null || !isContained(repository, commit, base);
  });
}

/** Beside a rebase that is under way others may move other branches: that is none of its work. */
function isOfRebase(repository: Repository, refs: readonly string[]): boolean {
  if (!isRebasing(repository)) return false;
  const branch = branchRebased(repository);
  return refs.every((ref) => ref === 'HEAD' || ref === branch);
}

/**
 * What other work trees stand on is not lost; nor what this one does, unless it may be about to
 * leave it.
 */
function stoodOn(
  repository: Repository,
  refs: readonly string[],
  nexts: readonly Oid[],
): readonly Oid[] {
  const stays = nexts.length === 0 && !refs.includes('HEAD');
  return [...detachedHeads(repository)]
    .filter(([gitDir]) => stays || gitDir !== repository.gitDir)
    .map(([, oid]) => oid);
}

/**
 * Those that have no counterpart: each commit stands for one other of the same author, time and
 * subject, or, where a subject was changed, of the same author and time.
 */
function notAmong(
  gone: readonly CommitFacts[],
  made: readonly CommitFacts[],
): readonly CommitFacts[] {
  const left = [...made];
  const takes =
    (isSame: (one: CommitFacts, other: CommitFacts) => boolean) =>
    (commit: CommitFacts): boolean => {
      const at = left.findIndex((other) => isSame(commit, other));
      if (at >= 0) left.splice(at, 1);
      return at < 0;
    };
  return gone
    .filter(takes((one, other) => one.origin === other.origin && one.subject === other.subject))
    .filter(takes((one, other) => one.origin === other.origin));
}

/**
 * Does this commit, or one before it, hold what the other one did? A rebase leaves such commits out
 * by itself, and merges that only joined what it replays one by one.
 */
export function isContained(repository: Repository, commit: CommitFacts, tip: Oid): boolean {
  if (commit.parents.length !== 1) return ownChanges(repository, commit).length === 0;
  return ownChanges(repository, commit).every((change) => hasChange(repository, tip, change));
}

/**
 * Is the file there as the change leaves it, or has it each line that the change adds, as often,
 * and none that it takes out?
 */
function hasChange(repository: Repository, tip: Oid, { path, before, after }: PathChange): boolean {
  const now = entryAt(repository, tip, path);
  if (now === after) return true;
  const isText = (entry: string | null): entry is string => entry !== null && /^100/.test(entry);
  if (!isText(after) || !isText(now) || modeOf(now) !== modeOf(after)) return false;
  if (before !== null && modeOf(before) !== modeOf(after)) return false;
  const linesOf = (entry: string | null): ReadonlyMap<string, number> =>
    counts(textOf(repository, entry));
  const [was, is, has] = [linesOf(before), linesOf(after), linesOf(now)];
  const changed = [...new Set([...was.keys(), ...is.keys()])]
    .map((line) => ({ line, by: (is.get(line) ?? 0) - (was.get(line) ?? 0) }))
    .filter(({ by }) => by !== 0);
  // A change of order alone, or of lines that others have too, proves nothing.
  return (
    changed.length > 0 &&
    changed.every(({ line, by }) =>
      by > 0
        ? (has.get(line) ?? 0) >= (is.get(line) ?? 0)
        : (has.get(line) ?? 0) <= (is.get(line) ?? 0),
    )
  );
}

function counts(text: string): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  for (const line of text.split('\n')) found.set(line, (found.get(line) ?? 0) + 1);
  return found;
}

function modeOf(entry: string): string {
  return entry.slice(0, 6);
}

/** `mode oid`, as changes have it; null where there is no such file. */
function entryAt(repository: Repository, tip: Oid, path: string): string | null {
  const { stdout } = runGit(repository.git, [
    `--git-dir=${repository.gitDir}`,
    'ls-tree',
    '-z',
    '--full-tree',
    tip,
    '--',
    path,
  ]);
  const [, mode, oid] = /^(\d+) \S+ ([0-9a-f]+)\t/.exec(stdout.toString('utf8')) ?? [];
  return mode === undefined || mode === '040000' ? null : `${mode} ${oid ?? ''}`;
}

function textOf(repository: Repository, entry: string | null): string {
  if (entry === null) return '';
  const { code, stdout } = runGit(repository.git, [
    `--git-dir=${repository.gitDir}`,
    'cat-file',
    'blob',
    entry.slice(7),
  ]);
  return code === 0 ? stdout.toString('latin1') : '';
}

/**
 * Commits of a branch that a rebase puts elsewhere: those that are not upstream in another dress.
 */
export function toReplay(
  repository: Repository,
  upstream: Oid | null,
  tip: Oid,
): readonly CommitFacts[] {
  const range =
    upstream === null ? [tip] : ['--cherry-pick', '--right-only', `${upstream}...${tip}`];
  return parseCommits(ask(repository, [...logArgs, withSubmodules, '--no-merges', ...range]));
}

/** Paths that commits since then have changed, or all of them. */
export function pathsSince(
  repository: Repository,
  upstream: Oid | null,
  tip: Oid,
): readonly string[] {
  const range = upstream === null ? [tip] : [`${upstream}..${tip}`];
  const text = ask(repository, [
    'log',
    withSubmodules,
    '--no-merges',
    '--format=',
    '--name-only',
    '--no-renames',
    '-z',
    ...range,
  ]);
  return [...new Set(text.split('\0').filter((path) => path !== ''))];
}

/** Paths that these commits change, named as `git revert` and `git cherry-pick` name them. */
export function replayedPaths(repository: Repository, names: readonly string[]): readonly string[] {
  const args = [
    'log',
    withSubmodules,
    '--no-walk',
    '--diff-merges=first-parent',
    '--name-only',
    '-z',
    '--format=',
  ];
  const dir = `--git-dir=${repository.gitDir}`;
  const { code, stdout } = runGit(repository.git, [dir, ...args, ...names, '--']);
  // Names that are none are for git itself to refuse.
  return code !== 0
    ? []
    : [
        ...new Set(
          stdout
            .toString('utf8')
            .split('\0')
            .filter((path) => path !== ''),
        ),
      ];
}
