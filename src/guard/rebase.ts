/**
 * A rebase is judged before it begins: what it would replay onto what others hold is refused while
 * nothing has changed yet. One that edits commits in their place replays only those that its user
 * changes, which the ref updates tell.
 */
import type { RealWorld } from '../agent/world.ts';
import { commitAt, isAncestor, ownChanges, toReplay } from '../git/commits.ts';
import type { Observation } from '../git/log-store.ts';
import { standingReservations, type HookCaller } from './caller.ts';
import { heldBy, type Problem } from './evaluate.ts';
import { optionsOf } from './options.ts';
import { distinct } from './ref-transaction.ts';

/** The arguments of git's hook: what it is rebased onto, and the branch unless it is HEAD. */
export function judgeRebase(
  world: RealWorld,
  at: Observation,
  caller: HookCaller,
  [upstream = '', branch = 'HEAD']: readonly string[],
): readonly Problem[] {
  const { repository, settings: { folding } } = world;
  const { has, value } = optionsOf('rebase', caller.command()?.words ?? []);
  const from = upstream === '--root' ? null : commitAt(repository, upstream);
  const tip = commitAt(repository, branch);
  const onto = commitAt(repository, value('onto') ?? upstream);
  const isForced = has('f', 'force-rebase', 'no-ff');
  if (tip === null || onto === null) return [];
  if (!isForced && isAncestor(repository, onto, tip)) return [];
  const setting = { who: caller.who, folding, leases: standingReservations(world, at) };
  const paths = toReplay(repository, from, tip)
    .flatMap((commit) => ownChanges(repository, commit).map(({ path }) => path));
  return distinct(heldBy([...new Set(paths)], setting));
}
