/**
 * Objects that are being written: files of their own in the folder of all objects, under the name
 * of the process that writes them, so that the next one clears away what a killed one has left.
 * Where the system does not tell processes apart, or another one wrote it, age tells; and `git gc`
 * clears them away too.
 */
import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Oid } from '../core/ids.ts';
import { limits } from '../core/limits.ts';
import { builtin } from './builtin.ts';
import { wallAge } from './local.ts';
import { markOf, type ProcessMark } from './process-mark.ts';
import type { Repository } from './repository.ts';

/** As git calls its own, which its clean-up knows by the beginning. */
const prefix = 'tmp_obj_coord_';
const form = /^tmp_obj_coord_([0-9a-f]{12})-(\d+)-(\d+)_/;

let own: ProcessMark | null | undefined;
/** Of all drafts of this process. */
let stem: string | undefined;
let drafted = 0;
const cleared = new Set<string>();

function nameOf(mark: ProcessMark | null): string {
  return mark === null ? `-${process.pid}` : `${placeOf(mark)}-${mark.pid}-${mark.start}`;
}

function placeOf({ place }: ProcessMark): string {
  return builtin.crypto.createHash('sha256').update(place).digest('hex').slice(0, 12);
}

/** A name that nothing has yet. */
export function draftOf(repository: Repository, oid: Oid): string {
  own ??= markOf(process.pid);
  stem ??= `${prefix}${nameOf(own)}_${builtin.crypto.randomBytes(6).toString('hex')}`;
  clearOnce(repository);
  drafted += 1;
  return `${repository.commonDir}/objects/${stem}_${oid.slice(2, 14)}_${drafted}`;
}

function clearOnce({ commonDir }: Repository): void {
  if (cleared.has(commonDir)) return;
  cleared.add(commonDir);
  const folder = join(commonDir, 'objects');
  for (const name of readdirSync(folder).filter((entry) => entry.startsWith(prefix))) {
    try {
      if (isLeftOver(folder, name)) rmSync(join(folder, name), { force: true });
    } catch {
      // Somebody else has cleared it away, or may.
    }
  }
}

function isLeftOver(folder: string, name: string): boolean {
  const [, place, pid, start] = form.exec(name) ?? [];
  const isFromHere = own != null && place === placeOf(own);
  if (isFromHere) return markOf(Number(pid))?.start !== start;
  return wallAge(statSync(join(folder, name)).mtimeMs) > limits.remainsAgeMs;
}
