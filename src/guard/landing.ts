/** Of the leases that stand, which are in the way of these commits, and which are what they were made under. */
import type { Lease, Reservation } from '../core/lease.ts';
import { collide, type Folding } from '../core/overlap.ts';
import { literal } from '../core/pattern.ts';
import { ownChanges, type CommitFacts } from '../git/commits.ts';
import type { Repository } from '../git/repository.ts';
import { heldBy, isBy } from './evaluate.ts';

/** Each commit may touch what its pusher holds, or whoever made it. */
export function leasesAround(repository: Repository, commits: readonly CommitFacts[], leases: readonly Lease[], pusher: string, folding: Folding): { readonly blockers: readonly Lease[]; readonly own: readonly Lease[] } {
  const reservations = leases.filter((lease): lease is Reservation => lease.kind === 'reservation');
  const blockers = new Set<Lease>();
  const own = new Set<Lease>();
  for (const commit of commits) {
    const paths = ownChanges(repository, commit).map(({ path }) => path);
    const theirs = reservations.filter((lease) => commit.agent === null || !isBy(commit.agent, { name: () => lease.agent.name, isAgent: true }));
    for (const problem of heldBy(paths, { leases: theirs, folding, who: { name: () => pusher, isAgent: true } })) if (problem.kind === 'held') blockers.add(problem.lease);
    for (const lease of reservations) {
      if (!blockers.has(lease) && lease.patterns.some((pattern) => paths.some((path) => collide(pattern, literal(path), folding)))) own.add(lease);
    }
  }
  return { blockers: [...blockers], own: [...own].filter((lease) => !blockers.has(lease)) };
}
