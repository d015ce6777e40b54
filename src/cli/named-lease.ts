/** A lease that is named by its id, or by a path that it covers. */
import { CoordError } from '../core/errors.ts';
import { isId } from '../core/ids.ts';
import type { Reservation } from '../core/lease.ts';
import { collide } from '../core/overlap.ts';
import { shellLine } from '../core/shell-line.ts';
import { keyOf } from '../git/paths.ts';
import { standingReservations } from '../loop/standing.ts';
import type { Call } from './verb.ts';

/** `isMeant` says which of those that cover the path may be meant. */
export async function namedLease(
  call: Call,
  arg: string,
  isMeant: (lease: Reservation) => boolean,
): Promise<string> {
  const world = call.world();
  const at = await world.store.observe();
  if (isId(arg) && (at.state.leases.has(arg) || at.state.requests.has(arg))) return arg;
  const key = keyOf({ repository: world.repository, cwd: call.cwd }, arg, false);
  const { folding } = world.settings;
  const covers = ({ patterns }: Reservation): boolean =>
    patterns.some((held) => collide(held, key, folding));
  const [lease, ...others] = standingReservations(world, at).filter(
    (one) => covers(one) && isMeant(one),
  );
  if (lease === undefined && isId(arg)) return arg;
  if (lease === undefined)
    throw new CoordError(
      'usage',
      `no lease of '${arg}' can be meant`,
      shellLine('coord', 'check', arg),
    );
  if (others.length === 0) return lease.id;
  throw new CoordError(
    'usage',
    `several leases cover '${arg}': ${[lease, ...others].map(({ id }) => id).join(', ')}`,
    'name one of them',
  );
}
