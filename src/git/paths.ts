/**
 * What an argument names: one file has one key, whichever way it was reached (from a subdirectory,
 * by an absolute path, through a symlinked parent, in a linked work tree). An argument that is an
 * existing or tracked file is that file, even if its name looks like a pattern.
 */
import { lstatSync, readFileSync, realpathSync, type Stats, statSync } from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { CoordError } from '../core/errors.ts';
import { canonical, checkText, compile, literal, pathOf, splitSegments } from '../core/pattern.ts';
import { placeAbove, type Repository } from './repository.ts';
import { runGit, runPlain } from './run-git.ts';

interface WorkTreePlace {
  readonly repository: Repository;
  readonly cwd: string;
}

/** Refuses what cannot be a pattern before anything of the repository is read. */
export function precheck(args: readonly string[], cwd: string, isLiteral: boolean): void {
  for (const arg of args) {
    checkText(arg);
    if (!isLiteral && !exists(resolve(cwd, arg))) compile(arg);
  }
}

/** The repository's key for an argument: a canonical pattern. */
export function keyOf({ repository, cwd }: WorkTreePlace, arg: string, isLiteral: boolean): string {
  checkText(arg);
  const file = resolve(cwd, arg);
  if (isLiteral || exists(file)) return fileKey(repository, file, arg);
  const plain = pathOf(arg);
  if (plain !== null) return fileKey(repository, resolve(cwd, plain), plain);
  const key = globKey(repository, cwd, arg);
  const named = relativeTo(repository, file, arg);
  return named !== '' && isTracked(repository, named) ? literal(named) : key;
}

/** The argument that names a key from here: what `keyOf` makes the same key of. */
export function argumentOf({ repository, cwd }: WorkTreePlace, key: string): string {
  const from = relative(realOf(cwd), join(realOf(repository.top), key));
  const path = from === '' ? '.' : from;
  return path.startsWith('-') ? `./${path}` : path;
}

function exists(file: string): boolean {
  return statOf(file) !== undefined;
}

/** A name that is too long for the file system, or below a file, is not there. */
function statOf(file: string, follow = false): Stats | undefined {
  try {
    return follow
      ? statSync(file, { throwIfNoEntry: false })
      : lstatSync(file, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

function fileKey(repository: Repository, file: string, arg: string): string {
  const below =
    (sep === '/' ? /\/\.{0,2}$/ : /[/\\]\.{0,2}$/).test(arg) || arg === '.' || arg === '..';
  const path = relativeTo(repository, file, arg);
  if (path === '') return '**';
  const stat = statOf(file, below);
  const key = literal(
    stat?.isDirectory() === true && below
      ? relativeTo(repository, join(file, '.'), arg, true)
      : path,
  );
  return canonical(below || stat?.isDirectory() === true ? `${key}/` : key);
}

function globKey(repository: Repository, cwd: string, arg: string): string {
  const segments = splitSegments(arg);
  const wild = segments.findIndex((segment) => pathOf(segment) === null);
  const fixed = segments
    .slice(0, wild)
    .map((segment) => pathOf(segment) ?? segment)
    .join('/');
  const start = arg.startsWith('/') ? `/${fixed}` : fixed;
  const base = relativeTo(repository, join(resolve(cwd, start), '.'), arg, true);
  return canonical([...(base === '' ? [] : [literal(base)]), ...segments.slice(wild)].join('/'));
}

/**
 * From the top of the work tree; parents are followed through symlinks, the name itself is not
 * unless asked.
 */
function relativeTo(repository: Repository, file: string, arg: string, follow = false): string {
  const real = follow ? realOf(file) : join(realOf(dirname(file)), basename(file));
  const path = relative(topOf(repository, real), real);
  if (path === '..' || path.startsWith(`..${sep}`) || path.startsWith('/')) {
    throw new CoordError(
      'path_outside',
      `'${arg.length > 60 ? `${arg.slice(0, 59)}…` : arg}' is outside the repository`,
      `name something below '${repository.top}'`,
    );
  }
  return sep === '/' ? path : path.replaceAll(sep, '/');
}

/** The top of the work tree it is in: of all work trees of a repository one path is one file. */
function topOf(repository: Repository, real: string): string {
  const place = placeAbove(
    statOf(real)?.isDirectory() === true ? real : existingFolder(dirname(real)),
  );
  const isOurs =
    place !== null &&
    (place.top === repository.top || realOf(place.commonDir) === realOf(repository.commonDir));
  return realOf(isOurs ? place.top : repository.top);
}

function existingFolder(folder: string): string {
  return statOf(folder)?.isDirectory() === true || dirname(folder) === folder
    ? folder
    : existingFolder(dirname(folder));
}

/** The real path of what exists of it, with the rest as it was written. */
export function realOf(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    const parent = dirname(file);
    return parent === file ? file : join(realOf(parent), basename(file));
  }
}

/**
 * Whether its name stands in the index, or may stand where one cannot see it: a yes is none for
 * certain.
 */
export function mayBeTracked(repository: Repository, path: string): boolean {
  try {
    const index = readFileSync(join(repository.gitDir, 'index'));
    // In version 4 names are shortened, and a split or sparse index keeps some elsewhere.
    return (
      index.readUInt32BE(4) >= 4 || ['link', 'sdir', path].some((word) => index.includes(word))
    );
  } catch {
    return false;
  }
}

/** Is there a tracked file of this very name? The index usually says no without a process. */
function isTracked(repository: Repository, path: string): boolean {
  if (!mayBeTracked(repository, path)) return false;
  const { stdout } = runGit(
    repository.git,
    [
      `--git-dir=${repository.gitDir}`,
      `--work-tree=${repository.top}`,
      'ls-files',
      '-z',
      '--',
      path,
    ],
    '',
    repository.top,
  );
  return stdout.toString('utf8').split('\0').includes(path);
}

/** Those of these paths that git would ignore if they were not tracked. */
export function ignored(repository: Repository, paths: readonly string[]): ReadonlySet<string> {
  // It will not have paths taken literally; with a dot in front none of them is magic.
  const asked = paths.map((path) => `./${path}\0`).join('');
  const { code, stdout, stderr } = runPlain(
    repository.git,
    [
      `--git-dir=${repository.gitDir}`,
      `--work-tree=${repository.top}`,
      'check-ignore',
      '--no-index',
      '-z',
      '--stdin',
    ],
    asked,
    repository.top,
  );
  if (code > 1)
    throw new CoordError('git_failed', `git check-ignore failed: ${stderr.split('\n')[0] ?? ''}`);
  return new Set(
    stdout
      .toString('utf8')
      .split('\0')
      .map((path) => path.slice(2)),
  );
}
