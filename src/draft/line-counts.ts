/** Uncommitted lines of this work tree, by file and whose they are. */
import type { AgentName } from '../core/lease.ts';
import { type Owner, ownersOf, rangesOf } from '../core/lines/record.ts';
import type { Repository } from '../git/repository.ts';
import type { Observation } from '../log/log-store.ts';
import { lineFiles, sharesLines } from './line-store.ts';
import { ownerNamed, sharedLines } from './shared-lines.ts';

export interface OwnLines {
  readonly path: string;
  /** Null for nobody that is known. */
  readonly agent: AgentName | null;
  readonly ranges: readonly (readonly [first: number, last: number])[];
  readonly added: number;
  readonly removed: number;
}

/** Of all files that are shared here, or of those that are asked for. */
export function linesHere(
  repository: Repository,
  at: Observation,
  isAsked: (path: string) => boolean = () => true,
): readonly OwnLines[] {
  if (!sharesLines(repository)) return [];
  const paths = lineFiles(repository).map(({ path }) => path);
  return paths
    .filter(isAsked)
    .toSorted()
    .flatMap((path) => {
      const lines = sharedLines(repository, path) ?? [];
      return ownersOf(lines).map((owner) => ({
        path,
        agent: ownerNamed(at, owner),
        ranges: rangesOf(lines)
          .filter((range) => range.owner === owner)
          .map(({ first, last }) => [first, last] as const),
        ...countsOf(lines, owner),
      }));
    });
}

export function countsOf(
  lines: Parameters<typeof ownersOf>[0],
  owner: Owner,
): { readonly added: number; readonly removed: number } {
  return {
    added: lines.filter(({ addedBy }) => addedBy === owner).length,
    removed: lines.filter(({ removedBy }) => removedBy === owner).length,
  };
}
