/** A sparse checkout is of the work tree, and so of every index in it. */
import { withIndexLock } from '../git/index-file.ts';
import type { Repository } from '../git/repository.ts';
import { followMarks } from '../git/sparse.ts';
import { repositoryStage, type Stage, stageOf } from './stage-base.ts';
import { openStages } from './stage-end.ts';

/** The session's git has changed what is checked out: the other indexes follow its own. */
export function shareSparse(repository: Repository, stage: Stage): void {
  const sessions = openStages(repository).map(({ agentId }) => stageOf(repository, agentId));
  for (const { index } of [repositoryStage(repository), ...sessions])
    if (index !== stage.index) follow(repository, index, stage.index);
}

/** A person's git has changed it: the session follows the repository's own index. */
export function followSparse(repository: Repository, { index }: Stage): void {
  follow(repository, index, repositoryStage(repository).index);
}

function follow(repository: Repository, index: string, from: string): void {
  withIndexLock(index, () => followMarks(repository, index, from));
}
