/**
 * What to run after a refusal of the guard: every such command is made here. Followed to the letter
 * it ends the situation, and nobody's work is lost by it, committed, staged or unsaved.
 */

import { shellLine } from '../core/shell-line.ts';
import type { CommitFacts } from '../git/commits.ts';
import type { GitCommand } from '../git/git-command.ts';
import { readBranch } from '../git/refs.ts';
import type { Repository } from '../git/repository.ts';
import type { Effect } from './effects.ts';
import { optionsOf } from './options.ts';
import { stashEntry } from './stash-owner.ts';

/** More paths than these are written to a file. */
const mostPaths = 40;

export function line({ verb, words }: GitCommand): string {
  return shellLine('git', verb, ...words);
}

export function all(...lines: readonly string[]): string {
  return lines.join(' && ');
}

/** All files but these, in git's own notation. */
export function allBut(paths: readonly string[]): readonly string[] {
  return paths.map((path) => `:(exclude,top,literal)${path}`);
}

export function atTop(path: string): string {
  return `:(top,literal)${path}`;
}

/**
 * Stands in line for the paths, then does it again: what their holder has not committed is kept.
 */
export function waitAndRetry(paths: readonly string[], command: GitCommand | null): string {
  const wait = shellLine('coord', 'reserve', '--wait', '2m', '--literal', '--', ...paths);
  return command === null ? wait : all(wait, line(command));
}

/** A branch keeps what the command would leave on none. */
export function keepOnBranch(
  repository: Repository,
  commits: readonly CommitFacts[],
  command: GitCommand | null,
): string {
  return all(keptOnBranches(repository, commits), ...(command === null ? [] : [line(command)]));
}

export function keptOnBranches(repository: Repository, commits: readonly CommitFacts[]): string {
  // The newest of them reaches the others, unless they are side by side.
  const parents = new Set(commits.flatMap((commit) => commit.parents));
  const tips = commits.filter(({ oid }) => !parents.has(oid));
  const nameOf = (oid: string, length = 10): string => {
    const name = `kept-${oid.slice(0, length)}`;
    return readBranch(repository, `refs/heads/${name}`) === null ? name : nameOf(oid, length + 4);
  };
  return all(...tips.map(({ oid }) => shellLine('git', 'branch', nameOf(oid), oid)));
}

/** Both of it: a branch for commits of others, a place in line for their files. */
export function keepAndWait(
  repository: Repository,
  commits: readonly CommitFacts[],
  paths: readonly string[],
  command: GitCommand,
): string {
  if (paths.length === 0) return keepOnBranch(repository, commits, command);
  const wait = waitAndRetry(paths, command);
  return commits.length === 0 ? wait : all(keptOnBranches(repository, commits), wait);
}

/** The same for all files by name leaves alone what is under way. */
export function besideOperation({ verb, words }: GitCommand): GitCommand | null {
  const { has, free } = optionsOf(verb, words);
  const isPlain =
    verb === 'reset' && free.length === 0 && !has(null, 'hard', 'merge', 'keep', 'soft');
  return isPlain ? { verb, words: [...words, '--', ':/'] } : null;
}

/** The same of what the caller has stashed itself, if anything. */
export function takeOwnStash({ words }: GitCommand, own: readonly string[]): string {
  const [newest] = own;
  if (newest === undefined) return 'git stash list';
  // From the oldest on, so that the others keep their numbers.
  if (words[0] === 'clear') {
    return all(...[...own].reverse().map((name) => shellLine('git', 'stash', 'drop', '-q', name)));
  }
  return shellLine('git', 'stash', ...words.filter((word) => !stashEntry.test(word)), newest);
}

/** A merge that was stopped: others' changes that were staged along leave it, or it is given up. */
export function endMerge(swept: readonly string[], resolved: readonly string[]): readonly string[] {
  const unstage =
    swept.length === 0 ? [] : [shellLine('git', 'reset', '-q', '--', ...swept.map(atTop))];
  if (resolved.length === 0) return [all(...unstage, 'git commit --no-edit')];
  return [
    all(...unstage, waitAndRetry(resolved, { verb: 'commit', words: ['--no-edit'] })),
    all(...unstage, 'git merge --abort'),
  ];
}

/** What git had changed before it asked, as it was. */
export function putBack(
  paths: readonly string[],
  where: 'index' | 'index and files',
  writeList: (paths: readonly string[]) => string,
): string {
  const places = where === 'index' ? ['--staged'] : ['--staged', '--worktree'];
  const restore = ['git', 'restore', '-q', '--source=HEAD', ...places];
  if (paths.length <= mostPaths) return shellLine(...restore, '--', ...paths.map(atTop));
  const list = writeList(paths.map((path) => `${atTop(path)}\0`));
  return shellLine(...restore, '--pathspec-file-nul', `--pathspec-from-file=${list}`);
}

/** The same command on all files but these; `isAll` where it is about no other. */
export function spare(
  command: GitCommand,
  effect: Effect,
  theirs: readonly { readonly path: string; readonly isHeld: boolean }[],
  isAll: boolean,
): string {
  const paths = [...new Set(theirs.map(({ path }) => path))];
  const { verb, words } = command;
  const { has, free, paths: behind } = optionsOf(verb, words);
  // What is staged and not held cannot be waited for: its agent has to commit it.
  const retry = theirs.every(({ isHeld }) => isHeld) ? waitAndRetry(paths, command) : 'git status';
  if (effect.kind === 'staged') {
    return all(shellLine('git', 'reset', '-q', '--', ...paths.map(atTop)), line(command));
  }
  const scope = effect.kind === 'paths' ? effect.paths : [':/'];
  if (isAll || effect.kind === 'merges') return retry;
  const named = [...free, ...(behind ?? []), '--'];
  const flags = words.filter((word) => !named.includes(word));
  switch (verb) {
    case 'stash':
      return line({ verb, words: ['push', ...flags, '--', ...scope, ...allBut(paths)] });
    case 'clean':
      return line({
        verb,
        words: [
          ...flags,
          ...paths.flatMap((path) => ['-e', `/${path}`]),
          ...free,
          ...(behind ?? []),
        ],
      });
    case 'reset': {
      const [target] = free;
      if (target !== undefined) return line({ verb, words: ['--keep', target] });
      return shellLine('git', 'restore', '--staged', '--worktree', '--', ':/', ...allBut(paths));
    }
    case 'restore':
    case 'checkout': {
      if (has('f', 'force')) return line({ verb, words: withoutFlag(words, 'f', 'force') });
      const said = effect.kind === 'paths' ? effect.paths : (behind ?? []);
      const before = words.filter((word) => word !== '--' && !said.includes(word));
      const rest = [...(said.length === 0 ? [':/'] : said), ...allBut(paths)];
      return line({ verb, words: [...before, '--', ...rest] });
    }
    case 'switch':
      return line({
        verb,
        words: withoutFlag(withoutFlag(words, 'f', 'force'), null, 'discard-changes'),
      });
    default:
      return retry;
  }
}

/** Also out of a cluster of letters. */
export function withoutFlag(
  words: readonly string[],
  letter: string | null,
  name: string,
): readonly string[] {
  return words.flatMap((word) => {
    if (word === `--${name}` || (letter !== null && word === `-${letter}`)) return [];
    if (letter === null || !/^-[a-zA-Z]{2,}/.test(word)) return [word];
    // What stands behind a letter that takes a value is that value.
    const [flags = ''] = /^-[^mFCctbBs]*/.exec(word) ?? [];
    return [flags.replace(letter, '') + word.slice(flags.length)];
  });
}

/** Whoever has a file alone commits all that is in it. */
export function takenAlone(paths: readonly string[], command: GitCommand | null): string {
  return all(
    waitAndRetry(paths, null),
    shellLine('git', 'add', '--', ...paths.map(atTop)),
    command === null ? 'git commit' : line(command),
  );
}
