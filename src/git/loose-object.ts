/** Where an object has a file of its own. */

import type { Oid } from '../core/ids.ts';
import type { Repository } from './repository.ts';

export type ObjectKind = 'blob' | 'tree' | 'commit';
export interface GitObject {
  readonly kind: string;
  readonly body: Buffer;
}

export function loosePath(repository: Repository, oid: Oid): string {
  return `${repository.commonDir}/objects/${oid.slice(0, 2)}/${oid.slice(2)}`;
}
