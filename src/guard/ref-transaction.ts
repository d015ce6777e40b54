/**
 * The last local line: sees every update of a branch however it is made, also past the other hooks, by
 * cherry-pick, rebase, plumbing or a GUI. While refs are locked it only reads. Besides its verdict it
 * says what the index in use will be based on, if the update goes through.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { RealWorld } from '../agent/world.ts';
import { broughtIn, changesBetween, commitAt, factsOf, headOf, introduced, isAncestor, isRebasing, lost, operationUnderWay, ownChanges, treeOf, unpushed, versionsBefore, type CommitFacts, type Head } from '../git/commits.ts';
import { treeOfIndex, type PathChange } from '../git/index-file.ts';
import type { Observation } from '../git/log-store.ts';
import { readRef } from '../git/refs.ts';
import type { Repository } from '../git/repository.ts';
import type { Oid } from '../core/ids.ts';
import { baseOf, isAtHead, type Stage } from '../stage/stage.ts';
import { standingReservations, type HookCaller } from './caller.ts';
import { madeBy } from './foreseen.ts';
import { optionsOf } from './options.ts';
import { vanished } from './vanished.ts';
import { foreignOperation } from './commit-hooks.ts';
import { heldBy, isBy, judgeCommit, judgeLost, type JudgedCommit, type Problem, type Setting, type Who } from './evaluate.ts';

export interface RefLine {
  readonly old: Oid | null;
  readonly next: Oid;
  readonly ref: string;
}

/** The lines that move HEAD or a branch. */
export function readLines(input: string): readonly RefLine[] {
  return input.split('\n').flatMap((line) => {
    const [, old = '', next = '', ref = ''] = /^([0-9a-f]{40,64}) ([0-9a-f]{40,64}) (HEAD|refs\/heads\/.+)$/.exec(line) ?? [];
    return ref === '' || /^0+$/.test(next) ? [] : [{ old: /^0+$/.test(old) ? null : old, next, ref }];
  });
}

/**
 * The branches that go. Packing looks like that too, and so does renaming, but the one holds no lock on
 * the packed refs while it takes the loose ones away, and the other has put the reflog aside.
 */
export function readDeletions({ commonDir, refs }: Repository, input: string): readonly string[] {
  if (refs === 'files' && !existsSync(join(commonDir, 'packed-refs.lock'))) return [];
  const isRenamed = (ref: string): boolean => refs === 'files' && existsSync(join(commonDir, 'logs', 'refs', '.tmp-renamed-log')) && !existsSync(join(commonDir, 'logs', ref));
  return [...input.matchAll(/^[0-9a-f]+ 0+ (refs\/heads\/.+)$/gm)].map(([, ref = '']) => ref).filter((ref) => !isRenamed(ref));
}

/** What git asks about: the lines of one transaction, the branches that go in it, and which git it is. */
export interface Asked {
  readonly lines: readonly RefLine[];
  readonly deletions: readonly string[];
  readonly git: string | undefined;
}

export interface Transaction {
  readonly problems: readonly Problem[];
  readonly head: Head;
  /** What to note for the stage in use once the update has gone through. */
  readonly newBase: { readonly stage: Stage; readonly oid: Oid } | null;
  /** Where a command that is refused has brought the index already: it moved HEAD, rather than commit on it. */
  readonly leftAt: Oid | null;
}

export function judgeTransaction(world: RealWorld, at: Observation, caller: HookCaller, { lines, deletions, git }: Asked): Transaction {
  const { repository } = world;
  const head = headOf(repository);
  const base = baseOf(repository, caller.stage);
  const setting: Setting = {
    who: caller.who, leases: standingReservations(world, at), folding: world.settings.folding, pastStage: caller.pastStage,
    missed: missedSince(repository, base, head.oid),
  };
  const commits = introduced(repository, [...new Set(lines.map(({ next }) => next))], [...broughtIn(repository), ...(head.oid === null ? [] : [head.oid])]);
  const moved = lines.find(({ ref }) => ref === 'HEAD' || ref === head.branch);
  const problems = [
    ...commits.flatMap((commit) => judgeCommit(changesOf(repository, commit, head, moved), setting)),
    ...judgeLost(lostBy(repository, lines, deletions, commits, head), caller.who),
  ];
  const commit = commits.find(({ oid }) => oid === moved?.next);
  const foreign = commit === undefined || head.oid === null || !commit.parents.includes(head.oid) ? null : foreignOperation(world, caller);
  const isMove = moved !== undefined && head.oid !== null && moved.next !== head.oid && !isMadeFrom(repository, commit, head.oid);
  return {
    problems: distinct([...problems, ...(foreign === null ? [] : [foreign]), ...mixedUp(world, caller, commit, git), ...reversals(world, caller, commit, head)]), head,
    newBase: moved !== undefined && isAtHead(repository, caller.stage, head.oid) && cameAlong(repository, caller.stage, head, moved.next) ? { stage: caller.stage, oid: moved.next } : null,
    leftAt: isMove ? moved.next : null,
  };
}

/** What `reset` and the like would leave on no branch: asked before git touches index and work tree, which it does first. */
export function judgeMove(world: RealWorld, who: Who, command: readonly string[]): readonly Problem[] {
  const { repository } = world;
  const head = headOf(repository);
  if (head.oid === null) return [];
  const moves = movesOf(command, head).map(({ ref, to }) => {
    const next = to === null ? null : commitAt(repository, to);
    return { ref, before: ref === 'HEAD' || ref === head.branch ? head.oid : readRef(repository, ref), nexts: next === null ? [] : [next], isKnown: ref === 'HEAD' || next !== null };
  });
  return distinct(moves.flatMap(({ ref, before, nexts, isKnown }) => (before === null || !isKnown || nexts.some((next) => isAncestor(repository, before, next)) ? [] : judgeLost(lost(repository, [ref], [before], nexts), who))));
}

interface Move {
  readonly ref: string;
  /** Null where it is not said, or not there yet. */
  readonly to: string | null;
}

/** Which refs a command moves, and to what; a detached HEAD that is left is one of them. */
function movesOf([verb = '', ...words]: readonly string[], { branch }: Head): readonly Move[] {
  const { has, value, free, paths } = optionsOf(verb, words);
  const [first, second] = free;
  const leaving = (to: string | null): readonly Move[] => (branch === null ? [{ ref: 'HEAD', to: to === '-' ? '@{-1}' : to }] : []);
  switch (verb) {
    case 'reset':
      // With paths it is about the index alone.
      return paths !== null || free.length > 1 ? [] : [{ ref: branch ?? 'HEAD', to: first ?? 'HEAD' }];
    case 'branch': {
      if (first === undefined || has('d', 'delete') || has('D')) return [];
      const isForced = has('f', 'force');
      if (has('M') || has('C') || (isForced && (has('m', 'move') || has('c', 'copy')))) return [{ ref: `refs/heads/${free.at(-1) ?? ''}`, to: free.length > 1 ? first : 'HEAD' }];
      return isForced ? [{ ref: `refs/heads/${first}`, to: second ?? 'HEAD' }] : [];
    }
    case 'checkout':
    case 'switch': {
      if ((paths?.length ?? 0) > 0) return [];
      if (has(null, 'orphan')) return leaving(null);
      const forced = value('B', 'C', 'force-create');
      if (forced !== undefined) return [{ ref: `refs/heads/${forced}`, to: first ?? 'HEAD' }, ...leaving(first ?? 'HEAD')];
      if (value('b', 'c', 'create') !== undefined) return leaving(first ?? 'HEAD');
      return first === undefined || free.length > 1 ? [] : leaving(first);
    }
    case 'rebase':
      return second === undefined ? [] : leaving(second);
    case 'bisect':
      return first === 'reset' ? leaving(second ?? null) : [];
    case 'symbolic-ref':
      return first === 'HEAD' && second !== undefined ? leaving(second) : [];
    default:
      return [];
  }
}

/** What was committed while somebody else held it, past all hooks, does not get out to others either. */
export function judgePush(world: RealWorld, at: Observation, caller: HookCaller, tips: readonly Oid[]): readonly Problem[] {
  const setting = { who: caller.who, leases: standingReservations(world, at), folding: world.settings.folding };
  return distinct(unpushed(world.repository, tips).filter(({ agent }) => agent !== null && isBy(agent, caller.who))
    .flatMap((commit) => heldBy(ownChanges(world.repository, commit).map(({ path }) => path), { ...setting, leases: setting.leases.filter(({ acquiredAt }) => acquiredAt <= commit.committedAt) })));
}

function missedSince(repository: Repository, base: Oid | null, head: Oid | null): ReadonlyMap<string, PathChange> {
  return new Map(base === null || head === null ? [] : changesBetween(repository, base, head).map((change) => [change.path, change]));
}

/**
 * Is the index based on where HEAD goes? Forward only if it is what stands there: else it may have been moved
 * without it, and is carried there later, which changes nothing in what has come along. Back or aside
 * always: what the index holds beyond that is staged then.
 */
function cameAlong(repository: Repository, stage: Stage, head: Head, next: Oid): boolean {
  if (head.oid !== null && !isAncestor(repository, head.oid, next)) return true;
  return treeOfIndex(repository, stage.index) === treeOf(repository, next);
}

/** A message that was signed for its own agent just before, and is another's now. */
function mixedUp({ repository }: RealWorld, caller: HookCaller, commit: CommitFacts | undefined, git: string | undefined): readonly Problem[] {
  if (commit === undefined || caller.agent === null || operationUnderWay(repository) !== null || isRebasing(repository)) return [];
  const { isJudged, isSigned } = madeBy(repository, git);
  const isMixed = isJudged && (commit.agent === null ? isSigned : !isBy(commit.agent, caller.who));
  return isMixed ? [{ kind: 'mixed', agent: commit.agent }] : [];
}

/** A commit on top of HEAD, or in its place. */
function isMadeFrom(repository: Repository, commit: CommitFacts | undefined, head: Oid): boolean {
  if (commit === undefined) return false;
  return commit.parents.includes(head) || factsOf(repository, head)?.parents.join(' ') === commit.parents.join(' ');
}

/** A commit whose tree is not that of the index in use came from one that nobody knows: does it put back what others have changed? */
function reversals({ repository }: RealWorld, caller: HookCaller, commit: CommitFacts | undefined, head: Head): readonly Problem[] {
  if (commit === undefined || head.oid === null || commit.parents.length !== 1 || commit.parents[0] !== head.oid) return [];
  const indexTree = treeOfIndex(repository, caller.stage.index);
  if (!caller.usesUnknownIndex && indexTree === treeOf(repository, commit.oid)) return [];
  const changes = ownChanges(repository, commit);
  const before = versionsBefore(repository, head.oid, changes.map(({ path }) => path), (agent) => (agent === null ? !caller.who.isAgent && !caller.usesUnknownIndex : isBy(agent, caller.who)));
  return changes.flatMap((change): Problem[] => (before.get(change.path)?.has(change.after) === true ? [{ kind: 'undone', path: change.path }] : []));
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
  return { changes, fromIndex, vanished: fromIndex ? vanished(repository, commit.parents[0] ?? commit.oid, changes) : [] };
}

/** Judged as a whole: what one line takes away another one may keep, and two may take away what each alone would not. */
function lostBy(repository: Repository, lines: readonly RefLine[], deletions: readonly string[], commits: readonly CommitFacts[], head: Head): readonly CommitFacts[] {
  // On a branch it is the branch that moves.
  const moved = lines.filter(({ ref }) => ref !== 'HEAD' || head.branch === null);
  const before = (ref: string, old: Oid | null): Oid | null => old ?? (ref === 'HEAD' ? head.oid : readRef(repository, ref));
  const left = moved.flatMap(({ old, next, ref }) => {
    const was = before(ref, old);
    const grows = was === null || was === next || commits.some(({ oid, parents }) => oid === next && parents.includes(was)) || isAncestor(repository, was, next);
    return grows ? [] : [was];
  });
  const gone = deletions.flatMap((ref) => before(ref, null) ?? []);
  if (left.length + gone.length === 0) return [];
  return lost(repository, [...moved.map(({ ref }) => ref), ...deletions], [...left, ...gone], moved.map(({ next }) => next));
}

function distinct(problems: readonly Problem[]): readonly Problem[] {
  const seen = new Map(problems.map((problem) => [problem.kind === 'lost' ? problem.commit.oid : `${problem.kind} ${'path' in problem ? problem.path : ''}`, problem]));
  return [...seen.values()];
}
