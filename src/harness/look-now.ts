/** A look at the work tree, kept to tell later what has changed since. */
import { pathOf } from '../core/pattern.ts';
import { lookAtAllLines } from '../guard/overwritten-lines.ts';
import { keepLook, look } from '../guard/work-tree.ts';
import { standingReservations } from '../loop/standing.ts';
import type { HarnessAgent } from './agent.ts';
import { isOfOthers } from './command-effects.ts';

export async function lookNow({ world }: HarnessAgent, name: string): Promise<void> {
  const at = await world.store.observe();
  // What others did before it is not the command's.
  await lookAtAllLines(world, at);
  const others = standingReservations(world, at).filter(isOfOthers(world));
  // Files of others are looked at even if they are as they were committed.
  const guarded = others.flatMap(({ patterns }) =>
    patterns.flatMap((pattern) => pathOf(pattern) ?? []),
  );
  const { repository, clock } = world;
  keepLook(repository, name, look(repository, clock.now().at, guarded), guarded);
}
