/**
 * Of the leases that stand, which are in the way of these commits, and which are what they were
 * made under.
 */

import type { Oid } from '../core/ids.ts';
import type { Lease, Reservation } from '../core/lease.ts';
import { collide, type Folding } from '../core/overlap.ts';
import { literal } from '../core/pattern.ts';
import { changesBetween, ownChanges } from '../git/changes.ts';
import type { CommitFacts } from '../git/commits.ts';
import type { Repository } from '../git/repository.ts';
import { heldPaths, isBy } from './evaluate.ts';

/**
 * Each commit may touch what its pusher holds, or whoever made it. What the branch itself becomes
 * counts too, `from` there `to` here: a merge may take back what none of its commits touches, and
 * work may have come by another branch.
 */
export function leasesAround(
  repository: Repository,
  commits: readonly CommitFacts[],
  { from, to }: { readonly from: Oid | null; readonly to: Oid },
  leases: readonly Lease[],
  pusher: string,
  folding: Folding,
): { readonly blockers: readonly Lease[]; readonly own: readonly Lease[] } {
  const reservations = leases.filter((lease): lease is Reservation => lease.kind === 'reservation');
  const blockers = new Set<Lease>();
  const own = new Set<Lease>();
  const touched = new Set<string>();
  for (const commit of commits) {
    const paths = ownChanges(repository, commit).map(({ path }) => path);
    for (const path of paths) touched.add(path);
    const theirs = reservations.filter(
      (lease) =>
        commit.agent === null ||
        !isBy(commit.agent, { name: () => lease.agent.name, isAgent: true }),
    );
    for (const problem of heldPaths(paths, {
      leases: theirs,
      folding,
      who: { name: () => pusher, isAgent: true },
    }))
      if (problem.kind === 'held') blockers.add(problem.lease);
    for (const lease of reservations) {
      if (
        !blockers.has(lease) &&
        lease.patterns.some((pattern) =>
          paths.some((path) => collide(pattern, literal(path), folding)),
        )
      )
        own.add(lease);
    }
  }
  const net =
    from === null
      ? []
      : changesBetween(repository, from, to)
          .map(({ path }) => path)
          .filter((path) => !touched.has(path));
  for (const problem of heldPaths(net, {
    leases: reservations,
    folding,
    who: { name: () => pusher, isAgent: true },
  }))
    if (problem.kind === 'held') blockers.add(problem.lease);
  return { blockers: [...blockers], own: [...own].filter((lease) => !blockers.has(lease)) };
}
