/**
 * A commit that takes files from the work tree stages them first. If it comes to nothing, the index
 * holds what it did before.
 */
import type { RealWorld } from '../agent/world.ts';
import { emptyTree } from '../draft/stage-base.ts';
import { type Head, headOf } from '../git/head.ts';
import { putEntries, stagedSince, withIndexLock } from '../git/index-file.ts';
import type { PathChange } from '../git/path-changes.ts';
import type { Observation } from '../log/log-store.ts';
import type { HookCaller } from './caller.ts';
import type { Problem } from './evaluate.ts';
import { leaveOut } from './left-out.ts';
import { expectSuccess, type UserGit } from './user-git.ts';

interface StagedFirst {
  readonly leftOut: readonly Problem[];
  readonly putBack: () => void;
}

/** The index has come to HEAD before. */
export function stageFirst(
  world: RealWorld,
  git: UserGit,
  { at, caller, before }: { at: Observation; caller: HookCaller; before: Head },
  takes: 'all' | readonly string[],
): StagedFirst {
  if (takes.length === 0) return { leftOut: [], putBack: () => undefined };
  const { repository } = world;
  const file = caller.stage.index;
  const staged = (head: Head): readonly PathChange[] =>
    stagedSince(repository, file, head.oid ?? emptyTree(repository.hash));
  const own = new Map(staged(before).map(({ path, after }) => [path, after]));
  const what = takes === 'all' ? ['--update', '--', ':/'] : ['--all', '--', ...takes];
  expectSuccess(git(['add', ...what]));
  const leftOut =
    takes === 'all'
      ? leaveOut(world, at, caller, { file, head: before.oid, own: new Set(own.keys()) })
      : [];
  const putBack = (): void => {
    withIndexLock(file, () => {
      const added = staged(headOf(repository)).flatMap(({ path, before: committed, after }) => {
        const was = own.has(path) ? (own.get(path) ?? null) : committed;
        return was === after ? [] : [{ path, before: after, after: was }];
      });
      if (added.length > 0) putEntries(repository, file, added);
    });
  };
  return { leftOut, putBack };
}
