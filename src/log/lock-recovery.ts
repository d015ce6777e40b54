/**
 * What to do when a swap failed and the log has not moved: somebody holds git's lock. Usually it is
 * gone in a moment. One that stays the same file for a second is taken away if it is provably
 * nobody's; otherwise the caller is told whose it may be.
 */
import { limits } from '../core/limits.ts';
import type { Repository } from '../git/repository.ts';
import { liveGit } from './live-git.ts';
import type { Settled, StoreWorld } from './log-store.ts';
import { type HeldLock, heldLocks, isSameLock, removeLock, whyDoubtful } from './ref-lock.ts';

const pollMs = 50;

export class Settler {
  readonly #repository: Repository;
  readonly #world: StoreWorld;

  constructor(repository: Repository, world: StoreWorld) {
    this.#repository = repository;
    this.#world = world;
  }

  async settle(): Promise<Settled> {
    let same = heldLocks(this.#repository);
    for (let waitedMs = 0; same.length > 0 && waitedMs < limits.orphanLockMs; waitedMs += pollMs) {
      await this.#world.sleep(pollMs);
      same = stillHeld(same, heldLocks(this.#repository));
    }
    if (same.length > 0) return this.#clear(same);
    await this.#world.sleep(5 + 20 * this.#world.random());
    return { kind: 'again' };
  }

  #clear(locks: readonly HeldLock[]): Settled {
    const why = whyLeft(this.#repository, 'refs');
    if (why !== null) return { kind: 'locked', file: locks[0]?.file ?? '', why };
    for (const lock of locks) removeLock(lock);
    return { kind: 'again' };
  }
}

/** Why a lock may not be taken away from here, or null where it may. */
export function whyLeft(repository: Repository, only?: 'refs'): string | null {
  const doubt = whyDoubtful(repository);
  if (doubt !== null) return doubt;
  const pid = liveGit(repository, only);
  return pid === null ? null : `git with process id ${pid} may hold it`;
}

function stillHeld(before: readonly HeldLock[], now: readonly HeldLock[]): readonly HeldLock[] {
  return before.filter((lock) => now.some((other) => isSameLock(lock, other)));
}
