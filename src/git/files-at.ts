/** What stands in a commit: its files and its tree. */

import type { Oid } from '../core/ids.ts';
import { ask } from './commits.ts';
import type { Repository } from './repository.ts';
import { runGit } from './run-git.ts';

export function existsCommit(repository: Repository, oid: Oid): boolean {
  return (
    runGit(repository.git, [`--git-dir=${repository.gitDir}`, 'cat-file', '-e', `${oid}^{commit}`])
      .code === 0
  );
}

/** Does the commit of that name hold a file of this path? */
export function existsAt(repository: Repository, name: string, path: string): boolean {
  return (
    runGit(repository.git, [
      `--git-dir=${repository.gitDir}`,
      'cat-file',
      '-e',
      '--end-of-options',
      `${name}:${path}`,
    ]).code === 0
  );
}

/**
 * By path, the part of it that HEAD has as something else: a file where the path needs a folder, or
 * a folder in the path's own place.
 */
export function takenInHead(
  repository: Repository,
  paths: readonly string[],
): ReadonlyMap<string, string> {
  const partsOf = (path: string): readonly string[] =>
    path.split('/').map((_, i, parts) => parts.slice(0, i + 1).join('/'));
  // A name with a line break cannot be asked for.
  const asked = [...new Set(paths.filter((path) => !path.includes('\n')).flatMap(partsOf))];
  if (asked.length === 0) return new Map();
  const rows = ask(
    repository,
    ['cat-file', '--batch-check'],
    asked.map((path) => `HEAD:${path}\n`).join(''),
  ).split('\n');
  const kinds = new Map(
    asked.flatMap((path, i) => {
      const [, kind] = /^[0-9a-f]+ (blob|tree) /.exec(rows[i] ?? '') ?? [];
      return kind === undefined ? [] : [[path, kind] as const];
    }),
  );
  return new Map(
    paths.flatMap((path) => {
      const taken = partsOf(path).find(
        (part) => kinds.has(part) && (kinds.get(part) === 'tree') === (part === path),
      );
      return taken === undefined ? [] : [[path, taken] as const];
    }),
  );
}

/** The tree of a commit. */
export function treeOf(repository: Repository, oid: Oid): Oid {
  return ask(repository, ['rev-parse', '--verify', `${oid}^{tree}`]).trim();
}

/** How many files it holds. */
export function filesIn(repository: Repository, oid: Oid): number {
  return ask(repository, ['ls-tree', '-r', '-z', '--name-only', oid]).split('\0').length - 1;
}

/** A file as a commit has it, or null. */
export function fileAt(repository: Repository, commit: Oid, path: string): string | null {
  const { code, stdout } = runGit(repository.git, [
    `--git-dir=${repository.gitDir}`,
    'cat-file',
    'blob',
    `${commit}:${path}`,
  ]);
  return code === 0 ? stdout.toString('utf8') : null;
}

/** So that nobody reads what is too large to be what they look for; null where it is not there. */
export function sizeAt(repository: Repository, commit: Oid, path: string): number | null {
  const { code, stdout } = runGit(repository.git, [
    `--git-dir=${repository.gitDir}`,
    'cat-file',
    '-s',
    `${commit}:${path}`,
  ]);
  return code === 0 ? Number(stdout.toString('utf8')) : null;
}

/** Its mode and its content's name there, or null. */
export function entryAt(repository: Repository, commit: Oid, path: string): string | null {
  const row = ask(repository, ['ls-tree', '-z', commit, '--', path]);
  const [, mode = '', oid = ''] = /^(\d+) \w+ ([0-9a-f]+)\t/.exec(row) ?? [];
  return oid === '' ? null : `${mode} ${oid}`;
}
