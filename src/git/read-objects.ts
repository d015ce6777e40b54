/** Objects read: loose ones in the process, the rest by one git for all that are asked for. */

import { readFileSync } from 'node:fs';
import { CoordError } from '../core/errors.ts';
import type { Oid } from '../core/ids.ts';
import { limits } from '../core/limits.ts';
import { malformed } from '../core/malformed.ts';
import { type GitObject, loosePath, type ObjectKind } from './loose-object.ts';
import { unpack } from './packing.ts';
import type { Repository } from './repository.ts';
import { runGit } from './run-git.ts';

/** The object if it lies loose and whole, else null. */
export function readLoose(repository: Repository, oid: Oid): GitObject | null {
  let raw: Buffer;
  try {
    raw = readFileSync(loosePath(repository, oid));
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
  try {
    const store = unpack(raw);
    const end = store.indexOf(0);
    const [kind, size] = store.toString('latin1', 0, end).split(' ');
    const body = store.subarray(end + 1);
    if (kind !== undefined && Number(size) === body.length) return { kind, body };
  } catch {
    // Then perhaps a pack has it: git is asked.
  }
  return null;
}

/**
 * Several objects by name (`<oid>`, `<oid>:leases`) in one question to git; null for what is not
 * there.
 */
export function askObjects(
  repository: Repository,
  names: readonly string[],
): readonly ((GitObject & { readonly oid: Oid }) | null)[] {
  const { stdout, code, stderr } = batch(repository, names);
  if (code !== 0)
    throw new CoordError(
      'object_missing',
      `git cat-file failed: ${stderr.split('\n')[0] ?? ''}`,
      'coord doctor --fix',
    );
  const found: ((GitObject & { readonly oid: Oid }) | null)[] = [];
  for (let at = 0; at < stdout.length && found.length < names.length; ) {
    const end = stdout.indexOf(0x0a, at);
    const [oid, kind, size] = stdout.toString('utf8', at, end).split(' ');
    at = end + 1;
    if (oid === undefined || kind === undefined || size === undefined || !/^\d+$/.test(size)) {
      found.push(null);
      continue;
    }
    found.push({ oid, kind, body: stdout.subarray(at, at + Number(size)) });
    at += Number(size) + 1;
  }
  return found;
}

function batch(repository: Repository, names: readonly string[]): ReturnType<typeof runGit> {
  const args = [`--git-dir=${repository.commonDir}`, 'cat-file', '--batch'];
  try {
    const most = Math.min(limits.gitOutputBytes, names.length * limits.objectBytes);
    return runGit(repository.git, args, `${names.join('\n')}\n`, undefined, most);
  } catch (error) {
    const { cause } = error instanceof CoordError ? error : {};
    const isTooMuch = cause instanceof Error && 'code' in cause && cause.code === 'ENOBUFS';
    if (!isTooMuch) throw error;
    throw malformed(names[0] ?? '', `it is larger than any object of coord's`);
  }
}

export function readObject(repository: Repository, oid: Oid, kind: ObjectKind): Buffer {
  const object = readLoose(repository, oid) ?? askObjects(repository, [oid])[0] ?? null;
  if (object === null)
    throw new CoordError('object_missing', `object ${oid} is missing`, 'coord doctor --fix');
  if (object.kind !== kind)
    throw new CoordError(
      'log_malformed',
      `object ${oid} is a ${object.kind}, not a ${kind}`,
      'coord doctor --fix',
    );
  return object.body;
}

/** Which of these are not there; by git, which looks into packs too. */
export function missingObjects(repository: Repository, oids: readonly Oid[]): ReadonlySet<Oid> {
  if (oids.length === 0) return new Set();
  const { stdout } = runGit(
    repository.git,
    [`--git-dir=${repository.commonDir}`, 'cat-file', '--batch-check'],
    oids.map((oid) => `${oid}\n`).join(''),
  );
  return new Set(
    stdout
      .toString('utf8')
      .split('\n')
      .filter((line) => line.endsWith(' missing'))
      .map((line) => line.split(' ')[0] ?? ''),
  );
}

export function isMissing(error: unknown): boolean {
  return (
    error instanceof Error &&
    'code' in error &&
    (error.code === 'ENOENT' || error.code === 'ENOTDIR')
  );
}
