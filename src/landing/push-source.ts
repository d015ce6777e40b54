/** What is pushed, and under which name. */

import type { RealWorld } from '../agent/world.ts';
import { CoordError } from '../core/errors.ts';
import type { Oid } from '../core/ids.ts';
import { commitAt } from '../git/commits.ts';
import { headOf } from '../git/head.ts';
import { shortBranch } from '../git/refs.ts';
import { runGit } from '../git/run-git.ts';

export function sourceOf(
  { repository }: RealWorld,
  named: string | null,
): { readonly branch: string; readonly oid: Oid } {
  const head = headOf(repository);
  const branch = named ?? shortBranch(head.branch);
  if (branch === null)
    throw new CoordError(
      'usage',
      'HEAD is on no branch, so there is none to push',
      'coord push <branch>',
    );
  const oid = commitAt(repository, branchRef({ repository }, branch));
  if (oid === null)
    throw new CoordError('usage', `there is no branch '${branch}' here`, 'git branch shows them');
  return { branch, oid };
}

export function branchRef({ repository }: Pick<RealWorld, 'repository'>, branch: string): string {
  const ref = `refs/heads/${branch}`;
  if (
    !branch.startsWith('-') &&
    !/^coord(\/|$)/.test(branch) &&
    runGit(repository.git, ['check-ref-format', ref]).code === 0
  )
    return ref;
  throw new CoordError('usage', `'${branch}' is no name of a branch`, 'git branch shows them');
}
