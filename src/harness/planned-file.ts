/** Files of a project or a user that settings are added to: read as they are, links and all. */
import { existsSync, lstatSync, realpathSync } from 'node:fs';
import { relative } from 'node:path';
import type { Places } from '../adapter/harness.ts';
import { CoordError } from '../core/errors.ts';
import { limits } from '../core/limits.ts';
import { readRegular } from '../git/regular-file.ts';

export interface FilePlan {
  readonly harness: string;
  readonly file: string;
  readonly before: string | null;
  readonly after: string | null;
  /** What it would be without us: the user's own. */
  readonly clean: string | null;
}

/** What cannot be read is not written over either. */
export function read(file: string): string | null {
  const content = readRegular(file, limits.projectFileBytes);
  if (content.kind === 'unread')
    throw new CoordError(
      'not_writable',
      `nothing is added to '${file}': ${content.why}`,
      'make it a file of its own',
    );
  return content.kind === 'file' ? content.bytes.toString('latin1') : null;
}

/** Bytes as they are, whatever they mean: JSON is only looked at. */
export function asText(bytes: string | null): string | null {
  return bytes === null ? null : Buffer.from(bytes, 'latin1').toString('utf8');
}

/** What is not UTF-8 would come back as something else. */
export function checkText(bytes: string | null, file: string): void {
  if (asBytes(asText(bytes)) !== bytes)
    throw new CoordError(
      'not_writable',
      `'${file}' is not UTF-8, so nothing is added to it`,
      'add it by hand, or save it as UTF-8',
    );
}

export function asBytes(text: string | null): string | null {
  return text === null ? null : Buffer.from(text, 'utf8').toString('latin1');
}

/**
 * Where a file is a link, it is what it leads to, as long as that is in the same place; nothing is
 * written elsewhere by it.
 */
export function target(file: string, places: Places): string {
  if (lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() !== true) return file;
  const real = existsSync(file) ? realpathSync(file) : file;
  const root = realpathSync(places.isUser ? places.home : places.top);
  if (real === file || relative(root, real).startsWith('..'))
    throw new CoordError(
      'not_writable',
      `'${file}' is a symbolic link to somewhere else`,
      'make it a file of its own',
    );
  return real;
}
