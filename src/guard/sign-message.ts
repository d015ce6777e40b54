/** Who makes a commit, in the commit itself; one that is replayed keeps its own. */

import type { RealWorld } from '../agent/world.ts';
import { phaseOf } from '../core/lease.ts';
import { trailerOf } from '../draft/stage-base.ts';
import { readText, subjectReplayed } from '../git/head.ts';
import { gitWithIndex } from '../git/index-file.ts';
import type { Repository } from '../git/repository.ts';
import type { Observation } from '../log/log-store.ts';
import type { HookCaller } from './caller.ts';

/** Who commits, and on what: the beads that the agent has claimed. */
export function trailersOf(
  world: RealWorld,
  { state }: Observation,
  { agent }: HookCaller,
): readonly string[] {
  if (agent === null) return [];
  const now = world.clock.now();
  const claims = [...state.leases.values()].filter(
    (lease) =>
      lease.kind === 'claim' &&
      lease.agent.id === agent.id &&
      phaseOf(lease, now, world.settings.graceMs) !== 'expired',
  );
  return [
    trailerOf(agent),
    ...(claims.length === 1
      ? claims.map((lease) => `Coord-Bead: ${lease.kind === 'claim' ? lease.bead : ''}`)
      : []),
  ];
}

/**
 * What a rebase makes again stays whose it was; a commit that is made on the way has another
 * message.
 */
function isReplay(repository: Repository, file: string): boolean {
  const subject = subjectReplayed(repository);
  return subject !== '' && readText(file).split('\n')[0] === subject;
}

/** Who made it, in the commit itself; a commit that is replayed keeps its own. */
export function signMessage(
  world: RealWorld,
  at: Observation,
  caller: HookCaller,
  file: string,
): void {
  if (isReplay(world.repository, file)) return;
  const trailers = trailersOf(world, at, caller).flatMap((trailer) => ['--trailer', trailer]);
  if (trailers.length > 0)
    gitWithIndex(world.repository, caller.stage.index, [
      'interpret-trailers',
      '--no-divider',
      '--in-place',
      '--if-exists',
      'doNothing',
      ...trailers,
      file,
    ]);
}
