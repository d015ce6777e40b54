/** A lock is kept while its command lives: renewed at a third of its TTL, and looked at whether it is still ours. */

import { renew } from '../loop/hold.ts';
import type { World } from '../loop/world.ts';

/** Renews at a third of the TTL and looks every second whether it is still ours. */
export function keepLock(run: Kept, lease: Hold, end: () => void): { stop(): Promise<boolean> } {
  const { world } = run;
  let isOver = false;
  let lost = false;
  let renewedMs = world.clock.now().uptimeMs;
  const look = async (): Promise<void> => {
    while (!isOver && !lost) {
      await new Promise<void>((resolve) => {
        setTimeout(resolve, lookEveryMs).unref();
      });
      if (isOver) return;
      const nowMs = world.clock.now().uptimeMs;
      const still = await isOurs(run, lease);
      if (still && nowMs - renewedMs >= lease.ttlMs / 3 && (await renews(run, lease.id)))
        renewedMs = nowMs;
      // Without an answer it counts as ours until its TTL has passed since we last renewed it.
      if (!still || nowMs - renewedMs > lease.ttlMs) lose();
    }
  };
  const lose = (): void => {
    lost = true;
    run.tell(
      `coord: lock ${run.name} is lost${run.keep ? '; the command goes on, as --keep says' : ', so the command is stopped'}`,
    );
    if (!run.keep) end();
  };
  const looking = look();
  return {
    stop: async () => {
      isOver = true;
      await Promise.race([looking, Promise.resolve()]);
      return lost;
    },
  };
}

async function isOurs(
  { world }: Kept,
  lease: { readonly id: string; readonly token: number },
): Promise<boolean> {
  try {
    return (await world.store.observe()).state.leases.get(lease.id)?.token === lease.token;
  } catch {
    return true;
  }
}

async function renews({ world }: Kept, id: string): Promise<boolean> {
  try {
    return (await renew(world, [id], undefined, [])).kind === 'done';
  } catch {
    return false;
  }
}

const lookEveryMs = 1000;
/** What is kept, and who hears that it is lost; with `keep` the command goes on without it. */
interface Kept {
  readonly world: World;
  readonly name: string;
  readonly keep: boolean;
  tell(line: string): void;
}

export interface Hold {
  readonly id: string;
  readonly token: number;
  readonly ttlMs: number;
}
