/**
 * What the git of a session asks before it runs a command that may harm others: would it leave
 * their commits on no branch, take what they stashed, replay a change onto what they hold, or
 * overwrite what they have not saved? Unsaved work is kept first, whatever the answer.
 */

import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { showAgent } from '../core/agent.ts';
import { shellLine } from '../core/shell-line.ts';
import type { Kept } from '../draft/quarantine.ts';
import { ofOthers, saveWork, type Unsaved, unsavedWork } from '../draft/saved-work.ts';
import { commitAt, factsOf } from '../git/commits.ts';
import type { GitCommand } from '../git/git-command.ts';
import { branchRebased, headOf } from '../git/head.ts';
import { isContained, lost, replayedPaths } from '../git/replay.ts';
import type { Repository } from '../git/repository.ts';
import { is } from '../git/verbs.ts';
import { reservationsHere } from '../loop/standing.ts';
import { type CommandPlace, reachOf, writtenByOperation } from './command-reach.ts';
import { type Effect, effectOf } from './effects.ts';
import { heldPaths, judgeLost, type Problem, pathsOf } from './evaluate.ts';
import { makersOf } from './makers.ts';
import { judgeMove } from './moves.ts';
import {
  besideOperation,
  keepAndWait,
  line,
  spare,
  takeOwnStash,
  waitAndRetry,
} from './next-steps.ts';
import { optionsOf } from './options.ts';
import { goesOn, judgeRebase } from './rebase.ts';
import { distinct } from './ref-transaction.ts';
import { keepBefore, occupied, type Removal, removedBy } from './removal.ts';
import { ownStashes, type StashEntry, stashesOfOthers } from './stash-owner.ts';
import { wipedSubmodules } from './submodules.ts';
import { foreignOperation } from './under-way.ts';
import { undoInstead } from './undo-instead.ts';

type BeforeCommand =
  /**
   * What is `watched` may be overwritten; whether it was shows afterwards. What goes with a work
   * tree is kept.
   */
  | {
      readonly kind: 'go';
      readonly watched: ReturnType<typeof ofOthers>;
      readonly kept?: readonly Kept[];
    }
  | {
      readonly kind: 'occupied';
      readonly removals: readonly Removal[];
      readonly next: readonly string[];
    }
  | {
      readonly kind: 'problems';
      readonly problems: readonly Problem[];
      readonly next: readonly string[];
    }
  | {
      readonly kind: 'stashed';
      readonly others: readonly StashEntry[];
      readonly next: readonly string[];
    }
  | {
      readonly kind: 'wipes';
      readonly unsaved: ReturnType<typeof ofOthers>;
      readonly what: readonly string[];
      readonly next: readonly string[];
    };

const go: BeforeCommand = { kind: 'go', watched: [] };

export function beforeCommand(place: CommandPlace, command: GitCommand): BeforeCommand {
  const judged = beforeOthers(place, command);
  const { world, at, cwd } = place;
  const going = judged.kind === 'go' ? removedBy(world, command, (path) => resolve(cwd, path)) : [];
  if (judged.kind !== 'go' || going.length === 0) return judged;
  // Whatever is said of it: somebody may be let past a refusal.
  const why = shellLine('git', command.verb, ...command.words);
  const kept = going.flatMap((tree) => keepBefore(world, at, tree, why).kept ?? []);
  const removals = occupied(world, at, going);
  if (removals.length > 0) return { kind: 'occupied', removals, next: ['coord work list'] };
  return { ...judged, kept };
}

function beforeOthers(place: CommandPlace, command: GitCommand): BeforeCommand {
  const { world, at, caller, cwd } = place;
  const { repository } = world;
  const words = [command.verb, ...command.words];
  const others = stashesOfOthers(repository, words, caller.who);
  if (others.length > 0) {
    const own = ownStashes(repository, caller.who);
    return { kind: 'stashed', others, next: [takeOwnStash(command, own)] };
  }
  const changed = wipedSubmodules(world, at, command);
  if (changed.length > 0) {
    const what = changed.map(
      ({ path, agent }) => `${path}: ${showAgent(agent)} has not committed this`,
    );
    return {
      kind: 'wipes',
      unsaved: [],
      what,
      next: [
        waitAndRetry(
          changed.map(({ path }) => path),
          command,
        ),
      ],
    };
  }
  const said = effectOf(words, (path) => existsSync(resolve(cwd, path)));
  const foreign = meetsOperation(repository, command, said)
    ? foreignOperation(world, at, caller)
    : null;
  if (foreign !== null)
    return { kind: 'problems', problems: [foreign], next: besideIt(place, command) };
  const setting = {
    leases: reservationsHere(world, at),
    folding: world.settings.folding,
    who: caller.who,
  };
  const problems = distinct([
    ...judgeMove(world, caller.who, words),
    ...judgeSkip(place, command),
    ...rebased(place, command),
    ...heldPaths(replayed(place, command), setting),
  ]);
  const effect = place.isWider && said.kind !== 'nothing' ? ({ kind: 'all' } as const) : said;
  const overwrites = effect.kind === 'nothing' ? go : beforeEffect(place, command, effect);
  return problems.length === 0 ? overwrites : refusal(repository, problems, overwrites, command);
}

/** What does the same to files alone, as far as that is allowed. */
function besideIt(place: CommandPlace, command: GitCommand): readonly string[] {
  const beside = besideOperation(command);
  if (beside === null) return ['git status'];
  const judged = beforeCommand(place, beside);
  return judged.kind === 'go' ? [line(beside)] : judged.next;
}

/** Begins a merge, a rebase or the like, goes on with it, gives it up, or makes git forget it. */
function meetsOperation(
  repository: Repository,
  { verb, words }: GitCommand,
  effect: Effect,
): boolean {
  const { has, free, paths } = optionsOf(verb, words);
  const isOfAll = (paths ?? []).length === 0 && !has(null, 'pathspec-from-file');
  if (is(verb, 'begins')) return !has(null, 'show-current-patch');
  switch (verb) {
    case 'reset':
      return (
        isOfAll &&
        (free.length === 0 || (free.length === 1 && commitAt(repository, free[0] ?? '') !== null))
      );
    case 'stash':
      return (
        isOfAll &&
        (free[0] === 'save' || (free.length <= 1 && ['push', undefined].includes(free[0])))
      );
    case 'checkout':
      return isOfAll && ['switches', 'merges', 'all'].includes(effect.kind);
    case 'switch':
      return has('f', 'force', 'discard-changes');
    default:
      return false;
  }
}

/** All that stands against it at once: a second refusal for another reason would help nobody. */
function refusal(
  repository: Repository,
  problems: readonly Problem[],
  overwrites: BeforeCommand,
  command: GitCommand,
): BeforeCommand {
  const unsaved = overwrites.kind === 'wipes' ? overwrites.unsaved : [];
  const all = [
    ...problems,
    ...unsaved.map(({ path, agent }): Problem => ({ kind: 'unsaved', path, by: showAgent(agent) })),
  ];
  const commits = problems.flatMap((problem) => (problem.kind === 'lost' ? problem.commit : []));
  const paths = [...new Set([...pathsOf(problems, 'held'), ...pathsOf(all, 'unsaved')])];
  // What is staged and not held cannot be waited for.
  const next = unsaved.every(({ isHeld }) => isHeld)
    ? keepAndWait(repository, commits, paths, command)
    : 'git status';
  return { kind: 'problems', problems: all, next: [next] };
}

/** What a rebase has stopped at belongs to whoever made it. */
function judgeSkip(
  { world: { repository }, caller: { who } }: CommandPlace,
  { verb, words }: GitCommand,
): readonly Problem[] {
  if (verb !== 'rebase' || !optionsOf(verb, words).has(null, 'skip')) return [];
  const stopped = commitAt(repository, 'REBASE_HEAD');
  const { parents = [] } = stopped === null ? {} : (factsOf(repository, stopped) ?? {});
  if (stopped === null) return [];
  const branch = branchRebased(repository);
  const left = lost(repository, branch === null ? [] : [branch], [stopped], parents).filter(
    (commit) => headOf(repository).oid === null || !isContained(repository, commit, 'HEAD'),
  );
  return judgeLost(left, who, makersOf(repository));
}

/** git makes an autostash before it asks the hook, so the session's git asks first. */
function rebased({ world, at, caller }: CommandPlace, command: GitCommand): readonly Problem[] {
  if (command.verb !== 'rebase') return [];
  const { has, free } = optionsOf('rebase', command.words);
  if (has(null, 'abort', 'quit', 'edit-todo')) return [];
  if (has(null, 'skip', 'continue')) return goesOn(world, at, caller);
  const isRoot = has(null, 'root');
  const args = isRoot ? ['--root', ...free] : free.length === 0 ? ['@{upstream}'] : free;
  return judgeRebase(world, at, { ...caller, command: () => command }, args);
}

/** Paths that a revert or a cherry-pick would change by commits of its own. */
function replayed(
  { world: { repository } }: CommandPlace,
  { verb, words }: GitCommand,
): readonly string[] {
  if (verb !== 'revert' && verb !== 'cherry-pick') return [];
  const { has, free } = optionsOf(verb, words);
  if (free.length === 0 || has('n', 'no-commit', 'abort', 'skip', 'quit', 'continue')) return [];
  return replayedPaths(repository, free);
}

function beforeEffect(place: CommandPlace, command: GitCommand, effect: Effect): BeforeCommand {
  const { world, at } = place;
  const unsaved = unsavedWork(world, at);
  const isOwnOutput = writtenByOperation(place, command);
  const reached = unsaved
    .filter(reachOf(place, command, effect, unsaved))
    .filter(({ path }) => !isOwnOutput(path));
  if (reached.length === 0) return go;
  saveWork(world, reached, shellLine('git', command.verb, ...command.words.slice(0, 2)));
  const all = ofOthers(world, reached);
  // Whether git takes a file away that stands where a folder was shows afterwards.
  const isSure = ({ isIgnored }: Unsaved): boolean => effect.kind !== 'switches' || isIgnored;
  const theirs = effect.kind === 'unknown' ? [] : all.filter(isSure);
  if (theirs.length === 0) return { kind: 'go', watched: all };
  const paths = [...new Set(theirs.map(({ path }) => path))];
  return {
    kind: 'wipes',
    unsaved: theirs,
    what: theirs.map(({ path, agent }) => `${path}: ${showAgent(agent)} has not committed this`),
    next: [
      undoInstead(world, place.cwd, command, unsaved) ??
        spare(
          command,
          effect,
          theirs,
          reached.every(({ path }) => paths.includes(path)),
        ),
    ],
  };
}
