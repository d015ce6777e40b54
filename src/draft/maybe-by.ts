/**
 * Whose a change may be that nobody announced: of whoever had a command under way when the file was
 * written, and of those that name the file, if any does. Where it was one alone it is settled when
 * that one ends; where it may have been several nobody ever knows.
 */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { limits } from '../core/limits.ts';
import { nobodyKnown, type Owner } from '../core/lines/record.ts';
import type { WhoseChange } from '../core/lines/settle.ts';
import type { Lines } from '../core/lines/split.ts';
import { dropLocal, listLocal, readLocal, wallAge, writeLocal } from '../git/local.ts';
import type { Repository } from '../git/repository.ts';
import { sharedFiles } from '../shim/files.ts';
import { sharedName, sharedPath } from '../shim/shared-file.ts';

const sign = '~';
/** Behind it: the command's own words say so. */
const sure = '=';
/** A text that is written as a whole has in it what others have written there before. */
const body = /<<-?\s*(['"\\]?)([\w-]+)\1[^\n]*\n[^]*?\n\s*\2(?=\n|$)/g;
/** What is shorter may stand in any command. */
const leastSaid = 8;

/** The looks of the commands that may have written the file, by their names. */
export function looksBefore(repository: Repository, path: string): readonly string[] {
  const { gitDir } = repository;
  const written = statSync(join(repository.top, path), { throwIfNoEntry: false })?.ctimeMs;
  const [folder = ''] = sharedName(sharedFiles.look, '').split('/');
  const looks = listLocal(gitDir, folder).filter((name) => {
    const begun = /\.(list|also)$/.test(name) ? null : underWaySince(repository, name);
    return begun !== null && (written === undefined || begun <= written);
  });
  const naming = looks.filter((name) => names(readLocal(gitDir, commandOf(name)) ?? '', path));
  return naming.length > 0 ? naming : looks;
}

function commandOf(look: string): string {
  return `commands/${look}`;
}

/** What it is that is about to run. */
export function noteCommand({ gitDir }: Repository, look: string, command: string): void {
  writeLocal(gitDir, commandOf(look), command);
}

export function dropCommand({ gitDir }: Repository, look: string): void {
  dropLocal(gitDir, commandOf(look));
}

/** Has it the path in it, whatever it does with it? */
function names(command: string, path: string): boolean {
  const parts = command.split(path.slice(path.lastIndexOf('/') + 1));
  return parts.some(
    (before, i) =>
      i < parts.length - 1 && /(^|[^\w.-])$/.test(before) && /^($|[^\w-])/.test(parts[i + 1] ?? ''),
  );
}

function maybeBy(looks: readonly string[]): Owner {
  return looks.length === 0 ? nobodyKnown : `${sign}${[...looks].sort().join(',')}`;
}

/** Of several commands the one whose words say just this change; else whichever it was. */
export function whoeverRan(
  repository: Repository,
  path: string,
  looks: readonly string[] = looksBefore(repository, path),
  others: readonly string[] = looks,
): WhoseChange {
  const commands = looks.map(
    (look) => [look, readLocal(repository.gitDir, commandOf(look)) ?? ''] as const,
  );
  return (added, removed) => {
    const [by, ...more] = commands.filter(([, command]) => says(command, added, removed));
    return by !== undefined && more.length === 0 && looks.length > 1
      ? `${sign}${sure}${by[0]}`
      : maybeBy(others);
  };
}

/** Has the command every line in it that it would have added, or else removed? */
function says(command: string, added: Lines, removed: Lines): boolean {
  const texts = (added.length > 0 ? added : removed).map((line) => unquoted(line).trim());
  const words = unquoted(command.replace(body, ''));
  return texts.join('').length >= leastSaid && texts.every((text) => words.includes(text));
}

/** A shell is told the same text in many ways. */
function unquoted(text: string): string {
  return text.replace(/['"\\]/g, '');
}

/** A command that has ended unseen will not say any more what it did. */
export function stillMaybe(repository: Repository): (owner: Owner) => Owner {
  return (owner) =>
    candidates(owner).every((name) => underWaySince(repository, name) !== null)
      ? owner
      : nobodyKnown;
}

/** Since when; null where it has ended. */
function underWaySince(repository: Repository, name: string): number | null {
  const file = sharedPath(repository, sharedFiles.look, name);
  const begun = statSync(file, { throwIfNoEntry: false })?.mtimeMs;
  return begun === undefined || wallAge(begun) > limits.commandMs ? null : begun;
}

/** The commands one of which it was; none where it is known whose it is, or never will be. */
export function candidates(owner: Owner): readonly string[] {
  return owner.startsWith(sign)
    ? owner.slice(sign.length + (isSure(owner) ? sure.length : 0)).split(',')
    : [];
}

export function isSure(owner: Owner): boolean {
  return owner.startsWith(sign + sure);
}
