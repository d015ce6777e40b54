/**
 * May this change be made? The one evaluator behind every hook: commits and ref updates come in as
 * what they change, out comes what stands against them. It decides on what it is told and reads
 * nothing.
 */
import { areKin } from '../core/ids.ts';
import type { Lease, Reservation } from '../core/lease.ts';
import { collide, type Folding } from '../core/overlap.ts';
import { literal } from '../core/pattern.ts';
import type { CommitFacts } from '../git/commits.ts';
import type { PathChange } from '../git/path-changes.ts';

export type Problem =
  | { readonly kind: 'held'; readonly path: string; readonly lease: Lease }
  /** The change puts back what stood there before `by`. */
  | { readonly kind: 'undone'; readonly path: string }
  /** Changed here and by others since, differently. */
  | { readonly kind: 'both'; readonly path: string }
  | { readonly kind: 'lost'; readonly commit: CommitFacts }
  /** Somebody else's work that is in no commit would go. */
  | {
      readonly kind: 'unsaved';
      readonly path: string;
      readonly by: string;
      /** There are lines of nobody that is known: whoever has the file alone may commit them. */
      readonly isNobodys?: boolean;
    }
  /** What is staged of it touches lines that others have not committed. */
  | { readonly kind: 'lines'; readonly path: string; readonly by: string }
  /** It would be deleted though it is still there: an index that lost its entries. */
  | { readonly kind: 'vanished'; readonly path: string }
  /** The index is in the hands of another git. */
  | { readonly kind: 'locked' }
  /**
   * The stage was empty or damaged, and is as it was last known to be good: somebody has to look
   * first.
   */
  | { readonly kind: 'restored' }
  /** A merge or the like that somebody else has begun in this work tree. */
  | { readonly kind: 'in-progress'; readonly operation: string; readonly by: string }
  /**
   * It got the message of somebody else's commit, made at the same time: git has one file for all.
   */
  | { readonly kind: 'mixed'; readonly agent: string | null }
  /** Somebody else has switched the branch under this stage; null where it is not known who. */
  | {
      readonly kind: 'switched';
      readonly from: string;
      readonly to: string;
      readonly by: string | null;
    }
  /** What was staged when git looked is in HEAD by now, so that this commit would be empty. */
  | { readonly kind: 'nothing' }
  /** An agent's commit that did not come from its stage. */
  | { readonly kind: 'not-staged'; readonly path: string };

export interface Who {
  /** Asked only if something is in the way: a person's name costs a question to git. */
  name(): string;
  readonly isAgent: boolean;
}

export interface JudgedCommit {
  readonly changes: readonly PathChange[];
  /** It was made on top of HEAD, from an index: so it must be the work of that index alone. */
  readonly fromIndex: boolean;
  /** Deleted paths that the index seems to have lost. */
  readonly vanished: readonly string[];
}

interface Setting {
  readonly who: Who;
  /** Of anybody, live or in grace. */
  readonly leases: readonly Reservation[];
  readonly folding: Folding;
  /** What others changed between the commit the index is based on and HEAD. */
  readonly missed: ReadonlyMap<string, PathChange>;
  /** An agent that has a stage here, and used another index. */
  readonly pastStage: boolean;
}

export function judgeCommit(
  { changes, fromIndex, vanished }: JudgedCommit,
  setting: Setting,
): readonly Problem[] {
  const held = heldPaths(
    changes.map(({ path }) => path),
    setting,
  );
  if (!fromIndex) return held;
  const stale = changes.flatMap((change): Problem[] => {
    const missed = setting.missed.get(change.path);
    if (missed === undefined || missed.after === change.after) return [];
    const { path } = change;
    return [missed.before === change.after ? { kind: 'undone', path } : { kind: 'both', path }];
  });
  const past = setting.pastStage
    ? changes.map(({ path }): Problem => ({ kind: 'not-staged', path }))
    : [];
  return [...stale, ...lostEntries(vanished), ...held, ...past];
}

export function lostEntries(paths: readonly string[]): readonly Problem[] {
  return paths.map((path) => ({ kind: 'vanished', path }));
}

/** Which of these paths somebody else holds. */
export function heldPaths(
  paths: readonly string[],
  { leases, folding, who }: Pick<Setting, 'leases' | 'folding' | 'who'>,
): readonly Problem[] {
  return paths.flatMap((path) => {
    const key = literal(path);
    const lease = leases.find(
      (candidate) =>
        candidate.patterns.some((pattern) => collide(pattern, key, folding)) &&
        !areKin(candidate.agent.name, who.name()),
    );
    return lease === undefined ? [] : [{ kind: 'held', path, lease } as const];
  });
}

/** The paths that a problem is about. */
export function pathsOf(problems: readonly Problem[], kind?: Problem['kind']): readonly string[] {
  return [
    ...new Set(
      problems.flatMap((problem) =>
        'path' in problem && (kind === undefined || problem.kind === kind) ? problem.path : [],
      ),
    ),
  ];
}

/** Commits of somebody else that an update would leave on no branch. */
export function judgeLost(
  commits: readonly CommitFacts[],
  who: Who,
  makerOf: (commit: CommitFacts) => string | null,
): readonly Problem[] {
  return commits
    .map((commit) => ({ ...commit, agent: makerOf(commit) }))
    .filter(({ agent }) => (agent === null ? who.isAgent : !isBy(agent, who)))
    .map((commit) => ({ kind: 'lost', commit }));
}

/** Is it theirs, or their kin's? The trailer has `alice (3f2a91bc)`. */
export function isBy(shown: string, who: Who): boolean {
  return areKin(shown.replace(/ \([0-9a-z]{8}\)$/, ''), who.name());
}
