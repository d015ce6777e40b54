/**
 * Work trees that `coord work start` has made: each is on a branch of its own, so that what is done
 * there takes no leases and waits for none.
 */
import { existsSync } from 'node:fs';
import { localPath } from '../git/local.ts';
import type { Repository } from '../git/repository.ts';

/** What coord has noted of the work in it. */
export const workNote = 'work';

export function isApart({ gitDir, commonDir }: Repository): boolean {
  return gitDir !== commonDir && existsSync(localPath(gitDir, workNote));
}
