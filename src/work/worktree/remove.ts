/**
 * A work tree goes only when nobody is in it and all that it holds is kept: looked at, kept, moved
 * out of the way, looked at once more, and then taken away.
 */
import type { RealWorld } from '../../agent/world.ts';
import type { KeptNow } from '../../draft/keep-work-tree.ts';
import type { Repository } from '../../git/repository.ts';
import {
  forgetTree,
  putWhereItWas,
  setAside,
  settleRemovals,
  takeAway,
} from '../../git/work-tree-removal.ts';
import { type WorkTree, workTreesOf } from '../../git/work-trees.ts';
import { type Occupant, occupantsOf, processesIn } from '../../guard/occupied.ts';
import { keepBefore } from '../../guard/removal.ts';
import type { Observation } from '../../log/log-store.ts';

export type Removed =
  | ({ readonly kind: 'removed' } & KeptNow)
  | { readonly kind: 'occupied'; readonly occupants: readonly Occupant[] }
  /** Somebody has told git to keep it. */
  | { readonly kind: 'locked'; readonly reason: string };

export function removeTree(
  world: RealWorld,
  at: Observation,
  tree: WorkTree,
  why: string,
): Removed {
  const { repository } = world;
  const stays = whyStays(world, at, tree);
  if (stays !== null) return stays;
  const kept = keepBefore(world, at, tree, why);
  if (!tree.isThere) {
    forgetTree(repository, tree);
    return { kind: 'removed', ...kept };
  }
  const aside = setAside(repository, tree);
  const again = keepLate(world, at, tree, aside, why);
  if (again.kind === 'removed') {
    // All of it is kept: from here on there is no way back to half of it.
    forgetTree(repository, tree);
    takeAway(repository, aside);
  }
  return again;
}

/** Null where it may go. */
export function whyStays(
  world: RealWorld,
  at: Observation,
  tree: WorkTree,
): Exclude<Removed, { readonly kind: 'removed' }> | null {
  if (tree.locked !== null) return { kind: 'locked', reason: tree.locked };
  const occupants = occupantsOf(world, at, tree);
  return occupants.length === 0 ? null : { kind: 'occupied', occupants };
}

/** Somebody may have come in, or written, until it was moved. */
function keepLate(
  world: RealWorld,
  at: Observation,
  tree: WorkTree,
  aside: WorkTree,
  why: string,
): Removed {
  try {
    const late = processesIn(aside.path);
    if (late.length === 0)
      return { kind: 'removed', ...keepBefore(world, at, aside, why, tree.path) };
    putWhereItWas(world.repository, tree);
    return { kind: 'occupied', occupants: late };
  } catch (error) {
    putWhereItWas(world.repository, tree);
    throw error;
  }
}

/** All work trees; those whose removal was cut short are back where they were. */
export function settledTrees(repository: Repository): readonly WorkTree[] {
  settleRemovals(repository);
  return workTreesOf(repository);
}
