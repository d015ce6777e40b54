/** Whether somebody else was quicker at the log, and what became of an attempt that lost. */
import type { Entry } from '../core/entry.ts';
import type { Oid } from '../core/ids.ts';
import { readRef } from '../git/refs.ts';
import type { Repository } from '../git/repository.ts';
import { findNonce } from './history.ts';
import type { Observation } from './log-store.ts';
import { logRef } from './view.ts';

/** Null also where it cannot be read. */
export function tipOrNull(repository: Repository): Oid | null {
  try {
    return readRef(repository, logRef);
  } catch {
    return null;
  }
}

/** As git would only find out too: asked where it takes no git to see. */
export function isOvertaken(repository: Repository, from: Observation): boolean {
  return repository.refs !== 'reftable' && tipOrNull(repository) !== from.tip;
}

/**
 * Did a transaction that git did not say yes to take effect? One that lost to another has written
 * nothing at all, since git looks at every ref before it writes one.
 */
export function mayHaveMoved(
  repository: Repository,
  from: Observation,
  { nonce }: Entry,
  now: Oid | null,
): boolean {
  if (now === from.tip) return false;
  try {
    return now === null || findNonce(repository, nonce, now, from.tip) !== null;
  } catch {
    return true;
  }
}
