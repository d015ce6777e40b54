/** The objects of one operation: written before the ref points at them, and seen to be there after. */
import type { Oid } from '../core/ids.ts';
import { appendLocal } from './local.ts';
import { journal } from './maintain.ts';
import { writeObject, type ObjectKind } from './objects.ts';
import type { Repository } from './repository.ts';

export class Draft {
  readonly #repository: Repository;
  readonly #objects: { readonly kind: ObjectKind; readonly body: Buffer; readonly oid: Oid }[] = [];

  constructor(repository: Repository) {
    this.#repository = repository;
  }

  write(kind: ObjectKind, body: Buffer): Oid {
    const oid = writeObject(this.#repository, kind, body);
    this.#objects.push({ kind, body, oid });
    return oid;
  }

  /** Notes what was written, so that coord can clear it away once it is dead. Empty objects are everybody's. */
  list(): void {
    const ours = this.#objects.filter(({ body }) => body.length > 0);
    if (ours.length > 0) appendLocal(this.#repository.commonDir, journal, ours.map(({ oid }) => `${oid}\n`).join(''));
  }

  /** A clean-up, ours or `git gc --prune=now`, may have taken what no ref pointed at yet: git does not look. */
  keep(): void {
    for (const { kind, body } of this.#objects) writeObject(this.#repository, kind, body);
  }
}
