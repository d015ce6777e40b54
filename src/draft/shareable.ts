/**
 * Can this file be shared by lines? Only where its lines are what git stores and merges line by
 * line; else one at a time has it.
 */
import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { limits } from '../core/limits.ts';
import { gitWithIndex } from '../git/index-file.ts';
import { hashObject } from '../git/objects.ts';
import { readRegular } from '../git/regular-file.ts';
import type { Repository } from '../git/repository.ts';

/** The attribute that says how a file is merged. */
const driver = 'merge';

/** More characters a line than people write: it was made by a program. */
const longLine = 500;

/** Why not, after the name of the file; null where it can. */
export function whyAlone(repository: Repository, path: string): string | null {
  const file = join(repository.top, path);
  if (/[\n"\\]/.test(path)) return 'has an unusual name';
  if (path.endsWith('.ipynb')) return 'is a notebook';
  if (lstatSync(file, { throwIfNoEntry: false })?.isFile() !== true) return 'is no regular file';
  const content = readRegular(file, limits.lineFileBytes);
  if (content.kind !== 'file') return 'is too long';
  return whyNotText(content.bytes) ?? whyNotPlain(repository, path, content.bytes);
}

function whyNotText(bytes: Buffer): string | null {
  if (bytes.includes(0)) return 'is binary';
  const text = bytes.toString('latin1');
  const lines = text.split('\n').length - 1;
  if (lines < 2) return 'has a line or none';
  if (text.length > lines * longLine) return 'has very long lines';
  const ends = text.split('\r\n').length - 1;
  return ends === 0 || ends === lines ? null : 'has mixed line ends';
}

/** How git is told to merge each of these, as `.gitattributes` says. */
export function mergeAttributes(
  repository: Repository,
  paths: readonly string[],
): ReadonlyMap<string, string> {
  const index = join(repository.gitDir, 'index');
  const input = paths.map((path) => `${path}\0`).join('');
  const asked = gitWithIndex(repository, index, ['check-attr', '--stdin', '-z', driver], input);
  const words = asked.stdout.toString('utf8').split('\0');
  return new Map(paths.map((path, i) => [path, words[3 * i + 2] ?? '']));
}

/** As git sees it: stored as it is, merged line by line, looked at like any other. */
function whyNotPlain(repository: Repository, path: string, bytes: Buffer): string | null {
  const index = join(repository.gitDir, 'index');
  const ask = (...args: readonly string[]): string =>
    gitWithIndex(repository, index, args).stdout.toString('utf8');
  const entry = ask('ls-files', '-v', '-s', '-z', '--', path);
  if (!/^H 100(644|755) [0-9a-f]+ 0\t/.test(entry)) return 'is not an ordinary file of the index';
  const merge = mergeAttributes(repository, [path]).get(path) ?? '';
  if (!['unspecified', 'set', 'text', 'union'].includes(merge)) return 'has a merge driver';
  const stored = ask('hash-object', `--path=${path}`, '--', join(repository.top, path)).trim();
  return stored === hashObject(repository, 'blob', bytes).oid ? null : 'is stored by a filter';
}
