/**
 * git's own lock files, left behind by a git that was killed: they would block a ref for ever. One is
 * taken away only where it can be proved, on this very host, that no live process owns it: a local
 * file system, all processes visible, and no git running that could be at work in this repository.
 * That nobody has it open proves nothing: git closes the file while it still holds the lock.
 */
import { readFileSync, readdirSync, readlinkSync, renameSync, rmSync, statfsSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { isMissing } from './objects.ts';
import { placeAbove, type Repository } from './repository.ts';

export interface HeldLock {
  readonly file: string;
  readonly inode: number;
}

/** The lock files that can be in the way of coord's refs. */
export function heldLocks({ commonDir, refs }: Repository): readonly HeldLock[] {
  const files = refs === 'reftable'
    ? namesIn(join(commonDir, 'reftable')).map((name) => join(commonDir, 'reftable', name))
    : [join(commonDir, 'packed-refs.lock'), ...namesIn(join(commonDir, 'refs', 'coord'), true).map((name) => join(commonDir, 'refs', 'coord', name))];
  return files.filter((file) => file.endsWith('.lock')).flatMap((file) => {
    const stat = statSync(file, { throwIfNoEntry: false });
    return stat === undefined ? [] : [{ file, inode: stat.ino }];
  });
}

/** The lock of one file, if it is held. */
export function lockOf(file: string): HeldLock | null {
  const stat = statSync(`${file}.lock`, { throwIfNoEntry: false });
  return stat === undefined ? null : { file: `${file}.lock`, inode: stat.ino };
}

function namesIn(folder: string, recursive = false): readonly string[] {
  try {
    return readdirSync(folder, { recursive }).map(String);
  } catch {
    return [];
  }
}

const initialPidNamespace = 'pid:[4026531836]';
/** ext, xfs, btrfs, tmpfs, overlayfs, f2fs, zfs, bcachefs: nobody outside this kernel writes to them. */
const localFileSystems: ReadonlySet<number> = new Set([0xef53, 0x58465342, 0x9123683e, 0x01021994, 0x794c7630, 0xf2f52010, 0x2fc12fc1, 0xca451a4e]);
/** Programs that take git's locks, by the names their processes go by. */
const clients = /^(git|jgit|jj|gix|ein|lazygit|tig)/;
const shells = /^(ba|da|z|k|mk|a)?sh$|^busybox/;
/** These never hold a ref's lock, and editors keep some of them running for ever. */
const readOnly: ReadonlySet<string> = new Set(['cat-file', 'fsmonitor--daemon', 'log', 'diff', 'status', 'show', 'blame', 'grep', 'rev-list']);

/** Why it cannot be told from here whether a lock is dead, or null where it can. */
export function whyDoubtful({ commonDir }: Repository): string | null {
  if (process.platform !== 'linux') return 'other processes cannot be examined on this system';
  try {
    if (readlinkSync('/proc/self/ns/pid') !== initialPidNamespace) return 'this process runs in a container and cannot see those outside';
    readFileSync('/proc/1/stat');
  } catch {
    return 'other processes are hidden here';
  }
  return localFileSystems.has(statfsSync(commonDir).type) ? null : 'the repository is not on a local file system';
}

/** Is a git alive that may be at work in this repository? In doubt, yes. */
export function liveGit(repository: Repository): number | null {
  for (const name of readdirSync('/proc')) {
    if (/^\d+$/.test(name) && mayOwn(repository, name)) return Number(name);
  }
  return null;
}

function mayOwn({ commonDir, gitDir, top }: Repository, pid: string): boolean {
  try {
    const command = readFileSync(`/proc/${pid}/comm`, 'utf8').trim();
    // A script that is called git, such as the one of a session, holds no lock itself.
    if (!clients.test(command) || shells.test(basename(readlinkSync(`/proc/${pid}/exe`)))) return hasOpen(pid, commonDir);
    if (/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))) return false;
    const args = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
    if (readOnly.has(subcommand(args))) return false;
    const surroundings = `${args.join('\0')}\0${readFileSync(`/proc/${pid}/environ`, 'utf8')}`;
    if ([commonDir, gitDir, top].some((place) => names(surroundings, place))) return true;
    return placeAbove(readlinkSync(`/proc/${pid}/cwd`))?.commonDir === commonDir;
  } catch (error) {
    // Gone meanwhile: not an owner. Anything else that hides it: perhaps one.
    return !(isMissing(error) || (error instanceof Error && 'code' in error && error.code === 'ESRCH'));
  }
}

/** Does the text name this place or something in it? `/w/app2` is not in `/w/app`. */
function names(text: string, place: string): boolean {
  for (let at = text.indexOf(place); at >= 0; at = text.indexOf(place, at + 1)) {
    if (!/[\w.-]/.test(text[at + place.length] ?? '')) return true;
  }
  return false;
}

/** The first word that is neither an option of git itself nor the value of one. */
function subcommand(args: readonly string[]): string {
  for (let i = 1; i < args.length; i += 1) {
    const arg = args[i] ?? '';
    if (!arg.startsWith('-')) return arg;
    if (['-c', '-C', '--git-dir', '--work-tree', '--namespace', '--config-env'].includes(arg)) i += 1;
  }
  return '';
}

/** Some other program with a lock of this repository in its hands. */
function hasOpen(pid: string, commonDir: string): boolean {
  return namesIn(`/proc/${pid}/fd`).some((name) => {
    try {
      const file = readlinkSync(`/proc/${pid}/fd/${name}`);
      return file.startsWith(`${commonDir}/`) && file.endsWith('.lock');
    } catch {
      return false;
    }
  });
}

/** Moves the very file that was judged out of the way; one that has been replaced meanwhile goes back. */
export function removeLock({ file, inode }: HeldLock): boolean {
  // Still a lock by its name: a ref of that name would be taken for a broken one.
  const aside = `${file.slice(0, -'.lock'.length)}.orphan-${process.pid}.lock`;
  try {
    if (statSync(file).ino !== inode) return false;
    renameSync(file, aside);
    if (statSync(aside).ino === inode) {
      rmSync(aside, { force: true });
      return true;
    }
    renameSync(aside, file);
    return false;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}
