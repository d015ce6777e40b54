/** Work trees that go: who is in the way, and what was kept of them. */
import { few } from '../core/counted.ts';
import { harmless } from '../core/harmless.ts';
import type { Kept } from '../draft/quarantine.ts';
import { shortBranch } from '../git/refs.ts';
import { type Occupant, otherOccupants } from '../guard/occupied.ts';
import { type Removal, restoreLine } from '../guard/removal.ts';

export function keptLines(kept: readonly Kept[]): readonly string[] {
  return kept.map(
    (one) =>
      `coord: kept ${one.path === null ? `branch ${shortBranch(one.branch) ?? ''}` : harmless(one.path)}; to get it back: ${restoreLine(one)}`,
  );
}

export function occupiedLines(removals: readonly Removal[]): readonly string[] {
  return removals.map(({ tree, occupants }) => {
    const others = otherOccupants(occupants);
    return others.length === 0
      ? `coord: refused: your own shell is in ${harmless(tree.path)}; leave it with cd first`
      : `coord: refused: ${harmless(tree.path)} is in use by ${few(others)}`;
  });
}

export function aboutRemovals(removals: readonly Removal[]): Readonly<Record<string, unknown>> {
  return {
    workTrees: removals
      .slice(0, 20)
      .map(({ tree, occupants }) => ({
        path: tree.path,
        occupants: occupantFacts(occupants.slice(0, 20)),
      })),
  };
}

export function occupantFacts(
  occupants: readonly Occupant[],
): readonly Pick<Occupant, 'kind' | 'name'>[] {
  return occupants.map(({ kind, name }) => ({ kind, name }));
}
