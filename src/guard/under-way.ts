/** What is under way in a work tree, and whose it is. */

import type { RealWorld } from '../agent/world.ts';
import { areKin } from '../core/ids.ts';
import { limits } from '../core/limits.ts';
import { branchOf, lastToSwitch, noteBranch, type Stage } from '../draft/stage-base.ts';
import { anyOperation, headOf, operationMark } from '../git/head.ts';
import { isRenamed } from '../git/reflog.ts';
import { shortBranch } from '../git/refs.ts';
import type { Repository } from '../git/repository.ts';
import type { Observation } from '../log/log-store.ts';
import { sharedFiles } from '../shim/files.ts';
import { readShared } from '../shim/shared-file.ts';
import type { HookCaller } from './caller.ts';
import type { Problem } from './evaluate.ts';

/**
 * HEAD is on another branch than when this session last looked, and it was not the session that
 * switched.
 */
export function switchedUnder(repository: Repository, stage: Stage): Problem | null {
  const { name } = headOf(repository);
  const was = branchOf(repository, stage);
  if (was === null || was === '' || name === null || was === name) return null;
  if (isRenamed(repository, was, name)) return null;
  return {
    kind: 'switched',
    from: shortBranch(was),
    to: shortBranch(name),
    by: lastToSwitch(repository),
  };
}

/**
 * A merge or a rebase is the work tree's, so that anybody's commit would end it or land in it: only
 * whoever began it may.
 */
export function foreignOperation(
  { repository }: RealWorld,
  { state }: Observation,
  caller: HookCaller,
): Problem | null {
  if (caller.stage.agentId === null && caller.who.isAgent) return null;
  const underWay = anyOperation(repository);
  if (underWay === null) return null;
  const { name, sinceMs } = underWay;
  // The git of a session says who begins, just before it does, and which one it was once it stops.
  const [at = '', agent = '', ...stopped] = noted(repository);
  const afterMs = sinceMs - Number(at) * 1_000;
  const isIt =
    stopped.length > 0
      ? isSameOperation(stopped.join(' '), operationMark(repository, stopped[0]))
      : afterMs >= 0 && afterMs < limits.leftoverMs;
  const by = isIt && agent !== '' ? agent : null;
  if (by === null ? !caller.who.isAgent : areKin(by, caller.who.name())) return null;
  // Whoever has ended leaves it to anybody.
  if (by !== null && ![...state.agents.values()].some((agent) => agent.name === by)) return null;
  return { kind: 'in-progress', operation: name, by: by ?? 'a person' };
}

function noted(repository: Repository): readonly string[] {
  return (readShared(repository, sharedFiles.operation) ?? '').trim().split(' ');
}

/** The file of git's that tells which operation of a session has stopped here. */
export function stoppedAt(repository: Repository): string {
  return noted(repository)[2] ?? '';
}

/** The last of several picks has no list any more, and is a single one. */
function isSameOperation(noted: string, now: string | null): boolean {
  return (
    noted === now ||
    (noted.startsWith('sequencer/') && /^(CHERRY_PICK|REVERT)_HEAD /.test(now ?? ''))
  );
}

/** It is said once: whoever commits again has seen it. */
export function switchedOnce(repository: Repository, stage: Stage): readonly Problem[] {
  const switched = switchedUnder(repository, stage);
  if (switched === null) return [];
  noteBranch(repository, stage);
  return [switched];
}
