/**
 * A rebase is judged before it begins: what it would replay onto what others hold, and commits of
 * others that it would leave out, are refused while nothing has changed yet. One that edits commits
 * in their place replays only those that its user changes, which the ref updates tell.
 */

import type { RealWorld } from '../agent/world.ts';
import { ownChanges } from '../git/changes.ts';
import { commitAt, factsOf, isAncestor } from '../git/commits.ts';
import { headOf, leftToReplay } from '../git/head.ts';
import { isContained, lost, pathsSince, toReplay } from '../git/replay.ts';
import type { Observation } from '../log/log-store.ts';
import { reservationsHere } from '../loop/standing.ts';
import type { HookCaller } from './caller.ts';
import { heldPaths, judgeLost, type Problem } from './evaluate.ts';
import { makersOf } from './makers.ts';
import { optionsOf } from './options.ts';
import { distinct } from './ref-transaction.ts';

/** The arguments of git's hook: what it is rebased onto, and the branch unless it is HEAD. */
export function judgeRebase(
  world: RealWorld,
  at: Observation,
  caller: HookCaller,
  [upstream = '', branch = 'HEAD']: readonly string[],
): readonly Problem[] {
  const {
    repository,
    settings: { folding },
  } = world;
  const { has, value } = optionsOf('rebase', caller.command()?.words ?? []);
  const from = upstream === '--root' ? null : commitAt(repository, upstream);
  const tip = commitAt(repository, branch);
  const onto = commitAt(repository, value('onto') ?? upstream);
  const isForced = has('f', 'force-rebase', 'no-ff');
  if (tip === null || onto === null) return [];
  if (!isForced && value('onto') === undefined && isAncestor(repository, onto, tip)) return [];
  const setting = { who: caller.who, folding, leases: reservationsHere(world, at) };
  const moved = branch === 'HEAD' ? (headOf(repository).branch ?? 'HEAD') : branch;
  const left = judgeLost(
    lost(repository, [moved], [tip], [onto]),
    caller.who,
    makersOf(repository),
  );
  const held = heldPaths(pathsSince(repository, from, tip), setting);
  // What is replayed takes reading files, which a partial clone would have to fetch.
  if (left.length + held.length === 0) return [];
  const replayed = toReplay(repository, from, tip);
  const isLeft = (problem: Problem): boolean =>
    problem.kind === 'lost' &&
    !replayed.some(({ oid }) => oid === problem.commit.oid) &&
    !isContained(repository, problem.commit, onto);
  const paths = replayed.flatMap((commit) =>
    ownChanges(repository, commit).map(({ path }) => path),
  );
  return distinct([...left.filter(isLeft), ...heldPaths([...new Set(paths)], setting)]);
}

/**
 * What is still to be replayed of a rebase that has stopped: somebody may have reserved it
 * meanwhile.
 */
export function goesOn(world: RealWorld, at: Observation, caller: HookCaller): readonly Problem[] {
  const {
    repository,
    settings: { folding },
  } = world;
  const paths = leftToReplay(repository)
    .flatMap((oid) => factsOf(repository, oid) ?? [])
    .flatMap((commit) => ownChanges(repository, commit).map(({ path }) => path));
  const setting = { who: caller.who, folding, leases: reservationsHere(world, at) };
  return heldPaths([...new Set(paths)], setting);
}
