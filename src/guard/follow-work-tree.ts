/**
 * A copy follows a linked work tree in which an agent works, every few seconds at most: whatever
 * takes the folder away without asking, what was in it comes back.
 */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { RealWorld } from '../agent/world.ts';
import { CoordError } from '../core/errors.ts';
import { hashKey } from '../core/hash.ts';
import { limits } from '../core/limits.ts';
import { keepWorkTree } from '../draft/keep-work-tree.ts';
import { headOf } from '../git/head.ts';
import { ignoredEntries } from '../git/ignored-content.ts';
import { listLocal, localAge } from '../git/local.ts';
import { seenFrom, workTreesOf } from '../git/work-trees.ts';
import type { Observation } from '../log/log-store.ts';
import { sharedFiles } from '../shim/files.ts';
import { readShared, writeShared } from '../shim/shared-file.ts';
import { untilFrom } from '../shim/until.ts';
import { keeperOf } from './removal.ts';
import { look } from './work-tree.ts';

/** `isLast`: its session ends, and its program may take the folder away next. */
export function followWorkTree(world: RealWorld, at: Observation, isLast = false): void {
  const { repository, settings } = world;
  const { gitDir, commonDir } = repository;
  if (gitDir === commonDir) return;
  const { name } = sharedFiles.followed;
  const [, last = null] = readShared(repository, sharedFiles.followed)?.split('\n') ?? [];
  if (!isLast && last !== null && Math.abs(localAge(gitDir, name)) < limits.draftEveryMs) return;
  try {
    const now = stateOf(world);
    const tree = workTreesOf(repository).find((one) => one.gitDir === gitDir);
    if (now !== last && tree?.isThere === true)
      keepWorkTree(repository, tree, {
        ...keeperOf(world, at),
        why: null,
        path: tree.path,
        settings,
      });
    const until = untilFrom(world.clock.now().at)(limits.draftEveryMs);
    writeShared(repository, sharedFiles.followed, [], { until, state: now });
  } catch (error) {
    // The work goes on without it, and the next moment tries again.
    if (!(error instanceof CoordError) && (error as NodeJS.ErrnoException).code === undefined)
      throw error;
  }
}

/** Of all linked work trees, whoever works there. */
export function followWorkTrees(world: RealWorld, at: Observation): void {
  const { repository } = world;
  const trees = workTreesOf(repository).filter(({ isMain, isThere }) => !isMain && isThere);
  for (const tree of trees) {
    followWorkTree({ ...world, repository: seenFrom(repository, tree) }, at, true);
  }
}

/** What tells one state of the work tree from another, as far as that is cheap. */
function stateOf({ repository, clock }: RealWorld): string {
  const { marks } = look(repository, clock.now().at, ignoredEntries(repository));
  const stages = listLocal(repository.gitDir, 'stages').map((id) => `coord/stages/${id}/index`);
  const times = ['index', ...stages].map(
    (name) => statSync(join(repository.gitDir, name), { throwIfNoEntry: false })?.mtimeMs,
  );
  const parts = [headOf(repository).oid, ...times, ...[...marks].flat()];
  return hashKey(parts.join('\n'));
}
