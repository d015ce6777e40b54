/**
 * Writes the configuration of harnesses, and takes it back: to the byte, where nobody has changed
 * it since.
 */
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import type { Harness, Places, Program, Wanted } from '../adapter/harness.ts';
import { harnesses } from '../adapter/harnesses.ts';
import { CoordError } from '../core/errors.ts';
import { limits } from '../core/limits.ts';
import { dropLocal, listLocal, readLocal, writeLocal } from '../git/local.ts';
import { regularText } from '../git/regular-file.ts';
import type { Repository } from '../git/repository.ts';
import { blockTakenIn, withInstructions, withoutInstructions } from './instructions.ts';
import { asBytes, asText, checkText, type FilePlan, read, target } from './planned-file.ts';
import { hasOurs, isOurs, withEntries, withoutEntries } from './settings-file.ts';
import { shellSettingsOf, withoutShellSettings, withShellSettings } from './shell-settings.ts';
import type { Used } from './used.ts';

export function chosenHarnesses(names: readonly string[], places: Places): readonly Harness[] {
  if (names.includes('none')) return [];
  if (names.includes('all')) return harnesses;
  const unknown = names.find((said) => !harnesses.some(({ name }) => name === said));
  if (unknown !== undefined)
    throw new CoordError(
      'usage',
      `there is no harness '${unknown}'`,
      `choose from ${harnesses.map(({ name }) => name).join(', ')}, all, none`,
    );
  return names.length > 0
    ? harnesses.filter(({ name }) => names.includes(name))
    : harnesses.filter(
        ({ signs, homeSigns }) =>
          signs.some((sign) => existsSync(join(places.top, sign))) ||
          homeSigns.some((sign) => existsSync(join(places.home, sign))),
      );
}

/** A project's files go to other machines; a user's have to do where no repository knows coord. */
function wantedAt(
  harness: Harness,
  { isUser }: Places,
  program: Program,
): Wanted | { readonly whole: string } {
  const wanted = harness.wanted(isUser ? program : null);
  if (!('shipped' in wanted)) return wanted;
  const file = join(dirname(program.shim), wanted.shipped);
  return { whole: regularText(file, limits.projectFileBytes) ?? '' };
}

export function planSetup(
  chosen: readonly Harness[],
  places: Places,
  program: Program,
  used: Used,
): readonly FilePlan[] {
  const plans = chosen.map((harness): FilePlan => {
    const file = target(harness.file(places), places);
    const before = read(file);
    checkText(before, file);
    const wanted = wantedAt(harness, places, program);
    if ('whole' in wanted) {
      if (before !== null && !hasOurs(asText(before) ?? ''))
        throw new CoordError(
          'not_writable',
          `'${file}' is there already and is not coord's`,
          'give it another name, then coord install again',
        );
      return { harness: harness.name, file, before, after: asBytes(wanted.whole), clean: null };
    }
    const text = asText(before);
    return {
      harness: harness.name,
      file,
      before,
      after: asBytes(withEntries(text, wanted, file)),
      clean:
        text === null || text.trim() === '' ? before : asBytes(withoutEntries(text, wanted, file)),
    };
  });
  const texts = [
    ...planShells(chosen, places),
    ...(places.isUser ? [] : planInstructions(chosen, places, used)),
  ];
  const seen = new Set<string>();
  return [...plans, ...texts].filter(({ file }) => !seen.has(file) && seen.add(file) !== undefined);
}

function planShells(chosen: readonly Harness[], places: Places): readonly FilePlan[] {
  return shellSettingsOf(chosen, places).map((settings): FilePlan => {
    const file = target(settings.file, places);
    const before = read(file);
    checkText(before, file);
    const text = asText(before);
    const clean = text === null ? null : withoutShellSettings(text) || null;
    const after = withShellSettings(text, settings);
    return {
      harness: settings.harness,
      file,
      before,
      after: asBytes(after),
      clean: asBytes(clean),
    };
  });
}

/** Where one of these files takes in another, the block stands in that one alone. */
function planInstructions(
  chosen: readonly Harness[],
  places: Places,
  used: Used,
): readonly FilePlan[] {
  const names = [...new Set(chosen.map(({ instructions }) => instructions))];
  const fileOf = (name: string): string => target(join(places.top, name), places);
  const textOf = (name: string): string => asText(read(fileOf(name))) ?? '';
  return names.map((name): FilePlan => {
    const file = fileOf(name);
    const before = read(file);
    checkText(before, file);
    const text = asText(before);
    const isTakenIn = blockTakenIn(name, textOf, (other) => names.includes(other)) !== null;
    const after = isTakenIn ? withoutInstructions(text ?? '') : withInstructions(text, used);
    const clean = text === null || text === '' ? text : withoutInstructions(text) || null;
    return { harness: 'instructions', file, before, after: asBytes(after), clean: asBytes(clean) };
  });
}

function write(file: string, bytes: string | null): void {
  if (bytes === null) {
    rmSync(file, { force: true });
    // Folders that were made for it go with it.
    for (
      let folder = dirname(file);
      existsSync(folder) && readdirSync(folder).length === 0;
      folder = dirname(folder)
    )
      rmdirSync(folder);
    return;
  }
  mkdirSync(dirname(file), { recursive: true });
  const mode = (lstatSync(file, { throwIfNoEntry: false })?.mode ?? 0o644) & 0o777;
  const draft = `${file}.coord-draft`;
  writeFileSync(draft, bytes, { encoding: 'latin1', mode });
  renameSync(draft, file);
}

/** Under the name of the file, as a name of a file. */
function recordOf(file: string): string {
  return `installed/${encodeURIComponent(file)}`;
}

export function carryOut(repository: Repository, plans: readonly FilePlan[]): void {
  for (const { file, before, after, clean } of plans) {
    if (before === after) continue;
    // The first bytes are the user's; what a second install finds is ours.
    const record = recordIn(repository, file);
    const original = record !== null && record.after === before ? record.before : clean;
    write(file, after);
    writeLocal(
      repository.commonDir,
      recordOf(file),
      JSON.stringify({ file, before: original, after }),
    );
  }
}

function recordIn(
  { commonDir }: Repository,
  file: string,
): { readonly before: string | null; readonly after: string | null } | null {
  try {
    return JSON.parse(readLocal(commonDir, recordOf(file)) ?? 'null') as {
      readonly before: string | null;
      readonly after: string | null;
    } | null;
  } catch {
    return null;
  }
}

/** Of all harnesses, in the project and for the user. */
export function planRemoval(
  repository: Repository,
  places: Omit<Places, 'isUser'>,
  program: Program,
): readonly FilePlan[] {
  const both = [false, true].flatMap((isUser) =>
    harnesses.map((harness) => ({ harness, places: { ...places, isUser } })),
  );
  const known = new Map<string, FilePlan>();
  const add = (
    harness: string,
    file: string,
    structural: (text: string) => string | null,
  ): void => {
    const before = regularText(file, limits.projectFileBytes, 'latin1');
    const record = recordIn(repository, file);
    if (before === null || known.has(file)) return;
    const after =
      record !== null && record.after === before
        ? record.before
        : asBytes(structural(asText(before) ?? ''));
    if (after !== before) known.set(file, { harness, file, before, after, clean: after });
  };
  for (const { harness, places: where } of both) {
    const wanted = wantedAt(harness, where, program);
    const file = harness.file(where);
    add(harness.name, existsSync(file) ? realpathSync(file) : file, (text) =>
      'whole' in wanted
        ? hasOurs(text)
          ? null
          : text
        : isOurs(text)
          ? withoutEntries(text, wanted, file)
          : text,
    );
    for (const { file: shells } of shellSettingsOf([harness], where))
      add(
        harness.name,
        existsSync(shells) ? realpathSync(shells) : shells,
        (text) => withoutShellSettings(text) || null,
      );
    const instructions = join(places.top, harness.instructions);
    add(
      'instructions',
      existsSync(instructions) ? realpathSync(instructions) : instructions,
      (text) => withoutInstructions(text) || null,
    );
  }
  // Whatever else was written from here, wherever that was.
  for (const name of listLocal(repository.commonDir, 'installed')) {
    const file = decodeURIComponent(name);
    add('recorded', file, (text) => text);
  }
  return [...known.values()];
}

export function remove({ commonDir }: Repository, plans: readonly FilePlan[]): void {
  for (const { file, after } of plans) {
    write(file, after);
    dropLocal(commonDir, recordOf(file));
  }
}
