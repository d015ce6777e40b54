/**
 * What is made again somewhere else, by a rebase, a revert or a cherry-pick, and what is left out by it:
 * commits that nothing reaches any more, and those whose content the new base has already.
 */
import type { Oid } from '../core/ids.ts';
import { ask, existsAt, format, logArgs, ownChanges, parseCommits, type CommitFacts } from './commits.ts';
import { isRebasing } from './head.ts';
import type { Repository } from './repository.ts';
import { runGit } from './run-git.ts';

/** Commits that nothing would reach any more once these refs have moved or gone, and that do not stand in a new value in another dress. */
export function lost(repository: Repository, refs: readonly string[], olds: readonly Oid[], nexts: readonly Oid[]): readonly CommitFacts[] {
  const kept = [...refs.map((ref) => `--exclude=${ref.replace(/^refs\/heads\//, '')}`), '--branches', '--remotes'];
  const gone = parseCommits(ask(repository, [...logArgs, ...olds, ...nexts.map((next) => `^${next}`), '--not', ...kept]));
  // Only a rebase puts a commit of somebody else in another dress and means to keep it.
  if (!isRebasing(repository) || gone.length === 0 || nexts.length === 0) return gone;
  const replayed = new Set(parseCommits(ask(repository, ['log', '--no-show-signature', format, ...nexts, ...olds.map((old) => `^${old}`)])).map(({ origin }) => origin));
  return gone.filter((commit) => (
    !replayed.has(commit.origin) && !nexts.some((next) => isContained(repository, commit, next))));
}

/**
 * Does this commit, or one before it, hold what the other one did? A rebase leaves such commits out by
 * itself, and merges that only joined what it replays one by one.
 */
export function isContained(repository: Repository, commit: CommitFacts, tip: Oid): boolean {
  if (commit.parents.length !== 1) return ownChanges(repository, commit).length === 0;
  const linesAt = (oid: Oid, path: string): readonly string[] => textAt(repository, oid, path).split('\n');
  return ownChanges(repository, commit).every(({ path, before, after }) => {
    if (after === null) return !existsAt(repository, tip, path);
    const [was, is, now] = [
      before === null ? [] : linesAt(commit.parents[0] ?? '', path), linesAt(commit.oid, path), linesAt(tip, path),
    ];
    const added = is.filter((line) => !was.includes(line));
    const removed = was.filter((line) => !is.includes(line));
    return added.every((line) => now.includes(line)) && !removed.some((line) => now.includes(line))
      && existsAt(repository, tip, path);
  });
}

function textAt(repository: Repository, oid: Oid, path: string): string {
  const { code, stdout } = runGit(repository.git, [`--git-dir=${repository.gitDir}`, 'cat-file', 'blob', `${oid}:${path}`]);
  return code === 0 ? stdout.toString('latin1') : '';
}

/** Commits of a branch that a rebase puts elsewhere: those that are not upstream in another dress. */
export function toReplay(repository: Repository, upstream: Oid | null, tip: Oid): readonly CommitFacts[] {
  const range = upstream === null ? [tip] : ['--cherry-pick', '--right-only', `${upstream}...${tip}`];
  return parseCommits(ask(repository, [...logArgs, '--no-merges', ...range]));
}

/** Paths that commits since then have changed, or all of them. */
export function pathsSince(repository: Repository, upstream: Oid | null, tip: Oid): readonly string[] {
  const range = upstream === null ? [tip] : [`${upstream}..${tip}`];
  const text = ask(repository, ['log', '--no-merges', '--format=', '--name-only', '--no-renames', '-z', ...range]);
  return [...new Set(text.split('\0').filter((path) => path !== ''))];
}

/** Paths that these commits change, named as `git revert` and `git cherry-pick` name them. */
export function replayedPaths(repository: Repository, names: readonly string[]): readonly string[] {
  const args = ['log', '--no-walk', '--diff-merges=first-parent', '--name-only', '-z', '--format='];
  const dir = `--git-dir=${repository.gitDir}`;
  const { code, stdout } = runGit(repository.git, [dir, ...args, ...names, '--']);
  // Names that are none are for git itself to refuse.
  return code !== 0 ? [] : [...new Set(stdout.toString('utf8').split('\0').filter((path) => path !== ''))];
}
