/**
 * Whose lines are whose in the files of this work tree. Whoever looks first does it for everybody:
 * a commit by whoever made it, an edit that was announced before, and what nobody has announced.
 */
import { type Owner, ownersOf } from '../core/lines/record.ts';
import type { WhoseChange } from '../core/lines/settle.ts';
import type { Repository } from '../git/repository.ts';
import { broughtUp, given, type Looked, newLineFile } from './brought-up.ts';
import { type LineFile, lineFiles, withLineFile } from './line-store.ts';
import { isSaid } from './said-edits.ts';

/** Nothing in it is anybody's, and nothing is about to be: then it needs no record. */
export function isOver({ lines, intents, earlier }: LineFile): boolean {
  return intents.length === 0 && earlier.length === 0 && ownersOf(lines).length === 0;
}

/** From now on it is shared: what differs from HEAD is of the one who is said to have it. */
export function beginLines(repository: Repository, path: string, owner: WhoseChange): void {
  withLineFile(repository, path, (known) => {
    const begun = known ?? newLineFile(repository, path);
    const file = begun === null ? null : broughtUp(repository, begun, owner).file;
    return { file: file === null || isOver(file) ? known : file, result: null };
  });
}

/** What one had in hand in any file is another's from now on. */
export function handLinesOver(repository: Repository, from: Owner, to: Owner): void {
  for (const { path } of lineFiles(repository))
    giveLines(repository, path, (owner) => (owner === from ? to : owner));
}

/** Whose the changes in a file are from now on, by whose they were. */
export function giveLines(
  repository: Repository,
  path: string,
  heir: (owner: Owner) => Owner,
): void {
  withLineFile(repository, path, (file) => {
    if (file === null) return { file, result: null };
    const intents = file.intents.map((one) => ({ ...one, owner: heir(one.owner) }));
    return { file: { ...file, lines: given(file.lines, heir), intents }, result: null };
  });
}

/** Null where nobody shares it. */
export function lookAtLines(
  repository: Repository,
  path: string,
  otherwise?: WhoseChange,
): Looked | null {
  return withLineFile(repository, path, (known) => {
    const file = known ?? (isSaid(repository, path) ? newLineFile(repository, path) : null);
    if (file === null) return { file, result: null };
    const looked = broughtUp(repository, file, otherwise);
    return { file: isOver(looked.file) ? null : looked.file, result: looked };
  });
}
