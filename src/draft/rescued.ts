/**
 * What can come back: snapshots as files, compared with the work tree and put back into it or
 * elsewhere.
 */
import { chmodSync, mkdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { RealWorld } from '../agent/world.ts';
import { CoordError } from '../core/errors.ts';
import { headOf } from '../git/head.ts';
import { gitWithIndex } from '../git/index-file.ts';
import { withSubmodules } from '../git/path-changes.ts';
import { readObject } from '../git/read-objects.ts';
import { runGit } from '../git/run-git.ts';
import { asIn, saveWork, type Unsaved } from './saved-work.ts';
import { expectSuccess, type Saved, type SavedEntry, withIndexOf } from './snapshot.ts';
import { statOf } from './vanished.ts';

export function filesOf({ repository }: RealWorld, { tree }: Saved): readonly SavedEntry[] {
  return expectSuccess(
    runGit(repository.git, [`--git-dir=${repository.commonDir}`, 'ls-tree', '-r', '-z', tree]),
  )
    .split('\0')
    .flatMap((line) => {
      const [, mode = '', oid = '', path = ''] = /^(\d+) blob ([0-9a-f]+)\t(.+)$/s.exec(line) ?? [];
      return path === '' ? [] : [{ mode, oid, path }];
    });
}

/** What bringing it back would change in the work tree, as a patch. */
export function differenceOf({ repository }: RealWorld, files: readonly SavedEntry[]): Buffer {
  return withIndexOf(repository, files, (index) => {
    const found = gitWithIndex(repository, index, [
      'diff-files',
      '-p',
      '-R',
      '--no-ext-diff',
      '--no-color',
      withSubmodules,
    ]);
    expectSuccess(found);
    return found.stdout;
  });
}

/**
 * Keeps the files of the work tree that are in the way. Returns those that may be replaced: kept
 * now, or just as HEAD has them.
 */
export function keepReplaced(
  world: RealWorld,
  paths: readonly string[],
  unsaved: readonly Unsaved[],
  why: string,
): ReadonlySet<string> {
  const { repository } = world;
  const there = paths.filter((path) => statOf(join(repository.top, path)) !== undefined);
  const committed = new Set(asIn(world, headOf(repository).oid, there));
  const owned = new Set(unsaved.map(({ path }) => path));
  // What git ignores, or was told not to look at, is nobody's as far as is known.
  const others = there.filter((path) => !committed.has(path) && !owned.has(path));
  const kept = saveWork(world, [...unsaved, ...others.map((path) => ({ path, agent: null }))], why);
  return new Set([...committed, ...kept]);
}

/** A folder as it really is, also where it is not there yet: no link leads to another one. */
export function realPlace(folder: string): string {
  const found = statOf(folder) === undefined ? null : realpathSync(folder);
  return found ?? join(realPlace(dirname(folder)), basename(folder));
}

/**
 * Byte for byte, below a folder. Nothing is written where a file would be replaced that may not be,
 * or where a link or a file stands in the place of a folder.
 */
export function bringBack(
  world: RealWorld,
  files: readonly SavedEntry[],
  folder: string,
  mayReplace: (path: string) => boolean,
): readonly string[] {
  for (const { path } of files) checkPlace(folder, path, mayReplace);
  return files.map(({ mode, oid, path }) => {
    const file = join(folder, path);
    mkdirSync(dirname(file), { recursive: true });
    const body = readObject(world.repository, oid, 'blob');
    rmSync(file, { force: true });
    if (mode === '120000') symlinkSync(body.toString('utf8'), file);
    else {
      writeFileSync(file, body);
      chmodSync(file, mode === '100755' ? 0o755 : 0o644);
    }
    return path;
  });
}

function checkPlace(folder: string, path: string, mayReplace: (path: string) => boolean): void {
  const parts = path.split('/');
  const above = parts.slice(0, -1).map((_, i) => parts.slice(0, i + 1).join('/'));
  const blocked = above.find((part) => statOf(join(folder, part))?.isDirectory() === false);
  if (blocked !== undefined)
    throw cannotWrite(`'${blocked}' is no folder, and ${path} would go below it`);
  const there = statOf(join(folder, path));
  if (there === undefined || (mayReplace(path) && !there.isDirectory())) return;
  throw cannotWrite(`'${path}' is there already`);
}

function cannotWrite(message: string): CoordError {
  return new CoordError('not_writable', message, 'coord rescue restore <id> --to <new folder>');
}
