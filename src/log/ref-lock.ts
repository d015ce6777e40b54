/**
 * git's own lock files, left behind by a git that was killed: they would block a ref for ever. One
 * is taken away only where it can be proved, on this very host, that no live process owns it: a
 * local file system, all processes visible, and no git running that could be at work in this
 * repository (live-git.ts). That nobody has it open proves nothing: git closes the file while it
 * still holds the lock.
 */
import {
  existsSync,
  linkSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
} from 'node:fs';
import { join } from 'node:path';
import { isMissing } from '../git/read-objects.ts';
import type { Repository } from '../git/repository.ts';

/**
 * A lock as it was seen. A file system gives the number of a file that is gone to the next one
 * soon.
 */
export interface HeldLock {
  readonly file: string;
  readonly inode: number;
  /** When it was last written to, in nanoseconds. */
  readonly written: bigint;
  readonly owner: number;
}

/** The lock files that can be in the way of coord's refs. */
export function heldLocks({ commonDir, refs }: Repository): readonly HeldLock[] {
  const files =
    refs === 'reftable'
      ? namesIn(join(commonDir, 'reftable')).map((name) => join(commonDir, 'reftable', name))
      : [
          join(commonDir, 'packed-refs.lock'),
          ...namesIn(join(commonDir, 'refs', 'coord'), true).map((name) =>
            join(commonDir, 'refs', 'coord', name),
          ),
        ];
  return files.filter((file) => file.endsWith('.lock')).flatMap((file) => lockAt(file) ?? []);
}

/** The lock of one file, if it is held. */
export function lockOf(file: string): HeldLock | null {
  return lockAt(`${file}.lock`);
}

export function lockAt(file: string): HeldLock | null {
  const stat = statSync(file, { throwIfNoEntry: false, bigint: true });
  if (stat?.isFile() !== true) return null;
  return { file, inode: Number(stat.ino), written: stat.mtimeNs, owner: Number(stat.uid) };
}

/** Is it the very same still, and has nobody written to it? */
export function isSameLock(one: HeldLock, other: HeldLock | null): boolean {
  return (
    other !== null &&
    one.file === other.file &&
    one.inode === other.inode &&
    one.written === other.written
  );
}

function namesIn(folder: string, recursive = false): readonly string[] {
  try {
    return readdirSync(folder, { recursive }).map(String);
  } catch {
    return [];
  }
}

const initialPidNamespace = 'pid:[4026531836]';

/**
 * ext, xfs, btrfs, tmpfs, overlayfs, f2fs, zfs, bcachefs: nobody outside this kernel writes to
 * them.
 */
const localFileSystems: ReadonlySet<number> = new Set([
  0xef53, 0x58465342, 0x9123683e, 0x01021994, 0x794c7630, 0xf2f52010, 0x2fc12fc1, 0xca451a4e,
]);

/** Why it cannot be told from here whether a lock is dead, or null where it can. */
export function whyDoubtful({ commonDir }: Repository): string | null {
  if (process.platform !== 'linux') return 'other processes cannot be examined on this system';
  try {
    if (readlinkSync('/proc/self/ns/pid') !== initialPidNamespace)
      return 'this process runs in a container and cannot see those outside';
    readFileSync('/proc/1/stat');
  } catch {
    return 'other processes are hidden here';
  }
  return localFileSystems.has(statfsSync(commonDir).type)
    ? null
    : 'the repository is not on a local file system';
}

/**
 * Moves the very file that was judged out of the way; one that has been replaced meanwhile goes
 * back.
 */
export function removeLock(lock: HeldLock): boolean {
  const { file } = lock;
  // Still a lock by its name: a ref of that name would be taken for a broken one.
  const aside = `${file.slice(0, -'.lock'.length)}.orphan-${process.pid}.lock`;
  try {
    if (!isSameLock(lock, lockAt(file))) return false;
    renameSync(file, aside);
    const moved = lockAt(aside);
    const isIt = moved !== null && isSameLock(lock, { ...moved, file });
    if (!isIt) giveBack(aside, file);
    rmSync(aside, { force: true });
    return isIt;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

/** A second name, not a move: whoever has taken the lock in between keeps it. */
function giveBack(aside: string, file: string): void {
  try {
    linkSync(aside, file);
  } catch {
    // It was taken, or the file system knows no second names.
    if (!existsSync(file)) renameSync(aside, file);
  }
}
