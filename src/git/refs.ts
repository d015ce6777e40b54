/**
 * Refs of coord: read as git keeps them (as files where it does, through git elsewhere), written
 * only by `git update-ref` in one transaction whose first line is the log.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CoordError } from '../core/errors.ts';
import type { Oid } from '../core/ids.ts';
import { malformed } from '../core/malformed.ts';
import { isMissing } from './read-objects.ts';
import type { Repository } from './repository.ts';
import { type GitResult, git, runGit } from './run-git.ts';

const hexadecimal = /^([0-9a-f]{40}|[0-9a-f]{64})$/;

export function zeroOid(repository: Repository): Oid {
  return '0'.repeat(repository.hash === 'sha1' ? 40 : 64);
}

/** A branch as people call it; null where there is none. */
export function shortBranch(ref: string): string;
export function shortBranch(ref: string | null): string | null;
export function shortBranch(ref: string | null): string | null {
  return ref?.replace(/^refs\/heads\//, '') ?? null;
}

/** A branch, or null also where its ref is broken: that is for git to say. */
export function readBranch(repository: Repository, ref: string): Oid | null {
  try {
    return readRef(repository, ref);
  } catch (error) {
    if (error instanceof CoordError) return null;
    throw error;
  }
}

export function readRef(repository: Repository, ref: string): Oid | null {
  if (repository.refs === 'reftable') return askRef(repository, ref);
  // Packing moves a value from its own file to the packed ones: absent from both, look once more.
  return (
    readLooseRef(repository, ref) ?? readPackedRef(repository, ref) ?? readLooseRef(repository, ref)
  );
}

/** A ref may stand for another one; git follows as many of them. */
const mostSymbolic = 5;

function readLooseRef(repository: Repository, ref: string, depth = 0): Oid | null {
  let text: string;
  try {
    text = readFileSync(join(repository.commonDir, ref), 'utf8');
  } catch (error) {
    if (isMissing(error) || (error instanceof Error && 'code' in error && error.code === 'EISDIR'))
      return null;
    throw error;
  }
  const value = text.trimEnd();
  if (hexadecimal.test(value)) return value;
  const target = /^ref: (refs\/\S+)$/.exec(value)?.[1];
  if (target !== undefined && depth < mostSymbolic) {
    return readLooseRef(repository, target, depth + 1) ?? readPackedRef(repository, target);
  }
  throw malformed(ref, text === '' ? 'its ref is empty' : 'its ref does not hold an object id');
}

function readPackedRef(repository: Repository, ref: string): Oid | null {
  let text: string;
  try {
    text = readFileSync(join(repository.commonDir, 'packed-refs'), 'latin1');
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
  const end = text.indexOf(` ${ref}\n`);
  return end < 0 ? null : text.slice(text.lastIndexOf('\n', end) + 1, end);
}

function askRef(repository: Repository, ref: string): Oid | null {
  const { code, stdout } = runGit(repository.git, [
    `--git-dir=${repository.commonDir}`,
    'rev-parse',
    '--verify',
    '--quiet',
    '--end-of-options',
    ref,
  ]);
  const value = stdout.toString('utf8').trim();
  return code === 0 && hexadecimal.test(value) ? value : null;
}

export interface RefUpdate {
  readonly ref: string;
  /** Null deletes it. */
  readonly value: Oid | null;
  /**
   * What it has to be before; null where that does not matter, zeros where it must not be there.
   */
  readonly expected: Oid | null;
}

export function updateRefs(repository: Repository, updates: readonly RefUpdate[]): GitResult {
  const lines = updates.map(({ ref, value, expected }) =>
    value === null
      ? `delete ${ref}\0${expected ?? ''}\0`
      : `update ${ref}\0${value}\0${expected ?? ''}\0`,
  );
  return runGit(
    repository.git,
    [`--git-dir=${repository.commonDir}`, 'update-ref', '-z', '--stdin'],
    lines.join(''),
  );
}

/** Every ref under a prefix with its value. */
export function listRefs(repository: Repository, prefix: string): ReadonlyMap<string, Oid> {
  const text = git(repository.git, [
    `--git-dir=${repository.commonDir}`,
    'for-each-ref',
    '--format=%(objectname) %(refname)',
    prefix,
  ]).toString('utf8');
  return new Map(
    text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => {
        const gap = line.indexOf(' ');
        return [line.slice(gap + 1), line.slice(0, gap)] as const;
      }),
  );
}
