/**
 * When what an agent holds is to be renewed, so that work by git alone keeps it: the time of a
 * file, which the shims compare with that of an index and start coord only once it has come.
 */
import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { wallAge } from '../git/local.ts';
import type { Repository } from '../git/repository.ts';
import { sharedFiles } from './files.ts';
import { dropShared, sharedPath } from './shared-file.ts';

const dayMs = 86_400_000;

/** Of all persons who work here. */
export const persons = 'persons';

/** Null where nothing is held. */
export function noteDue(repository: Repository, who: string, dueMs: number | null): void {
  if (dueMs === null && who === persons) {
    dropShared(repository, sharedFiles.due, who);
    return;
  }
  const file = sharedPath(repository, sharedFiles.due, who);
  // Whoever holds nothing yet is asked again tomorrow; what it reserves until then sets it anew.
  const at = new Date(dueMs ?? wallAge(-dayMs));
  try {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, '');
    utimesSync(file, at, at);
  } catch {
    // Without it the shims ask at every command.
  }
}
