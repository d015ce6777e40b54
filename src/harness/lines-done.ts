/** A lease of lines ends with the lines: what one has committed or taken back one need not hold. */
import type { RealWorld } from '../agent/world.ts';
import { agentNamed } from '../core/decide/enrol.ts';
import { ownersOf } from '../core/lines/record.ts';
import { pathOf } from '../core/pattern.ts';
import { lookAtLines } from '../draft/lines.ts';
import { release } from '../loop/hold.ts';
import { isSharedHere, standingReservations } from '../loop/standing.ts';

export async function releaseDone(world: RealWorld): Promise<void> {
  const at = await world.store.observe();
  const me = agentNamed(at.state, world.caller().name)?.id;
  const has = (path: string | null): boolean => {
    const looked = path === null ? null : lookAtLines(world.repository, path);
    if (path === null) return true;
    if (looked === null || me === undefined) return false;
    const { lines, intents } = looked.file;
    return ownersOf(lines).includes(me) || intents.some(({ owner }) => owner === me);
  };
  const done = standingReservations(world, at).filter(
    (lease) =>
      lease.agent.id === me &&
      lease.edited !== null &&
      isSharedHere(world, lease) &&
      !lease.patterns.some((pattern) => has(pathOf(pattern))),
  );
  if (done.length > 0)
    await release(world, { by: 'named', ids: done.map(({ id }) => id), patterns: [] });
}
