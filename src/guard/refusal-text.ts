/** What stands against a change, in words: which paths, whose they are or whose work would go, and what to run now. */
import { shorten } from '../core/harmless.ts';
import type { Circumstances } from '../core/decide/decision.ts';
import type { State } from '../core/state.ts';
import { lastToChange, type CommitFacts } from '../git/commits.ts';
import type { Oid } from '../core/ids.ts';
import type { Repository } from '../git/repository.ts';
import { leaseLine } from '../report.ts';
import { overrideVariable } from './caller.ts';
import type { Problem } from './evaluate.ts';

const mostShown = 20;

export interface Refused {
  readonly repository: Repository;
  readonly base: Oid | null;
  readonly head: Oid | null;
  readonly state: State;
  readonly c: Circumstances;
  readonly isAgent: boolean;
}

/** What stands against it, and what to run now. */
export function refusalText(problems: readonly Problem[], refused: Refused, next: readonly string[]): readonly string[] {
  // As git itself would have said it, had it looked after HEAD moved.
  if (problems.every(({ kind }) => kind === 'nothing')) return ['nothing to commit: what you had staged is in HEAD by now'];
  const shown = problems.slice(0, mostShown).map((problem) => `  ${line(problem, refused)}`);
  return [
    'coord: refused: this would touch the work of others',
    ...shown,
    ...(problems.length > shown.length ? [`  ... and ${problems.length - shown.length} more`] : []),
    ...next.map((step) => `  next: ${step}`),
    ...(refused.isAgent ? [] : [`  or, if you are sure: ${overrideVariable}="why" git ...`]),
  ];
}

function line(problem: Problem, { repository, base, head, state, c }: Refused): string {
  const by = (path: string): string => {
    const commit = base === null || head === null ? null : lastToChange(repository, base, head, path);
    return commit === null ? 'a commit that came since' : describeCommit(commit);
  };
  switch (problem.kind) {
    case 'held':
      return `${problem.path}: held: ${leaseLine(problem.lease, state, c)}`;
    case 'undone':
      return `${problem.path}: would undo ${by(problem.path)}`;
    case 'both':
      return `${problem.path}: changed by you and by ${by(problem.path)}`;
    case 'unsaved':
      return `${problem.path}: ${problem.by} has not committed this`;
    case 'lost':
      return `would leave ${describeCommit(problem.commit)} on no branch`;
    case 'locked':
      return 'another git is at work on your index';
    case 'restored':
      return 'your stage was empty or damaged, and is now as it was last known to be good';
    case 'mixed':
      return `it has the message of a commit that ${problem.agent ?? 'a person'} made at the same moment`;
    case 'vanished':
      return `${problem.path}: would be deleted though it is still there: the index has lost it`;
    case 'switched':
      return `HEAD was switched from ${problem.from} to ${problem.to}${problem.by === null ? '' : ` by ${problem.by}`}: this commit lands there`;
    case 'nothing':
      return 'what you had staged is in HEAD by now';
    case 'in-progress':
      return `a ${problem.operation} of ${problem.by} is under way in this work tree, which only its owner should go on with or end`;
    case 'not-staged':
      return `${problem.path}: not staged by you: this commit comes from the repository's index, not from your stage`;
  }
}

export function describeCommit({ oid, subject, agent }: CommitFacts): string {
  return `${oid.slice(0, 10)} "${shorten(subject, 60)}" of ${agent ?? 'a person'}`;
}
