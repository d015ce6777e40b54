/** What a replay of many merges says of each policy. Pure. */
import { type Pair, type Policy, policies, waits } from './replay-pair.ts';

interface PolicyFigures {
  readonly policy: Policy;
  readonly waits: number;
  /** File-sharing pairs that git merges cleanly, and that would have waited. */
  readonly needless: number;
  /** Of the file-sharing pairs that git merges cleanly; null where there are none. */
  readonly needlessShare: number | null;
  /** Conflicts that the policy lets happen. */
  readonly missed: number;
}

export interface FileFigures {
  readonly path: string;
  /** Pairs that share it, and pairs in which git leaves it to be resolved. */
  readonly pairs: number;
  readonly conflicts: number;
}

export interface ReplayFigures {
  readonly pairs: number;
  readonly sharing: number;
  readonly conflicts: number;
  /** Pairs that share a file and that git merges cleanly. */
  readonly clean: number;
  readonly policies: readonly PolicyFigures[];
  /** The files in which most pairs conflict. */
  readonly files: readonly FileFigures[];
}

const shownFiles = 5;

export function replayFigures(pairs: readonly Pair[]): ReplayFigures {
  const sharing = pairs.filter(({ shared }) => shared.length > 0);
  const clean = sharing.filter(({ isClean }) => isClean);
  const conflicting = pairs.filter(({ isClean }) => !isClean);
  return {
    pairs: pairs.length,
    sharing: sharing.length,
    conflicts: conflicting.length,
    clean: clean.length,
    policies: policies.map((policy) => {
      const needless = clean.filter((pair) => waits(policy, pair)).length;
      return {
        policy,
        waits: pairs.filter((pair) => waits(policy, pair)).length,
        needless,
        needlessShare: clean.length === 0 ? null : needless / clean.length,
        missed: conflicting.filter((pair) => !waits(policy, pair)).length,
      };
    }),
    files: mostConflicting(pairs),
  };
}

function mostConflicting(pairs: readonly Pair[]): readonly FileFigures[] {
  const conflicts = count(pairs.flatMap((pair) => pair.conflicts));
  const shared = count(pairs.flatMap((pair) => pair.shared.map(({ path }) => path)));
  return [...conflicts]
    .map(([path, times]) => ({ path, pairs: shared.get(path) ?? 0, conflicts: times }))
    .sort((a, b) => b.conflicts - a.conflicts || (a.path < b.path ? -1 : 1))
    .slice(0, shownFiles);
}

function count(words: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}
