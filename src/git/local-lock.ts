/**
 * A lock of coord's own in a work tree, for the moment that a small file takes to be read and
 * written. A process that died with it is told from one that lives, so that nobody waits for it.
 */
import { linkSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { CoordError } from '../core/errors.ts';
import { localAge, localPath, ownMark, writeLocal } from './local.ts';
import { isGone, isMark, markOf } from './process-mark.ts';

const patienceMs = 5_000;
const stepMs = 5;
/** Where processes cannot be told apart. */
const forgottenMs = 30_000;

/** Holds it while the work is done. */
export function withLocalLock<T>(gitDir: string, name: string, work: () => T): T {
  const lock = `${name}.lock`;
  const mine = `${lock}.${ownMark}`;
  writeLocal(gitDir, mine, JSON.stringify(markOf(process.pid)));
  try {
    for (let waited = 0; !linked(gitDir, mine, lock); waited += stepMs) {
      if (waited >= patienceMs)
        throw new CoordError('busy', `'${localPath(gitDir, lock)}' is held by another process`, '');
      if (!dropDead(gitDir, lock)) pause(stepMs);
    }
    try {
      return work();
    } finally {
      rmSync(localPath(gitDir, lock), { force: true });
    }
  } finally {
    rmSync(localPath(gitDir, mine), { force: true });
  }
}

function linked(gitDir: string, mine: string, lock: string): boolean {
  try {
    linkSync(localPath(gitDir, mine), localPath(gitDir, lock));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** Moved aside first: of two that find it dead only one takes it away. */
function dropDead(gitDir: string, lock: string): boolean {
  const text = markIn(localPath(gitDir, lock));
  if (text === null || !isDead(gitDir, lock, text)) return false;
  const aside = localPath(gitDir, `${lock}.${ownMark}.dead`);
  try {
    renameSync(localPath(gitDir, lock), aside);
  } catch {
    return false;
  }
  // Somebody else has taken it in between: it is theirs again.
  if (markIn(aside) !== text) linked(gitDir, `${lock}.${ownMark}.dead`, lock);
  rmSync(aside, { force: true });
  return true;
}

function markIn(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}

function isDead(gitDir: string, lock: string, text: string): boolean {
  const mark: unknown = parsed(text);
  return isMark(mark) ? isGone(mark) : localAge(gitDir, lock) > forgottenMs;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

export function pause(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
