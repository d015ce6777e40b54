/**
 * What has changed in a work tree since somebody looked, by what the file system says of each file
 * that differs from the index. The shim looks without listing: then only the time of its look is
 * known.
 */

import { mkdirSync, statSync, utimesSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { statOf } from '../draft/vanished.ts';
import { gitWithIndex } from '../git/index-file.ts';
import { listLocal, writeLocal } from '../git/local.ts';
import type { Repository } from '../git/repository.ts';
import { sharedFiles } from '../shim/files.ts';
import { dropShared, readShared, sharedName, sharedPath } from '../shim/shared-file.ts';

export interface Look {
  readonly atMs: number;
  /** By path, what tells one state of a file from another. */
  readonly marks: ReadonlyMap<string, string>;
}

/** The clock of a file system may be a few ticks behind. */
const clockSlackMs = 20;

/** Files that are modified, deleted or untracked and not ignored. */
export function differing(repository: Repository): readonly string[] {
  const { stdout } = gitWithIndex(repository, join(repository.gitDir, 'index'), [
    'ls-files',
    '--modified',
    '--deleted',
    '--others',
    '--exclude-standard',
    '-z',
  ]);
  return [...new Set(stdout.toString('utf8').split('\0'))].filter((path) => path !== '');
}

function markOf(file: string): { readonly text: string; readonly atMs: number } {
  const stat = statOf(file);
  return stat === undefined
    ? { text: 'gone', atMs: Number.POSITIVE_INFINITY }
    : { text: `${stat.ino} ${stat.size} ${stat.mtimeMs} ${stat.ctimeMs}`, atMs: stat.ctimeMs };
}

export function look(repository: Repository, atMs: number, also: readonly string[]): Look {
  return {
    atMs,
    marks: new Map(
      [...new Set([...differing(repository), ...also])].map((path) => [
        path,
        markOf(join(repository.top, path)).text,
      ]),
    ),
  };
}

/** Paths that are not now as they were then. */
export function changedSince(repository: Repository, then: Look): readonly string[] {
  const known = [...then.marks]
    .filter(([path, text]) => markOf(join(repository.top, path)).text !== text)
    .map(([path]) => path);
  const fresh = differing(repository).filter(
    (path) =>
      !then.marks.has(path) && markOf(join(repository.top, path)).atMs >= then.atMs - clockSlackMs,
  );
  return [...known, ...fresh];
}

const lookFiles = [sharedFiles.look, sharedFiles.lookList, sharedFiles.lookAlso] as const;

/** The shim only writes where there is a place for it. */
export function readyForLooks(repository: Repository): void {
  mkdirSync(dirname(sharedPath(repository, sharedFiles.look, '')), { recursive: true });
}

/**
 * With what lets the shim see that nothing has changed: git's own listing, and which other files
 * are guarded.
 */
export function keepLook(
  repository: Repository,
  name: string,
  { marks, atMs }: Look,
  also: readonly string[],
): void {
  const { gitDir } = repository;
  const { stdout } = gitWithIndex(repository, join(gitDir, 'index'), [
    'ls-files',
    '-t',
    '-m',
    '-o',
    '-d',
    '--exclude-standard',
  ]);
  const put = (file: (typeof lookFiles)[number], text: string): void =>
    writeLocal(gitDir, sharedName(file, name), text);
  put(sharedFiles.look, JSON.stringify([...marks]));
  put(sharedFiles.lookList, stdout.toString('utf8'));
  put(sharedFiles.lookAlso, also.map((path) => `${path}\0`).join(''));
  // A change within one tick of the clock has to look younger than this.
  const at = (atMs - clockSlackMs) / 1_000;
  utimesSync(sharedPath(repository, sharedFiles.look, name), at, at);
}

/** Whose commands are under way in this work tree, by the names of their looks. */
export function looksUnderWay({ gitDir }: Repository): readonly string[] {
  const [folder = ''] = sharedName(sharedFiles.look, '').split('/');
  return listLocal(gitDir, folder).filter((name) => !/\.(list|also)$/.test(name));
}

/** What this session looked at before its command; null where it never did. */
export function readLook(
  repository: Repository,
  name: string,
): (Look & { readonly isFull: boolean }) | null {
  const stat = statSync(sharedPath(repository, sharedFiles.look, name), { throwIfNoEntry: false });
  if (stat === undefined) return null;
  const text = readShared(repository, sharedFiles.look, name) ?? '';
  return {
    atMs: stat.mtimeMs,
    isFull: text.trim() !== '',
    marks: new Map(
      text.trim() === '' ? [] : (JSON.parse(text) as readonly (readonly [string, string])[]),
    ),
  };
}

/** The command is over, and all that it changed is somebody's. */
export function dropLook(repository: Repository, name: string): void {
  for (const file of lookFiles) dropShared(repository, file, name);
}
