/** Whatever an agent does, by coord or by git alone, keeps what it holds. */

import { decideActive } from '../core/decide/renew.ts';
import { CoordError } from '../core/errors.ts';
import { operate } from './operate.ts';
import type { World } from './world.ts';

/** Where the server is silent, what is held goes on without it until its time is over. */
export async function stayActive(world: World, hasWorked: boolean): Promise<void> {
  try {
    const { at } = await operate(
      world,
      (state, c) => decideActive(world.caller(), state, c, hasWorked),
      { isAdvisable: true },
    );
    world.noteDue?.(at.state);
  } catch (error) {
    if (!(error instanceof CoordError) || error.code !== 'arbiter_unreachable') throw error;
  }
}
