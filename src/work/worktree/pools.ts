/** Numbers and names of which each work tree has its own: a lock stands for each. */
import { CoordError } from '../../core/errors.ts';
import { limits } from '../../core/limits.ts';
import { type Pool, poolLock } from '../../core/pools.ts';
import { release } from '../../loop/hold.ts';
import { lock } from '../../loop/take.ts';
import type { World } from '../../loop/world.ts';

/** The first free one of each, all or none. */
export async function leasePools(
  world: World,
  pools: readonly Pool[],
  reason: string,
): Promise<Readonly<Record<string, string>>> {
  const taken: Record<string, string> = {};
  try {
    for (const pool of pools) taken[pool.name] = await leaseOne(world, pool, reason);
  } catch (error) {
    await releasePools(world, taken);
    throw error;
  }
  return taken;
}

async function leaseOne(world: World, pool: Pool, reason: string): Promise<string> {
  const { state } = await world.store.observe();
  const held = new Set(
    [...state.leases.values()].flatMap((lease) => (lease.kind === 'lock' ? [lease.name] : [])),
  );
  for (const member of pool.members) {
    const name = poolLock(pool, member);
    if (held.has(name)) continue;
    const outcome = await lock(world, name, { ttlMs: limits.ttlMaxMs, reason, anew: true });
    if (outcome.kind === 'done') return member;
  }
  throw new CoordError(
    'busy',
    `all ${pool.members.length} of pool ${pool.name} are in use`,
    'coord work list',
  );
}

export async function releasePools(
  world: World,
  pools: Readonly<Record<string, string>>,
): Promise<void> {
  for (const [name, member] of Object.entries(pools))
    await release(world, { by: 'lock', name: poolLock({ name, members: [] }, member) });
}
