/** What was committed while somebody else held it, past all hooks, does not get out to others. */

import type { RealWorld } from '../agent/world.ts';
import type { Oid } from '../core/ids.ts';
import { ownChanges } from '../git/changes.ts';
import { type CommitFacts, unpushed } from '../git/commits.ts';
import { wasReplayed } from '../git/reflog.ts';
import type { Repository } from '../git/repository.ts';
import type { Observation } from '../log/log-store.ts';
import { standingReservations } from '../loop/standing.ts';
import type { HookCaller } from './caller.ts';
import { heldPaths, isBy, type Problem } from './evaluate.ts';
import { distinct } from './ref-transaction.ts';

/**
 * What was committed while somebody else held it, past all hooks, does not get out to others
 * either.
 */
export function judgePush(
  world: RealWorld,
  at: Observation,
  caller: HookCaller,
  tips: readonly Oid[],
): readonly Problem[] {
  const {
    repository,
    settings: { folding },
  } = world;
  const leases = standingReservations(world, at);
  const own = unpushed(repository, tips).filter(
    ({ agent }) => agent !== null && isBy(agent, caller.who),
  );
  return distinct(
    own.flatMap((commit) =>
      heldPaths(
        ownChanges(repository, commit).map(({ path }) => path),
        {
          who: caller.who,
          folding,
          leases: leases.filter(({ acquiredAt }) => acquiredAt <= writtenAt(repository, commit)),
        },
      ),
    ),
  );
}

/** Whoever makes a commit again writes nothing new. */
function writtenAt(repository: Repository, { oid, committedAt, authoredAt }: CommitFacts): number {
  return wasReplayed(repository, oid) ? Math.min(committedAt, authoredAt) : committedAt;
}
