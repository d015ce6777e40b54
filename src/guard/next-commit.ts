/** What to run after a refused commit. */

import { shellLine } from '../core/shell-line.ts';
import { lineFileAt } from '../draft/line-store.ts';
import type { GitCommand } from '../git/git-command.ts';
import { anyOperation } from '../git/head.ts';
import type { Repository } from '../git/repository.ts';
import { type Problem, pathsOf } from './evaluate.ts';
import {
  all,
  allBut,
  atTop,
  keptOnBranches,
  line,
  takenAlone,
  waitAndRetry,
  withoutFlag,
} from './next-steps.ts';
import { isPartial, optionsOf } from './options.ts';

/** What goes on after a commit was refused; the files are as they were. */
export function afterRefusedCommit(
  repository: Repository,
  problems: readonly Problem[],
  staged: readonly string[],
  command: GitCommand | null,
): readonly string[] {
  const of = (kind: Problem['kind']): readonly string[] => pathsOf(problems, kind);
  const has = (kind: Problem['kind']): boolean => problems.some((problem) => problem.kind === kind);
  // Somebody has to look first, or there is nothing left to commit.
  if (has('restored') || has('in-progress')) return ['git status'];
  if (has('unsaved')) return [ofNobodys(problems, command)];
  if (has('not-staged')) return ['coord session start --help'];
  const own = ofOwnLines(repository, problems, command);
  if (own !== null) return [own];
  const lost = problems.flatMap((problem) => (problem.kind === 'lost' ? problem.commit : []));
  // What `-a` would take from the files is staged first, so that it is merged with what others have
  // committed.
  const takesAll =
    has('both') && command?.verb === 'commit' && optionsOf('commit', command.words).has('a', 'all');
  // The hook that takes an author's lines alone was not asked.
  const isPast =
    has('lines') &&
    command?.verb === 'commit' &&
    optionsOf('commit', command.words).has('n', 'no-verify');
  const flags = [...(takesAll ? [['a', 'all']] : []), ...(isPast ? [['n', 'no-verify']] : [])];
  const asked =
    command === null
      ? null
      : flags.reduce(
          ({ verb, words }, [letter = '', name = '']) => ({
            verb,
            words: withoutFlag(words, letter, name),
          }),
          command,
        );
  const isOfLines = (path: string): boolean => lineFileAt(repository, path) !== null;
  // What is in the file has all that others have committed there, and the author's part is taken.
  const again = [
    ...(isPast ? [] : of('lines')),
    ...(takesAll ? [] : of('both').filter(isOfLines)),
  ].map(atTop);
  const mends = [
    ...(lost.length > 0 ? [keptOnBranches(repository, lost)] : []),
    ...(has('vanished') ? ['git reset -q'] : []),
    ...(takesAll ? [shellLine('git', 'add', '-u', '--', ':/', ...allBut(of('held')))] : []),
    ...(again.length > 0 ? [shellLine('git', 'add', '--', ...again)] : []),
    ...(has('both') ? ['coord stage refresh --merge'] : []),
    ...(has('undone') ? [asInHead(of('undone'), command)] : []),
  ];
  const then = has('held')
    ? commitWithout(of('held'), staged, asked)
    : [asked === null ? 'git commit' : line(asked)];
  return then.map((last) => all(...mends, last));
}

/** A commit of all, where others have lines in these files: git cannot take the author's alone. */
function ofOwnLines(
  repository: Repository,
  problems: readonly Problem[],
  command: GitCommand | null,
): string | null {
  const isOfLines =
    problems.some((problem) => problem.kind === 'held' && problem.lease.mode === 'lines') &&
    problems.every(({ kind }) => kind === 'held');
  if (!isOfLines || command?.verb !== 'commit' || anyOperation(repository) !== null) return null;
  const message = messageOfAll(command.words);
  return message === null ? null : shellLine('coord', 'commit', '-a', ...message);
}

/** The message in words that ask for nothing but a commit of all; null if they ask for more. */
function messageOfAll(words: readonly string[]): readonly string[] | null {
  const { has, isOnly, all, free, paths } = optionsOf('commit', words);
  const isPlain = isOnly('aqvm', ['all', 'quiet', 'verbose', 'message']) && has('a', 'all');
  if (!isPlain || free.length > 0 || (paths ?? []).length > 0) return null;
  return all('m', 'message').flatMap((text) => ['-m', text]);
}

/** The index as HEAD has it; for a commit that takes files from the work tree, these too. */
function asInHead(paths: readonly string[], command: GitCommand | null): string {
  const takesFiles = command?.verb === 'commit' && isPartial(command.words);
  const restore = ['git', 'restore', '-q', '--source=HEAD', '--staged', '--worktree'];
  return shellLine(...(takesFiles ? restore : ['git', 'reset', '-q']), '--', ...paths.map(atTop));
}

/** The same commit without what others hold; where nothing is left of it, it waits for them. */
function commitWithout(
  held: readonly string[],
  staged: readonly string[],
  command: GitCommand | null,
): readonly string[] {
  const others = staged.filter((path) => !held.includes(path));
  if (others.length === 0) return [waitAndRetry(held, command)];
  const unstage = shellLine('git', 'reset', '-q', '--', ...held.map(atTop));
  if (command?.verb !== 'commit') return [unstage, waitAndRetry(held, command)];
  const { has, paths, free } = optionsOf('commit', command.words);
  const named = paths ?? free;
  if (named.length > 0) {
    const words = command.words.filter((word) => !named.includes(word) && word !== '--');
    return [line({ verb: 'commit', words: [...words, '--', ...named, ...allBut(held)] })];
  }
  if (!has('a', 'all')) return [all(unstage, line(command))];
  const stage = shellLine('git', 'add', '-u', '--', ':/', ...allBut(held));
  const words = withoutFlag(command.words, 'a', 'all');
  return [all(stage, unstage, line({ verb: 'commit', words }))];
}

/** Of a commit that would hold nothing: what nobody is known to have written can be taken. */
function ofNobodys(problems: readonly Problem[], command: GitCommand | null): string {
  const paths = problems.flatMap((problem) =>
    problem.kind === 'unsaved' && problem.isNobodys === true ? problem.path : [],
  );
  return paths.length === 0 ? 'git status' : takenAlone(paths, command);
}
