/**
 * What stands against a change, in words: which paths, whose they are or whose work would go, and
 * what to run now.
 */

import { counted, few } from '../core/counted.ts';
import type { DecisionContext } from '../core/decide/decision.ts';
import { shorten } from '../core/harmless.ts';
import type { Oid } from '../core/ids.ts';
import { describe, type Lease } from '../core/lease.ts';
import type { State } from '../core/state.ts';
import { lastToChange } from '../git/changes.ts';
import type { CommitFacts } from '../git/commits.ts';
import type { Repository } from '../git/repository.ts';
import { overrideVariable } from '../guard/caller.ts';
import { type Problem, pathsOf } from '../guard/evaluate.ts';
import { heldBy } from './lines.ts';

const mostShown = 20;

interface Refused {
  readonly repository: Repository;
  /** The commit that what is staged of a path was made from. */
  basedOn(path: string): Oid | null;
  readonly head: Oid | null;
  readonly state: State;
  readonly c: DecisionContext;
  readonly isAgent: boolean;
}

/** What stands against it, and what to run now. */
export function refusalText(
  problems: readonly Problem[],
  refused: Refused,
  next: readonly string[],
): readonly string[] {
  // As git itself would have said it, had it looked after HEAD moved.
  if (problems.every(({ kind }) => kind === 'nothing'))
    return ['nothing to commit: what you had staged is in HEAD by now'];
  const lines = linesOf(problems, refused);
  const shown = lines.slice(0, mostShown).map((say) => say());
  return [
    ...(shown.length === 1
      ? [`coord: refused: ${shown.join()}`]
      : [`coord: refused: ${headline(problems)}`, ...shown.map((text) => `  ${text}`)]),
    ...(lines.length > shown.length ? [`  ... and ${lines.length - shown.length} more`] : []),
    ...next.map((step) => `  next: ${step}`),
    ...(refused.isAgent ? [] : [`  or, if you are sure: ${overrideVariable}="why" git ...`]),
  ];
}

/** What is held by one lease is said at once, everything else by itself. */
function linesOf(problems: readonly Problem[], refused: Refused): readonly (() => string)[] {
  const held = new Map<string, { readonly lease: Lease; readonly paths: string[] }>();
  const lines: (() => string)[] = [];
  for (const problem of problems) {
    if (problem.kind !== 'held') {
      lines.push(() => line(problem, refused));
      continue;
    }
    const { lease, path } = problem;
    const group = held.get(lease.id) ?? { lease, paths: [] };
    if (group.paths.length === 0) lines.push(() => heldLine(group.lease, group.paths, refused));
    group.paths.push(path);
    held.set(lease.id, group);
  }
  return lines;
}

function heldLine(lease: Lease, paths: readonly string[], { state, c }: Refused): string {
  const whole = describe(lease);
  return [
    `${few(paths)} ${paths.length === 1 ? 'is' : 'are'} ${heldBy(lease, state, c)}`,
    ...(paths.join(' ') === whole ? [] : [`as ${shorten(whole, 60)}`]),
    ...(lease.mode === 'exclusive' ? [] : [lease.mode === 'lines' ? 'lines of it' : 'shared']),
    ...(lease.reason === '' ? [] : [`for: ${shorten(lease.reason, 60)}`]),
  ].join(', ');
}

/** Whose work it is about. */
function whose(problem: Problem): string {
  return problem.kind === 'held'
    ? problem.lease.agent.id
    : problem.kind === 'unsaved' || problem.kind === 'lines'
      ? problem.by
      : '';
}

/** Whose it is, in the first words that are read. */
function headline(problems: readonly Problem[]): string {
  const [first] = problems;
  const alike = problems.filter(
    (problem) => problem.kind === first?.kind && whose(problem) === whose(first),
  );
  const paths = pathsOf(alike);
  const others = paths.length > 1 ? ` and ${counted(paths.length - 1, 'other path')}` : '';
  switch (first?.kind) {
    case 'held':
      return `${first.path}${others} ${others === '' ? 'is' : 'are'} held by ${first.lease.agent.name}`;
    case 'unsaved':
      return `${first.path}${others} ${others === '' ? 'has' : 'have'} uncommitted changes of ${first.by}`;
    case 'lines':
      return `what you staged of ${first.path}${others} touches lines of ${first.by}`;
    case 'both':
    case 'undone':
      return `${first.path}${others} ${others === '' ? 'was' : 'were'} also changed by others`;
    case 'lost':
      return `a commit of ${first.commit.agent ?? 'a person'} would be on no branch`;
    case 'in-progress':
      return `${first.operation === 'am' ? 'an' : 'a'} ${first.operation} of ${first.by} is in progress`;
    case 'switched':
      return `the branch was switched${first.by === null ? '' : ` by ${first.by}`}`;
    case 'mixed':
      return 'this commit has the message of another one';
    case 'vanished':
      return 'this would delete files that are still there';
    case 'not-staged':
      return 'this commit does not come from your private index';
    case 'locked':
    case 'restored':
    case 'nothing':
    case undefined:
      return 'your index has to be looked at first';
  }
}

function line(
  problem: Exclude<Problem, { readonly kind: 'held' }>,
  { repository, basedOn, head }: Refused,
): string {
  const by = (path: string): string => {
    const base = basedOn(path);
    const commit =
      base === null || head === null ? null : lastToChange(repository, base, head, path);
    return commit === null ? 'a commit that came since' : describeCommit(commit);
  };
  switch (problem.kind) {
    case 'undone':
      return `${problem.path}: would undo ${by(problem.path)}`;
    case 'both':
      return `${problem.path}: changed by you and by ${by(problem.path)}`;
    case 'lines':
      return `${problem.path}: what you staged touches lines of ${problem.by} that are not committed`;
    case 'unsaved':
      return `${problem.path} has uncommitted changes of ${problem.by}`;
    case 'lost':
      return `a commit of ${problem.commit.agent ?? 'a person'} would be on no branch: ${nameOf(problem.commit)}`;
    case 'locked':
      return 'another git is at work on your index';
    case 'restored':
      return 'your private index was empty or damaged, and is now as it was last known to be good';
    case 'mixed':
      return `this commit has the message of another one, which ${problem.agent ?? 'a person'} made at the same moment`;
    case 'vanished':
      return `${problem.path}: would be deleted though it is still there: the index has lost it`;
    case 'switched':
      return `HEAD was switched from ${problem.from} to ${problem.to}${problem.by === null ? '' : ` by ${problem.by}`}: this commit lands there`;
    case 'nothing':
      return 'what you had staged is in HEAD by now';
    case 'in-progress':
      return `${problem.operation === 'am' ? 'an' : 'a'} ${problem.operation} of ${problem.by} is in progress in this work tree: nobody else should continue or abort it`;
    case 'not-staged':
      return `${problem.path}: not staged by you: this commit comes from the repository's index, not from your private index`;
  }
}

function nameOf({ oid, subject }: CommitFacts): string {
  return `${oid.slice(0, 10)} "${shorten(subject, 60)}"`;
}

export function describeCommit(commit: CommitFacts): string {
  return `${nameOf(commit)} of ${commit.agent ?? 'a person'}`;
}
