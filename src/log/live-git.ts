/**
 * Is a git alive that may be at work in this repository? Told from what Linux shows of each
 * process: where it stands, what it was called with, which files it has open. Places are compared
 * by what they are on the disk, not by their names: a symbolic link, or a container with the
 * repository mounted elsewhere, names them otherwise. In doubt the answer is yes.
 */
import {
  existsSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  type Stats,
  statSync,
} from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { isMissing } from '../git/read-objects.ts';
import { placeAbove, type Repository } from '../git/repository.ts';

/** Programs that take git's locks, by the names their processes go by. */
const clients = /^(git|jgit|jj|gix|ein|lazygit|tig)/;
const shells = /^(ba|da|z|k|mk|a)?sh$|^busybox/;

/** These never hold a lock, and editors keep some of them running for ever. */
const readOnly: ReadonlySet<string> = new Set([
  'cat-file',
  'fsmonitor--daemon',
  'log',
  'show',
  'blame',
  'grep',
  'rev-list',
]);

/** These hold that of the index for a moment, and never one of a ref. */
const refreshOnly: ReadonlySet<string> = new Set(['diff', 'status', 'describe']);

/** Variables and options that say which repository is meant. */
const saysWhere =
  /^(?:GIT_(?:DIR|COMMON_DIR|WORK_TREE|INDEX_FILE|OBJECT_DIRECTORY)|--git-dir|--work-tree)=(.+)$/s;
const placeOptions: readonly string[] = ['--git-dir', '--work-tree'];

/** The process id of one, or null. `only` where nothing but the locks of refs is at stake. */
export function liveGit(repository: Repository, only?: 'refs'): number | null {
  const places = new Places(repository);
  for (const name of readdirSync('/proc')) {
    if (/^\d+$/.test(name) && mayOwn(places, name, only === 'refs')) return Number(name);
  }
  return null;
}

function mayOwn(places: Places, pid: string, refsOnly: boolean): boolean {
  try {
    const command = readFileSync(`/proc/${pid}/comm`, 'utf8').trim();
    // A script that is called git, such as the one of a session, holds no lock itself.
    if (!clients.test(command) || shells.test(basename(readlinkSync(`/proc/${pid}/exe`))))
      return hasLockOpen(places, pid);
    if (/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))) return false;
    const args = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
    const verb = subcommand(args);
    if (readOnly.has(verb) || (refsOnly && refreshOnly.has(verb))) return false;
    const variables = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
    return (
      places.areNamedIn([...args, ...variables].join('\0')) ||
      isToldOf(places, pid, args, variables) ||
      standsIn(places, pid)
    );
  } catch (error) {
    // Gone meanwhile: not an owner. Anything else that hides it: perhaps one.
    return !(
      isMissing(error) ||
      (error instanceof Error && 'code' in error && error.code === 'ESRCH')
    );
  }
}

/** The first word that is neither an option of git itself nor the value of one. */
function subcommand(args: readonly string[]): string {
  for (let i = 1; i < args.length; i += 1) {
    const arg = args[i] ?? '';
    if (!arg.startsWith('-')) return arg;
    if (['-c', '-C', '--git-dir', '--work-tree', '--namespace', '--config-env'].includes(arg))
      i += 1;
  }
  return '';
}

/** Some other program with a lock of this repository in its hands. */
function hasLockOpen(places: Places, pid: string): boolean {
  return namesIn(`/proc/${pid}/fd`).some((name) => {
    try {
      const file = readlinkSync(`/proc/${pid}/fd/${name}`);
      return file.endsWith('.lock') && places.have(`/proc/${pid}/root`, file);
    } catch {
      return false;
    }
  });
}

/** Was it told to work here, by a path that may be relative to where it stands? */
function isToldOf(
  places: Places,
  pid: string,
  args: readonly string[],
  variables: readonly string[],
): boolean {
  const behind = args.flatMap((arg, i) => (placeOptions.includes(args[i - 1] ?? '') ? [arg] : []));
  const said = [
    ...behind,
    ...[...args, ...variables].flatMap((word) => saysWhere.exec(word)?.[1] ?? []),
  ];
  const cwd = said.length === 0 ? '' : readlinkSync(`/proc/${pid}/cwd`);
  return said.some((path) => places.have(`/proc/${pid}/root`, resolve(cwd, path)));
}

/** Does it stand in the repository, or in a work tree of it? */
function standsIn(places: Places, pid: string): boolean {
  for (let at = `/proc/${pid}/cwd`, steps = 0; steps < 256; at = `${at}/..`, steps += 1) {
    const here = statSync(at);
    if (places.include(here)) return true;
    const dotGit = statSync(`${at}/.git`, { throwIfNoEntry: false });
    if (dotGit?.isDirectory() === true && existsSync(`${at}/.git/HEAD`))
      return places.include(dotGit);
    // It leads elsewhere by a path, which means something else where other file systems are
    // mounted.
    if (dotGit?.isFile() === true)
      return (
        isElsewhere(pid) || places.areOf(placeAbove(readlinkSync(`/proc/${pid}/cwd`))?.commonDir)
      );
    const above = statSync(`${at}/..`);
    if (above.dev === here.dev && above.ino === here.ino) return false;
  }
  return true;
}

function isElsewhere(pid: string): boolean {
  return readlinkSync(`/proc/${pid}/ns/mnt`) !== readlinkSync('/proc/self/ns/mnt');
}

/** Where the repository is, by name and by what is there. */
class Places {
  readonly #commonDir: string;
  readonly #names: readonly string[];
  readonly #ids: ReadonlySet<string>;

  constructor({ commonDir, gitDir, top }: Repository) {
    const names = [commonDir, gitDir, top].flatMap((place) => [place, realOf(place)]);
    this.#commonDir = realOf(commonDir);
    this.#names = [...new Set(names)];
    this.#ids = new Set(
      this.#names.flatMap((name) => {
        const stat = statSync(name, { throwIfNoEntry: false });
        return stat === undefined ? [] : [idOf(stat)];
      }),
    );
  }

  include(stat: Stats): boolean {
    return this.#ids.has(idOf(stat));
  }

  areOf(commonDir: string | undefined): boolean {
    return commonDir !== undefined && realOf(commonDir) === this.#commonDir;
  }

  /** Does the text name one of them or something in it? `/w/app2` is not in `/w/app`. */
  areNamedIn(text: string): boolean {
    return this.#names.some((name) => {
      for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1)) {
        if (!/[\w.-]/.test(text[at + name.length] ?? '')) return true;
      }
      return false;
    });
  }

  /** Is the absolute path, as a process with that root means it, one of them or in one? */
  have(root: string, path: string): boolean {
    for (let at = path; ; at = dirname(at)) {
      const stat = statSync(`${root}${at}`, { throwIfNoEntry: false });
      if (stat !== undefined && this.include(stat)) return true;
      if (at === dirname(at)) return false;
    }
  }
}

function idOf({ dev, ino }: Stats): string {
  return `${dev} ${ino}`;
}

function realOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
