/**
 * What git ignores and a command needs, such as node_modules: brought from the work tree into a
 * folder where a tree was taken out. Nothing is brought from outside the work tree, and nothing is
 * written outside the folder.
 */
import {
  constants,
  copyFileSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  symlinkSync,
} from 'node:fs';
import { dirname, isAbsolute, join, normalize, relative, sep } from 'node:path';
import { CoordError } from '../core/errors.ts';
import { gitWithIndex } from './index-file.ts';
import { ignored } from './paths.ts';
import type { Repository } from './repository.ts';

/** What came along, below the top. */
export interface Brought {
  readonly linked: readonly string[];
  readonly copied: readonly string[];
  readonly notLinked: readonly NotLinked[];
}

interface NotLinked {
  readonly path: string;
  readonly why: string;
}

/** Patterns of files that git ignores and that belong into every new work tree. */
const includeFile = '.worktreeinclude';

export function bringIgnored(
  repository: Repository,
  folder: string,
  asked: readonly string[],
  isWanted: (path: string) => boolean,
): Brought {
  const explicit = asked.map((link) => normalize(link).replace(/\/$/, ''));
  const found = ignoredEntries(repository)
    .filter((path) => isWanted(path) && !explicit.includes(path))
    // Of a package that the tree does not have there is nothing to run.
    .filter((path) => existsSync(join(folder, dirname(path))));
  const roots = [...explicit, ...found];
  const linked: string[] = [];
  const notLinked: NotLinked[] = [];
  for (const path of roots) {
    const why = linkFolder(repository.top, folder, path, roots);
    if (why === null) linked.push(path);
    else if (explicit.includes(path)) throw new CoordError('usage', `'${path}' ${why}`, hint);
    else notLinked.push({ path, why });
  }
  return { linked, notLinked, copied: copyIncluded(repository, folder) };
}

/** Copies of what git ignores, without a byte more on a disk that can share them. */
export function copyIgnored(
  repository: Repository,
  folder: string,
  isWanted: (path: string) => boolean,
): readonly string[] {
  const top = realpathSync(repository.top);
  return ignoredEntries(repository).filter((path) => {
    const [from, to] = [join(repository.top, path), join(folder, path)];
    const stat = lstatSync(from, { throwIfNoEntry: false });
    if (!isWanted(path) || stat === undefined || existsSync(to) || !isSafe(folder, path))
      return false;
    // Nothing is brought from elsewhere.
    if (!isIn(top, realOf(from) ?? '/')) return false;
    mkdirSync(dirname(to), { recursive: true });
    cpSync(from, to, {
      recursive: true,
      mode: constants.COPYFILE_FICLONE,
      preserveTimestamps: true,
      verbatimSymlinks: true,
    });
    return true;
  });
}

const hint = 'link a folder that git ignores, such as node_modules';

/** Null if it is linked, else why not. */
function linkFolder(
  top: string,
  folder: string,
  path: string,
  roots: readonly string[],
): string | null {
  if (isAbsolute(path) || path.split(sep).includes('..') || path === '.')
    return 'is no folder below the top of the repository';
  const [from, to] = [join(top, path), join(folder, path)];
  if (lstatSync(to, { throwIfNoEntry: false }) !== undefined) return 'is in the commit itself';
  const real = realOf(from);
  if (real === null || !lstatSync(real).isDirectory()) return 'is no folder';
  if (!isIn(realpathSync(top), real)) return 'leads out of the repository';
  if (!isSafe(folder, path)) return 'is behind a link in the commit';
  const linked = roots.flatMap((root) => realOf(join(top, root)) ?? []);
  spread({ from: real, to, top: realpathSync(top), folder, linked });
  return null;
}

interface Spread {
  readonly from: string;
  readonly to: string;
  readonly top: string;
  readonly folder: string;
  /** What is linked of the work tree, this folder among it. */
  readonly linked: readonly string[];
}

/**
 * A folder of links to what the other one holds. A package of the repository itself that is linked
 * in there is linked as the folder has it, not as others are changing it in the work tree.
 */
function spread(place: Spread): void {
  const { from, to, top, folder, linked } = place;
  mkdirSync(to, { recursive: true });
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory() && (entry.name.startsWith('@') || entry.name === '.bin')) {
      spread({ ...place, from: source, to: target });
      continue;
    }
    const real = entry.isSymbolicLink() ? realOf(source) : null;
    const isOwn = real !== null && isIn(top, real) && !linked.some((other) => isIn(other, real));
    symlinkSync(isOwn ? join(folder, relative(top, real)) : source, target);
  }
}

/** Files that git ignores and that the include file of the tree names; links are left alone. */
function copyIncluded(repository: Repository, folder: string): readonly string[] {
  return namedByInclude(repository, folder).filter((path) => {
    const [from, to] = [join(repository.top, path), join(folder, path)];
    const isFile = lstatSync(from, { throwIfNoEntry: false })?.isFile() === true;
    if (!isFile || existsSync(to) || !isSafe(folder, path)) return false;
    mkdirSync(dirname(to), { recursive: true });
    copyFileSync(from, to, constants.COPYFILE_FICLONE);
    return true;
  });
}

/** What git ignores in a work tree: of a folder that is ignored as a whole, the folder. */
export function ignoredEntries(
  repository: Repository,
  encoding: 'utf8' | 'latin1' = 'utf8',
): readonly string[] {
  return ignoredIn(repository, ['--exclude-standard', '--directory'], encoding).map((path) =>
    path.replace(/\/$/, ''),
  );
}

/** Files of a work tree that git ignores, and that the include file in this folder names. */
export function namedByInclude(repository: Repository, folder: string): readonly string[] {
  const list = join(folder, includeFile);
  if (lstatSync(list, { throwIfNoEntry: false })?.isFile() !== true) return [];
  const named = ignoredIn(repository, [`--exclude-from=${list}`]);
  const known = named.length === 0 ? new Set<string>() : ignored(repository, named);
  return named.filter((path) => known.has(path));
}

function ignoredIn(
  repository: Repository,
  how: readonly string[],
  encoding: 'utf8' | 'latin1' = 'utf8',
): readonly string[] {
  const index = join(repository.gitDir, 'index');
  const asked = ['ls-files', '--others', '--ignored', '-z', ...how];
  const { code, stdout, stderr } = gitWithIndex(repository, index, asked);
  if (code !== 0)
    throw new CoordError(
      'git_failed',
      `git ls-files could not list what is ignored: ${stderr.split('\n')[0] ?? ''}`,
    );
  return stdout
    .toString(encoding)
    .split('\0')
    .filter((path) => path !== '');
}

function realOf(path: string): string | null {
  try {
    return realpathSync(path);
  } catch {
    return null;
  }
}

function isIn(folder: string, path: string): boolean {
  return path === folder || path.startsWith(`${folder}${sep}`);
}

/** Is all that there is above it a folder, and no link that leads elsewhere? */
function isSafe(folder: string, path: string): boolean {
  for (let above = dirname(path); above !== '.'; above = dirname(above)) {
    const stat = lstatSync(join(folder, above), { throwIfNoEntry: false });
    if (stat !== undefined && !stat.isDirectory()) return false;
  }
  return true;
}
