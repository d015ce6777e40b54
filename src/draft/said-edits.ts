/**
 * Edits that the shim has let pass because nobody else had lines in the file: they are put down as
 * the harness told them, and computed when somebody looks.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { harnesses } from '../adapter/harnesses.ts';
import { editsBetween } from '../core/lines/change.ts';
import { planned } from '../core/lines/planned.ts';
import { edited } from '../core/lines/settle.ts';
import type { Lines } from '../core/lines/split.ts';
import { sameLines } from '../core/lines/split.ts';
import { type Change, inBytes } from '../core/patch-text.ts';
import { listLocal, localPath, readLocal, takeLocal } from '../git/local.ts';
import type { Repository } from '../git/repository.ts';
import { sharedFiles } from '../shim/files.ts';
import { sharedName } from '../shim/shared-file.ts';
import type { Announced } from './line-store.ts';

/** Taken away as they are read: what is announced of them stands in the record then. */
export function takeSaid(
  { commonDir, top }: Repository,
  path: string,
  file: Lines,
  before: readonly Announced[],
  at: number,
): readonly Announced[] {
  return listLocal(commonDir, 'edits').flatMap((session) => {
    const name = sharedName(sharedFiles.said, session, join(top, path));
    const note = sharedName(sharedFiles.edit, session, join(top, path));
    const said = takeLocal(commonDir, name);
    const owner = readLocal(commonDir, note)?.split('\n')[2] ?? '';
    if (said === null || owner === '') return [];
    const [harness = ''] = session.split('+');
    const changes = said.split('\n').flatMap((line) => changesIn(line, harness));
    // On top of what it was about to do before; where that was never made, without it.
    const begun = before.filter((one) => one.owner === owner).map(({ edits }) => edits);
    return [begun.reduce(edited, file), file].flatMap((start) => {
      const after = made(start, changes);
      return sameLines(after, start) ? [] : [{ owner, edits: editsBetween(file, after), at }];
    });
  });
}

/** Has somebody edited it that nobody has looked at? */
export function isSaid({ commonDir, top }: Repository, path: string): boolean {
  return listLocal(commonDir, 'edits').some((session) =>
    existsSync(localPath(commonDir, sharedName(sharedFiles.said, session, join(top, path)))),
  );
}

/** Each on top of the one before; one that does not fit was not made. */
function made(file: Lines, changes: readonly Change[]): Lines {
  return changes.reduce<Lines>((now, change) => {
    const steps = planned(now, [change]);
    return steps === null ? now : steps.reduce(edited, now);
  }, file);
}

function changesIn(line: string, harness: string): readonly Change[] {
  try {
    const { tool } = harnesses
      .find(({ name }) => name === harness)
      ?.read(JSON.parse(line), 'before-edit', { get: () => undefined }) ?? { tool: null };
    return tool?.kind === 'edit' ? tool.changes.map(inBytes) : [];
  } catch {
    return [];
  }
}
