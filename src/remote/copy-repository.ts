/**
 * coord's own copy of a remote log: a bare repository of its own under the common directory,
 * fetched shallow, so that nothing of it touches the user's refs, objects or grafts. It may be
 * deleted at any time: the next look fetches it again.
 */
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { CoordError } from '../core/errors.ts';
import type { Oid } from '../core/ids.ts';
import { limits } from '../core/limits.ts';
import { builtin } from '../git/builtin.ts';
import { localPath, ownMark } from '../git/local.ts';
import { readRef } from '../git/refs.ts';
import type { Repository } from '../git/repository.ts';
import { runGit } from '../git/run-git.ts';
import { logRef } from '../log/view.ts';

/**
 * A fetch comes in here, and is looked at before it counts. Each process has its own, for it may
 * not be alone.
 */
export const incomingRef: string = `refs/coord/incoming/${ownMark}`;

/**
 * Run by git once it has heard from the server and before it sends anything: the only sure sign
 * that nothing was sent.
 */
const prePush = '#!/bin/sh\n: > "$COORD_SENT"\n';

export function remoteCopyFolder(repository: Repository): string {
  return localPath(repository.commonDir, 'remote');
}

/** A repository like any other to whoever reads objects and refs. */
export function openCopy(repository: Repository): Repository {
  const folder = join(remoteCopyFolder(repository), 'copy.git');
  if (!isWhole(folder)) makeCopy(repository, folder);
  return at(repository, folder);
}

/** A repository that git takes for one. What of its objects is damaged shows when they are read. */
function isWhole(folder: string): boolean {
  const read = (name: string): string => readFileSync(join(folder, name), 'utf8');
  const isFolder = (name: string): boolean =>
    statSync(join(folder, name), { throwIfNoEntry: false })?.isDirectory() === true;
  try {
    const shallow = existsSync(join(folder, 'shallow')) ? read('shallow') : '';
    return (
      read('hooks/pre-push') === prePush &&
      read('HEAD').startsWith('ref: ') &&
      read('config').startsWith('[core]') &&
      /^([0-9a-f]{40,64}\n)*$/.test(shallow) &&
      isFolder('objects') &&
      isFolder('refs') &&
      !isFolder(logRef)
    );
  } catch {
    return false;
  }
}

function at(repository: Repository, folder: string): Repository {
  return { ...repository, gitDir: folder, commonDir: folder, top: folder, refs: 'files' };
}

export function makeCopy(repository: Repository, folder: string): void {
  mkdirSync(remoteCopyFolder(repository), { recursive: true });
  const draft = `${folder}.${process.pid}`;
  rmSync(draft, { recursive: true, force: true });
  const made = runGit(
    { ...repository.git, env: { ...repository.git.env, GIT_DEFAULT_REF_FORMAT: 'files' } },
    ['init', '--quiet', '--bare', '--template=', `--object-format=${repository.hash}`, draft],
  );
  if (made.code !== 0)
    throw new CoordError(
      'not_writable',
      `coord's copy of the remote log could not be made: ${made.stderr.split('\n')[0] ?? ''}`,
    );
  mkdirSync(join(draft, 'hooks'), { recursive: true });
  writeFileSync(join(draft, 'hooks', 'pre-push'), prePush, { mode: 0o755 });
  try {
    renameSync(draft, folder);
  } catch {
    // Another process was first; or what lies there is none.
    if (isWhole(folder)) rmSync(draft, { recursive: true, force: true });
    else {
      rmSync(folder, { recursive: true, force: true });
      renameSync(draft, folder);
    }
  }
}

export function copyTip(copy: Repository): Oid | null {
  return readRef(copy, logRef);
}

/**
 * Nobody decides by this ref, and only git children of ours read it: it is written like any local
 * note.
 */
export function setCopyTip(copy: Repository, tip: Oid): void {
  const file = join(copy.commonDir, logRef);
  const draft = `${file}.${process.pid}-${builtin.crypto.randomBytes(4).toString('hex')}`;
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(draft, `${tip}\n`);
  renameSync(draft, file);
}

/** With all that is known of the remote: the next one may be another. */
export function dropCopy(repository: Repository): void {
  rmSync(remoteCopyFolder(repository), { recursive: true, force: true });
}

/** What processes left there that were killed. Another's that is at work is younger than that. */
export function sweepRemoteFolder(repository: Repository, wallMs: number): void {
  const folder = remoteCopyFolder(repository);
  const leftovers = [
    [folder, /^(copy|next|offline)\.git\./],
    [join(folder, 'under-way'), /\./],
    [join(folder, 'copy.git'), /^(sent|note)-/],
    [join(folder, 'copy.git', incomingRef, '..'), /^/],
  ] as const;
  for (const [where, ours] of leftovers) {
    for (const name of readdirIfThere(where).filter((each) => ours.test(each))) {
      const file = join(where, name);
      if (
        wallMs - (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? wallMs) >
        limits.remainsAgeMs
      )
        rmSync(file, { recursive: true, force: true });
    }
  }
}

function readdirIfThere(folder: string): readonly string[] {
  return existsSync(folder) ? readdirSync(folder) : [];
}

/**
 * Keeps the newest operations alone: another copy, shallow, of this one. The caller has the turn.
 */
export function shortenCopy(repository: Repository, copy: Repository, depth: number): void {
  const draft = draftCopy(repository);
  const fetched = runGit(copy.git, [
    '-C',
    draft.top,
    '-c',
    'fetch.unpackLimit=1000000',
    'fetch',
    '--quiet',
    '--no-tags',
    `--depth=${depth}`,
    '--no-write-fetch-head',
    `file://${copy.commonDir}`,
    `+${logRef}:${logRef}`,
  ]);
  if (fetched.code === 0) replaceCopy(copy, draft);
}

/** Beside the copy, which stays until this is whole. The caller has the turn. */
export function draftCopy(repository: Repository): Repository {
  const folder = join(remoteCopyFolder(repository), `next.git.${ownMark}`);
  rmSync(folder, { recursive: true, force: true });
  makeCopy(repository, folder);
  return at(repository, folder);
}

export function replaceCopy(copy: Repository, draft: Repository): void {
  const old = `${copy.commonDir}.old`;
  rmSync(old, { recursive: true, force: true });
  if (existsSync(copy.commonDir)) renameSync(copy.commonDir, old);
  try {
    renameSync(draft.commonDir, copy.commonDir);
  } catch {
    // Somebody who found none in between has made an empty one.
    rmSync(copy.commonDir, { recursive: true, force: true });
    renameSync(draft.commonDir, copy.commonDir);
  }
  rmSync(old, { recursive: true, force: true });
}
