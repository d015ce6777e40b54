/** `coord conflicts`: what will collide, while both sides can still be steered. */
import type { RealWorld } from '../../agent/world.ts';
import { exits } from '../../core/exits.ts';
import { followWorkTrees } from '../../guard/follow-work-tree.ts';
import { collisionFacts, collisionLines, renderConflicts } from '../../render/conflicts.ts';
import type { Report } from '../../render/report.ts';
import { type Collision, causeOf, collisionsOf, pairsOf } from '../../work/conflicts/collisions.ts';
import { sidesOf } from '../../work/conflicts/sides.ts';
import { worthSaying } from '../../work/conflicts/tell.ts';
import { type Call, isOn, type Verb } from '../verb.ts';

const pollMs = 2_000;

export const conflicts: Verb = {
  words: ['conflicts'],
  group: 'seeing',
  waits: true,
  about: 'show which branches and changes will conflict',
  more: 'These are all that live: in work trees, on branches of the last two weeks, as others have pushed them, and what is in no commit yet.',
  flags: [{ name: 'watch', about: 'go on, and show what is new; with --json one object a line' }],
  examples: [
    ['coord conflicts', 'every pair that git cannot merge, with files and lines'],
    ['coord conflicts --watch', 'as they come'],
  ],
  run: async (call) => {
    const world = call.world();
    if (isOn(call, 'watch')) return watched(call, world);
    const { collisions, sides, pairs } = await look(world);
    return renderConflicts(collisions, { sides, pairs });
  },
};

async function look(
  world: RealWorld,
): Promise<{
  readonly collisions: readonly Collision[];
  readonly sides: number;
  readonly pairs: number;
}> {
  followWorkTrees(world, await world.store.observe());
  const sides = sidesOf(world);
  const pairs = pairsOf(sides);
  return { collisions: collisionsOf(world, pairs), sides: sides.length, pairs: pairs.length };
}

async function watched(call: Call, world: RealWorld): Promise<Report> {
  const signal = call.signal();
  const shown = new Set<string>();
  while (!signal.aborted) {
    const { collisions } = await look(world);
    const fresh = collisions.filter(worthSaying).filter((one) => !shown.has(causeOf(one)));
    for (const one of fresh) {
      shown.add(causeOf(one));
      if (!call.emit(collisionFacts(one), collisionLines(one).join('\n'))) return over(false);
    }
    await world.clock.sleep(pollMs, signal);
  }
  return over(true);
}

function over(isInterrupted: boolean): Report {
  const exit = isInterrupted ? exits.interrupted : exits.done;
  return { ok: true, exit, result: 'interrupted', facts: {}, says: [], silent: true };
}
