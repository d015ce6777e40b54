/** Work trees that go: who is in the way, and what was kept of them. */
import { few } from '../core/counted.ts';
import { harmless } from '../core/harmless.ts';
import type { Kept } from '../draft/quarantine.ts';
import type { Removal } from '../guard/removal.ts';
import { restoreLine } from '../guard/removal.ts';

export function keptLines(kept: readonly Kept[]): readonly string[] {
  return kept.map(
    (one) =>
      `coord: kept ${one.path === null ? `branch ${(one.branch ?? '').replace(/^refs\/heads\//, '')}` : harmless(one.path)}; to get it back: ${restoreLine(one)}`,
  );
}

export function occupiedLines(removals: readonly Removal[]): readonly string[] {
  return removals.map(({ tree, occupants }) => {
    const own = occupants.every(({ isOwn }) => isOwn);
    return own
      ? `coord: refused: your own shell is in ${harmless(tree.path)}; leave it with cd first`
      : `coord: refused: ${harmless(tree.path)} is in use by ${few(occupants.filter(({ isOwn }) => !isOwn).map(({ name }) => name))}`;
  });
}

export function aboutRemovals(removals: readonly Removal[]): Readonly<Record<string, unknown>> {
  return {
    workTrees: removals
      .slice(0, 20)
      .map(({ tree, occupants }) => ({
        path: tree.path,
        occupants: occupants.slice(0, 20).map(({ kind, name }) => ({ kind, name })),
      })),
  };
}
