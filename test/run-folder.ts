/**
 * A folder for what the tests of one run share: templates of repositories, and code that V8 has
 * compiled.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Before the first test; what it returns runs after the last one. */
export default function setup(): (() => void) | undefined {
  // Once, though each project asks for it.
  if (process.env['COORD_TEST_RUN'] !== undefined) return undefined;
  const folder = mkdtempSync(join(tmpdir(), 'coord-tests-'));
  process.env['COORD_TEST_RUN'] = folder;
  return () => rmSync(folder, { recursive: true, force: true });
}
