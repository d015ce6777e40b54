/**
 * Folders of coord's own in the system's place for temporary files, which may be missing or not to
 * be written.
 */
import { mkdtempSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CoordError } from '../core/errors.ts';

/** A new folder, or an error that says what was wanted and where. */
export function temporaryFolder(prefix: string): string {
  try {
    return mkdtempSync(join(tmpdir(), prefix));
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    throw new CoordError(
      'not_writable',
      `no temporary folder can be made in '${tmpdir()}' (${code})`,
      'set TMPDIR to a folder that can be written',
      error,
    );
  }
}

/** The paths of what is there under this prefix. */
export function temporaryFolders(prefix: string): readonly string[] {
  try {
    return readdirSync(tmpdir())
      .filter((name) => name.startsWith(prefix))
      .map((name) => join(tmpdir(), name));
  } catch {
    return [];
  }
}
