/**
 * What the git of a session asks before it runs a command that may harm others: would it leave their
 * commits on no branch, take what they stashed, replay a change onto what they hold, or overwrite
 * what they have not saved? Unsaved work is kept first, whatever the answer.
 */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { RealWorld } from '../agent/world.ts';
import { showAgent } from '../core/agent.ts';
import { existsAt, replayedPaths } from '../git/commits.ts';
import { headOf } from '../git/head.ts';
import { stagedSince } from '../git/index-file.ts';
import type { GitCommand } from '../git/git-command.ts';
import type { Observation } from '../git/log-store.ts';
import { cleanedFiles, namedFiles } from '../git/pathspec.ts';
import { shellLine } from '../report.ts';
import { standingReservations, type HookCaller } from './caller.ts';
import { effectOf, type Effect } from './effects.ts';
import { heldBy, pathsOf, type Problem } from './evaluate.ts';
import { judgeMove } from './moves.ts';
import { keepOnBranch, spare, waitAndRetry } from './next-steps.ts';
import { optionsOf } from './options.ts';
import { judgeRebase } from './rebase.ts';
import { ofOthers, saveWork, unsavedWork, type Unsaved } from './saved-work.ts';
import { stashesOfOthers } from './stash-owner.ts';

export type BeforeCommand =
  /** What is `watched` may be overwritten; whether it was shows afterwards. */
  | { readonly kind: 'go'; readonly watched: ReturnType<typeof ofOthers> }
  | { readonly kind: 'problems'; readonly problems: readonly Problem[]; readonly next: readonly string[] }
  | { readonly kind: 'wipes'; readonly what: readonly string[]; readonly next: readonly string[] };

interface Place {
  readonly world: RealWorld;
  readonly at: Observation;
  readonly caller: HookCaller;
  readonly cwd: string;
  /** A setting lets the command do more than its words say. */
  readonly isWider: boolean;
}

const go: BeforeCommand = { kind: 'go', watched: [] };

export function beforeCommand(place: Place, command: GitCommand): BeforeCommand {
  const { world, at, caller, cwd } = place;
  const { repository } = world;
  const words = [command.verb, ...command.words];
  const others = stashesOfOthers(repository, words, world.caller().name);
  if (others.length > 0) {
    const what = others.map(({ name, agent }) => `${name}: ${agent ?? 'a person'} has stashed this`);
    return { kind: 'wipes', what, next: ['git stash list'] };
  }
  const lost = judgeMove(world, caller.who, words);
  if (lost.length > 0) {
    const commits = lost.flatMap((problem) => (problem.kind === 'lost' ? problem.commit : []));
    return { kind: 'problems', problems: lost, next: [keepOnBranch(commits, command)] };
  }
  const setting = { leases: standingReservations(world, at), folding: world.settings.folding, who: caller.who };
  const held = command.verb === 'rebase' ? rebased(place, command) : heldBy(replayed(place, command), setting);
  if (held.length > 0) {
    return { kind: 'problems', problems: held, next: [waitAndRetry(pathsOf(held), command)] };
  }
  const said = effectOf(words, (path) => existsSync(resolve(cwd, path)));
  const effect = place.isWider && said.kind !== 'nothing' ? { kind: 'all' } as const : said;
  return effect.kind === 'nothing' ? go : beforeEffect(place, command, effect);
}

/** git makes an autostash before it asks the hook, so the session's git asks first. */
function rebased({ world, at, caller }: Place, command: GitCommand): readonly Problem[] {
  const { has, free } = optionsOf('rebase', command.words);
  if (has(null, 'abort', 'skip', 'continue', 'quit', 'edit-todo')) return [];
  const isRoot = has(null, 'root');
  const args = isRoot ? ['--root', ...free] : free.length === 0 ? ['@{upstream}'] : free;
  return judgeRebase(world, at, { ...caller, command: () => command }, args);
}

/** Paths that a revert or a cherry-pick would change by commits of its own. */
function replayed({ world: { repository } }: Place, { verb, words }: GitCommand): readonly string[] {
  if (verb !== 'revert' && verb !== 'cherry-pick') return [];
  const { has, free } = optionsOf(verb, words);
  if (free.length === 0 || has('n', 'no-commit', 'abort', 'skip', 'quit', 'continue')) return [];
  return replayedPaths(repository, free);
}

function beforeEffect(place: Place, command: GitCommand, effect: Effect): BeforeCommand {
  const { world, at } = place;
  const unsaved = unsavedWork(world, at);
  const reaches = reachOf(place, command, effect);
  const reached = unsaved.filter(reaches);
  if (reached.length === 0) return go;
  saveWork(world, reached, shellLine('git', command.verb, ...command.words.slice(0, 2)));
  const theirs = ofOthers(world, reached);
  if (theirs.length === 0) return go;
  if (effect.kind === 'unknown') return { kind: 'go', watched: theirs };
  const paths = [...new Set(theirs.map(({ path }) => path))];
  return {
    kind: 'wipes',
    what: theirs.map(({ path, agent }) => `${path}: ${showAgent(agent)} has not committed this`),
    next: [spare(command, effect, paths, reached.every(({ path }) => paths.includes(path)))],
  };
}

/** Which unsaved files the command may overwrite. */
function reachOf(place: Place, command: GitCommand, effect: Effect): (unsaved: Unsaved) => boolean {
  const { world: { repository }, cwd } = place;
  const stagedHere = stagedPaths(place);
  const names = command.words.filter((word) => !word.startsWith('-'));
  /** A commit that the command names holds a file of this path, and git puts it in place. */
  const isBrought = (path: string): boolean => names.some((name) => existsAt(repository, name, path));
  const mayReach = ({ path, isTracked }: Unsaved, untracked: boolean): boolean => (
    isTracked || untracked || stagedHere.has(path) || isBrought(path));
  switch (effect.kind) {
    case 'unknown':
      return () => true;
    case 'all':
      return (unsaved) => mayReach(unsaved, effect.untracked === true);
    case 'staged':
      return ({ path }) => stagedHere.has(path);
    case 'paths': {
      const named = namedFiles(repository, cwd, effect.paths);
      return (unsaved) => (named === null || named.has(unsaved.path)) && mayReach(unsaved, effect.untracked === true);
    }
    case 'cleans': {
      const gone = cleanedFiles(repository, cwd, command.words);
      const isIn = (path: string, name: string): boolean => (
        path === name || (name.endsWith('/') && path.startsWith(name)));
      return ({ path }) => gone === null || gone.some((name) => isIn(path, name));
    }
    case 'switches':
      return ({ path, isIgnored }) => isIgnored && isBrought(path);
    case 'nothing':
      return () => false;
  }
}

/** What the caller's index has otherwise than HEAD. */
function stagedPaths({ world: { repository }, caller }: Place): ReadonlySet<string> {
  const { oid } = headOf(repository);
  const staged = oid === null ? [] : stagedSince(repository, caller.stage.index, oid);
  return new Set(staged.map(({ path }) => path));
}
