/**
 * The id of a work tree: chance, kept below its git folder, with what tells this work tree from a
 * copy of it. Lines are granted to several by that id, so no two work trees may ever have the same
 * one; where it cannot be kept there is none.
 */
import { realpathSync, statSync } from 'node:fs';
import { appendLocal, dropLocal, readLocal } from './local.ts';
import type { Repository } from './repository.ts';

const file = 'work-tree';
const mostBytes = 16_384;

type Place = Pick<Repository, 'gitDir' | 'top'>;

/**
 * A line for each machine and place that it was seen from. They are only ever added, so that of two
 * processes that begin at once both find the same line first.
 */
export function workTreeId(place: Place, machine: string, newId: () => string): string | undefined {
  const mark = markOf(place, machine);
  if (mark === null) return undefined;
  const known = idFor(mark, place);
  if (known !== undefined) return known;
  const line = `${newId()} ${mark}\n`;
  if (!appendLocal(place.gitDir, file, line, mostBytes)) {
    dropLocal(place.gitDir, file);
    appendLocal(place.gitDir, file, line, mostBytes);
  }
  return idFor(mark, place);
}

function idFor(mark: string, { gitDir }: Place): string | undefined {
  return readLocal(gitDir, file)
    ?.split('\n')
    .map((line) => /^([0-9a-z]{8,64}) (.+)$/.exec(line))
    .find((found) => found?.[2] === mark)?.[1];
}

/** A copy is another folder, or on another machine; a folder that was moved counts as another one. */
function markOf({ gitDir, top }: Place, machine: string): string | null {
  try {
    const folders = [gitDir, top].map((folder) => {
      const { dev, ino } = statSync(folder);
      return [dev, ino, realpathSync(folder)];
    });
    return JSON.stringify([machine, ...folders]);
  } catch {
    return null;
  }
}
