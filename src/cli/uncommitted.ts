/**
 * What the caller has not committed: in the work tree, in the repository's index and in a private
 * one.
 */

import { baseOf, repositoryStage, stageOf } from '../draft/stage-base.ts';
import { uncommittedPaths } from '../git/uncommitted.ts';
import type { Call } from './verb.ts';

export function uncommitted(call: Call): readonly string[] {
  const { repository } = call.world();
  const file = call.env['COORD_STAGE'] ?? '';
  const id = /\/coord\/stages\/([0-9a-z]{8})\/index$/.exec(file)?.[1];
  const stages = [
    repositoryStage(repository),
    ...(id === undefined ? [] : [stageOf(repository, id)]),
  ];
  const exported = call.env['GIT_INDEX_FILE'] ?? '';
  const others = exported === '' || exported === file ? [] : [{ file: exported, base: null }];
  return uncommittedPaths(repository, [
    ...stages.map((stage) => ({ file: stage.index, base: baseOf(repository, stage) })),
    ...others,
  ]);
}
