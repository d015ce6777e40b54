/** Where an object has a file of its own. */

import { join } from 'node:path';
import type { Oid } from '../core/ids.ts';
import type { Repository } from './repository.ts';

export type ObjectKind = 'blob' | 'tree' | 'commit';
export interface GitObject {
  readonly kind: string;
  readonly body: Buffer;
}

export function loosePath(repository: Repository, oid: Oid): string {
  return join(repository.commonDir, 'objects', oid.slice(0, 2), oid.slice(2));
}
