/** The end of a private index: what it holds that is nowhere else is kept. */

import { existsCommit } from '../git/files-at.ts';
import { headOf } from '../git/head.ts';
import { isSound, stagedSince } from '../git/index-file.ts';
import { dropLocal, listLocal, readLocal, wallAge } from '../git/local.ts';
import type { Repository } from '../git/repository.ts';
import { sharedFiles } from '../shim/files.ts';
import { dropShared, readShared } from '../shim/shared-file.ts';
import { type SavedEntry, writeSnapshot } from './snapshot.ts';
import { forgetOwnBase } from './stage.ts';
import { baseOf, emptyTree, isAtHead, type Stage, stageFolder, stageOf } from './stage-base.ts';

/**
 * Its agent has ended: it goes, and what it holds that is nowhere else is kept as a snapshot, found
 * under this id.
 */
export function retireStage(
  repository: Repository,
  agentId: string,
): 'gone' | 'none' | { readonly kept: string } {
  const ended = keepStaged(repository, agentId, 'its session ended, with this staged');
  if (ended === 'none') return 'none';
  dropLocal(repository.gitDir, stageFolder(agentId));
  forgetOwnBase(repository);
  dropShared(repository, sharedFiles.due, agentId);
  dropLocal(repository.commonDir, `sessions/${agentId}`);
  return ended;
}

/** What it holds that is nowhere else, as a snapshot; the index itself stays. */
export function keepStaged(
  repository: Repository,
  agentId: string,
  why: string,
): ReturnType<typeof retireStage> {
  const stage = stageOf(repository, agentId);
  if (readLocal(repository.gitDir, stage.baseName) === null) return 'none';
  const entries = isSound(stage.index) ? stagedEntries(repository, stage) : [];
  if (entries.length === 0) return 'gone';
  const agent = { id: agentId, name: nameIn(repository, agentId) ?? agentId };
  return { kept: writeSnapshot(repository, { agent, entries, why, at: wallAge(0) }) };
}

/**
 * Files that it holds otherwise than the commit it is based on; one that is to go holds nothing.
 */
function stagedEntries(repository: Repository, stage: Stage): readonly SavedEntry[] {
  const base = baseOf(repository, stage);
  const from =
    base !== null && (base === emptyTree(repository.hash) || existsCommit(repository, base))
      ? base
      : headOf(repository).oid;
  const staged = from === null ? [] : stagedSince(repository, stage.index, from);
  return staged.flatMap(({ path, after }) => {
    const [mode = '', oid = ''] = after?.split(' ') ?? [];
    return after === null || mode === '160000' ? [] : [{ mode, oid, path }];
  });
}

function nameIn(repository: Repository, agentId: string): string | null {
  return (
    /^Coord-Agent: (\S+) \(/m.exec(
      readShared(repository, sharedFiles.trailer, agentId) ?? '',
    )?.[1] ?? null
  );
}

/** Does any session of this work tree hold something that is in no commit? */
export function stagedWork(repository: Repository): boolean {
  return listLocal(repository.gitDir, 'stages').some(
    (id) => stagedEntries(repository, stageOf(repository, id)).length > 0,
  );
}

/** Those of this work tree, and whether HEAD has moved since they were at it. */
export function openStages(
  repository: Repository,
): readonly { readonly agentId: string; readonly isBehind: boolean }[] {
  const { oid } = headOf(repository);
  return listLocal(repository.gitDir, 'stages').map((agentId) => ({
    agentId,
    isBehind: !isAtHead(repository, stageOf(repository, agentId), oid),
  }));
}

/** Stages of agents that are on record no more. */
export function orphanedStages(
  { gitDir }: Repository,
  living: (agentId: string) => boolean,
): readonly string[] {
  return listLocal(gitDir, 'stages').filter((id) => !living(id));
}
