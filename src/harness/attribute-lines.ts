/**
 * Whose lines they are that changed while a shell command ran: announced ones are of who announced
 * them, the rest is of the one whose command it was, where nobody else was at work.
 */
import type { RealWorld } from '../agent/world.ts';
import { agentNamed } from '../core/decide/enrol.ts';
import type { Reservation } from '../core/lease.ts';
import { nobodyKnown, type Owner, ownersOf } from '../core/lines/record.ts';
import type { WhoseChange } from '../core/lines/settle.ts';
import { collide } from '../core/overlap.ts';
import { literal } from '../core/pattern.ts';
import { lineFileAt } from '../draft/line-store.ts';
import { beginLines, giveLines, lookAtLines } from '../draft/lines.ts';
import { candidates, isSure, looksBefore, whoeverRan } from '../draft/maybe-by.ts';
import { whyAlone } from '../draft/shareable.ts';
import { anyOperation } from '../git/head.ts';
import type { Repository } from '../git/repository.ts';
import { keepOverwritten } from '../guard/overwritten-lines.ts';
import type { Observation } from '../log/log-store.ts';
import { standingReservations } from '../loop/standing.ts';
import { reserve } from '../loop/take.ts';

interface SharedChange {
  readonly path: string;
  /** Agents whose lines it has written over. */
  readonly overwritten: readonly Owner[];
}

/** Those of the changed files that are shared by lines, or can be. */
export async function attributeLines(
  world: RealWorld,
  at: Observation,
  changed: readonly string[],
  about: {
    readonly isCertain: (path: string) => boolean;
    /** The look before the command. */
    readonly look: string;
    /** It differed from HEAD before the command as well. */
    readonly wasChanged: (path: string) => boolean;
  },
): Promise<readonly SharedChange[]> {
  const { repository, settings } = world;
  const me = agentNamed(at.state, world.caller().name)?.id;
  if (settings.editMode !== 'lines' || me === undefined || anyOperation(repository) !== null)
    return [];
  const leases = standingReservations(world, at);
  const on = (path: string): readonly Reservation[] =>
    leases.filter(({ patterns }) =>
      patterns.some((held) => collide(held, literal(path), settings.folding)),
    );
  const shared: SharedChange[] = [];
  for (const path of changed) {
    const isCertain = about.isCertain(path);
    const whose = isCertain ? () => me : ofSeveral(repository, path, about.look, me);
    if (lineFileAt(repository, path) !== null) {
      const looked = lookAtLines(repository, path, whose);
      if (looked !== null) await keepOverwritten(world, at, looked);
      giveLines(repository, path, (one) =>
        heir(one, about.look, isCertain || isSure(one) ? me : null),
      );
      shared.push({ path, overwritten: looked?.overwritten ?? [] });
    } else if (
      on(path).every((lease) => lease.mode === 'lines') &&
      (!about.wasChanged(path) || on(path).length > 0) &&
      whyAlone(repository, path) === null
    ) {
      beginLines(repository, path, whose);
      shared.push({ path, overwritten: [] });
    }
  }
  if (settings.edit !== 'auto') return shared;
  const isMine = (path: string): boolean =>
    ownersOf(lineFileAt(repository, path)?.lines ?? []).includes(me);
  const wanted = shared.filter(
    ({ path }) => isMine(path) && !on(path).some(({ agent }) => agent.id === me),
  );
  for (let i = 0; i < Math.min(wanted.length, 256); i += 64)
    await reserve(
      world,
      wanted.slice(i, i + 64).map(({ path }) => literal(path)),
      { edited: true, mode: 'lines' },
    );
  return shared;
}

/**
 * Its own is what its words say. What it may have done as well as others is nobody's; what it has
 * not done may be another's.
 */
function ofSeveral(repository: Repository, path: string, look: string, me: Owner): WhoseChange {
  const looks = looksBefore(repository, path);
  const whose = whoeverRan(repository, path, looks, looks.includes(look) ? [] : looks);
  return (added, removed) => heir(whose(added, removed), look, me);
}

/** What may have been its own is, if it was that alone; of several it stays unknown. */
function heir(owner: Owner, look: string, me: Owner | null): Owner {
  const looks = candidates(owner);
  if (!looks.includes(look)) return owner;
  return looks.length === 1 && me !== null ? me : nobodyKnown;
}
