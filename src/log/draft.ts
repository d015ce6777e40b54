/**
 * The objects of one operation: on disk, synced, before the ref points at them, and seen to be
 * there after.
 */
import type { Oid } from '../core/ids.ts';
import { appendLocal } from '../git/local.ts';
import type { ObjectKind } from '../git/loose-object.ts';
import { ensureObject, hashObject, storeObjects } from '../git/objects.ts';
import type { Repository } from '../git/repository.ts';
import { journal } from './dead-objects.ts';

export class Draft {
  readonly #repository: Repository;
  readonly #anew: boolean;
  /** By id: two empty files of a state are one object. */
  readonly #objects = new Map<Oid, { readonly body: Buffer; readonly store: Buffer }>();

  /** `anew` where what lies there may be damaged. */
  constructor(repository: Repository, anew = false) {
    this.#repository = repository;
    this.#anew = anew;
  }

  /** Notes an object to be stored and tells its id. */
  write(kind: ObjectKind, body: Buffer): Oid {
    const { oid, store } = hashObject(this.#repository, kind, body);
    this.#objects.set(oid, { body, store });
    return oid;
  }

  /** Stores all of them, and lists them so that coord can clear them away once they are dead. */
  async store(): Promise<void> {
    await storeObjects(
      this.#repository,
      [...this.#objects].map(([oid, { store }]) => [oid, store] as const),
      this.#anew,
    );
    // Empty objects are everybody's, so they are not ours to clear away.
    const ours = [...this.#objects].filter(([, { body }]) => body.length > 0);
    if (ours.length > 0)
      appendLocal(this.#repository.commonDir, journal, ours.map(([oid]) => `${oid}\n`).join(''));
  }

  /**
   * A clean-up, ours or `git gc --prune=now`, may have taken what no ref pointed at yet: git does
   * not look.
   */
  keep(): void {
    for (const [oid, { store }] of this.#objects) ensureObject(this.#repository, oid, store);
  }
}
