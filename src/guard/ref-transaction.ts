/**
 * The last local line: sees every update of a branch however it is made, also past the other hooks, by
 * cherry-pick, rebase, plumbing or a GUI. While refs are locked it only reads. Besides its verdict it
 * says what the index in use will be based on, if the update goes through.
 */
import type { RealWorld } from '../agent/world.ts';
import { broughtIn, changesBetween, factsOf, headOf, introduced, isAncestor, isEmptyTree, lost, ownChanges, unpushed, type CommitFacts, type Head } from '../git/commits.ts';
import type { PathChange } from '../git/index-file.ts';
import type { Observation } from '../git/log-store.ts';
import { readRef } from '../git/refs.ts';
import type { Repository } from '../git/repository.ts';
import type { Oid } from '../core/ids.ts';
import { baseOf, type Stage } from '../stage/stage.ts';
import { standingLeases, type HookCaller } from './caller.ts';
import { heldBy, judgeCommit, judgeLost, type JudgedCommit, type Problem, type Setting } from './evaluate.ts';

export interface RefLine {
  readonly old: Oid | null;
  readonly next: Oid;
  readonly ref: string;
}

/** The lines that move HEAD or a branch; deletions are how packing looks, and lose nothing that a branch needs. */
export function readLines(input: string): readonly RefLine[] {
  return input.split('\n').flatMap((line) => {
    const [, old = '', next = '', ref = ''] = /^([0-9a-f]{40,64}) ([0-9a-f]{40,64}) (HEAD|refs\/heads\/.+)$/.exec(line) ?? [];
    return ref === '' || /^0+$/.test(next) ? [] : [{ old: /^0+$/.test(old) ? null : old, next, ref }];
  });
}

export interface Transaction {
  readonly problems: readonly Problem[];
  readonly head: Head;
  readonly base: Oid | null;
  /** What to note for the stage in use once the update has gone through. */
  readonly newBase: { readonly stage: Stage; readonly oid: Oid } | null;
}

export function judgeTransaction(world: RealWorld, at: Observation, caller: HookCaller, lines: readonly RefLine[]): Transaction {
  const { repository } = world;
  const head = headOf(repository);
  const base = baseOf(repository, caller.stage);
  const setting: Setting = {
    who: caller.who, leases: standingLeases(world, at), folding: world.settings.folding, pastStage: caller.pastStage,
    missed: missedSince(repository, base, head.oid),
  };
  const commits = introduced(repository, [...new Set(lines.map(({ next }) => next))], [...broughtIn(repository), ...(head.oid === null ? [] : [head.oid])]);
  const moved = lines.find(({ ref }) => ref === 'HEAD' || ref === head.branch);
  const problems = [
    ...commits.flatMap((commit) => judgeCommit(changesOf(repository, commit, head, moved), setting)),
    ...lines.flatMap((line) => judgeLost(lostBy(repository, line, commits), caller.who)),
  ];
  return { problems: distinct(problems), head, base, newBase: moved !== undefined && base === head.oid ? { stage: caller.stage, oid: moved.next } : null };
}

/** Whoever lost a path after its commit does not get it out to others either. */
export function judgePush(world: RealWorld, at: Observation, caller: HookCaller, tips: readonly Oid[]): readonly Problem[] {
  const setting = { who: caller.who, leases: standingLeases(world, at), folding: world.settings.folding };
  return distinct(unpushed(world.repository, tips).filter(({ agent }) => agent === null || agent.startsWith(`${caller.who.name()} (`))
    .flatMap((commit) => heldBy(ownChanges(world.repository, commit).map(({ path }) => path), setting)));
}

export function missedSince(repository: Repository, base: Oid | null, head: Oid | null): ReadonlyMap<string, PathChange> {
  return new Map(base === null || head === null ? [] : changesBetween(repository, base, head).map((change) => [change.path, change]));
}

/** A commit on top of HEAD is judged by what it changes, one in HEAD's place by how it differs from HEAD. */
function changesOf(repository: Repository, commit: CommitFacts, head: Head, moved: RefLine | undefined): JudgedCommit {
  const onTop = moved?.next === commit.oid && commit.parents.length <= 1 && (commit.parents[0] ?? null) === head.oid;
  if (onTop || head.oid === null || moved?.next !== commit.oid) return judged(repository, commit, ownChanges(repository, commit), onTop);
  const replaced = factsOf(repository, head.oid);
  const amends = replaced !== null && replaced.parents.join(' ') === commit.parents.join(' ');
  return amends ? judged(repository, commit, changesBetween(repository, head.oid, commit.oid), true) : judged(repository, commit, ownChanges(repository, commit), false);
}

function judged(repository: Repository, commit: CommitFacts, changes: readonly PathChange[], fromIndex: boolean): JudgedCommit {
  const onlyTakesAway = changes.length > 0 && changes.every(({ before, after }) => before !== null && after === null);
  return { changes, fromIndex, leavesNothing: onlyTakesAway && isEmptyTree(repository, commit.oid) };
}

function lostBy(repository: Repository, { old, next, ref }: RefLine, commits: readonly CommitFacts[]): readonly CommitFacts[] {
  if (ref === 'HEAD') return [];
  const before = old ?? readRef(repository, ref);
  if (before === null || before === next || commits.some(({ oid, parents }) => oid === next && parents.includes(before))) return [];
  return isAncestor(repository, before, next) ? [] : lost(repository, ref, before, next);
}

function distinct(problems: readonly Problem[]): readonly Problem[] {
  const seen = new Map(problems.map((problem) => [problem.kind === 'lost' ? problem.commit.oid : `${problem.kind} ${'path' in problem ? problem.path : ''}`, problem]));
  return [...seen.values()];
}
