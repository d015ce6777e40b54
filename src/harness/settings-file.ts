/**
 * Coord's entries in a settings file of somebody else: put in without touching another byte, and
 * taken out again. Where nobody has changed the file since, taking out gives back the very bytes it
 * had.
 */
import {
  applyEdits,
  type FormattingOptions,
  type JSONPath,
  modify,
  type ParseError,
  parse,
} from 'jsonc-parser';
import type { Wanted } from '../adapter/harness.ts';
import { CoordError } from '../core/errors.ts';

function parsedValue(text: string, file: string): unknown {
  const errors: ParseError[] = [];
  const value: unknown =
    text.trim() === '' ? {} : parse(text, errors, { allowTrailingComma: true });
  if (errors.length > 0 || typeof value !== 'object' || value === null || Array.isArray(value))
    throw new CoordError(
      'not_writable',
      `'${file}' is no JSON object, so nothing is added to it`,
      'mend it, then coord install again',
    );
  return value;
}

function at(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (inner, key) =>
      typeof inner === 'object' && inner !== null
        ? (inner as Readonly<Record<string, unknown>>)[key]
        : undefined,
    value,
  );
}

/** As the file itself is indented. */
function formatOf(text: string): FormattingOptions {
  const indent = /^([ \t]+)\S/m.exec(text)?.[1] ?? '  ';
  return {
    insertSpaces: !indent.startsWith('\t'),
    tabSize: indent.startsWith('\t') ? 1 : indent.length,
    eol: text.includes('\r\n') ? '\r\n' : '\n',
  };
}

function changed(text: string, path: JSONPath, value: unknown, isArrayInsertion = false): string {
  return applyEdits(
    text,
    modify(text, path, value, { formattingOptions: formatOf(text), isArrayInsertion }),
  );
}

/** With the places of one machine in it, as coord wrote it into the files of projects until 0.2. */
const former = /\/hooks\/agent-hook'? [a-z]+ [a-z]+(-[a-z]+)?;|\/dist\/coord\.cjs'? statusline"/;

/** An entry is ours if a command in it runs coord. */
export function isOurs(entry: unknown): boolean {
  const text = JSON.stringify(entry ?? null);
  return /\bgit coord-hook [a-z]+/.test(text) || former.test(text);
}

/** A field that only the command tells from what is wanted, which is ours too. */
function isOurField(known: unknown, wanted: unknown): boolean {
  const renewed =
    isOurs(known) && typeof known === 'object' && known !== null && typeof wanted === 'object'
      ? { ...known, command: at(wanted, ['command']) }
      : known;
  return JSON.stringify(renewed) === JSON.stringify(wanted);
}

/** Is it a file of coord's, or one with entries of coord's? */
export function hasOurs(text: string): boolean {
  return text.includes('Made by coord install') || isOurs(text);
}

/** Does it work on this machine alone? */
export function isOfOneMachine(text: string): boolean {
  return former.test(text) || /"shim":"/.test(text);
}

export function withEntries(text: string | null, wanted: Wanted, file: string): string {
  // Entries of an earlier version go first.
  let now = text === null || text.trim() === '' ? '{}\n' : withoutEntries(text, wanted, file);
  for (const { list, value } of wanted.entries) {
    const known = at(parsedValue(now, file), list);
    if (known !== undefined && !Array.isArray(known))
      throw new CoordError(
        'not_writable',
        `'${list.join('.')}' in '${file}' is no list`,
        'mend it, then coord install again',
      );
    now =
      known === undefined
        ? changed(now, [...list], [value])
        : changed(now, [...list, known.length], value, true);
  }
  for (const { path, value } of wanted.fields)
    if (at(parsedValue(now, file), path) === undefined) now = changed(now, [...path], value);
  return now;
}

/** Without our entries, and without what is left empty by that. */
export function withoutEntries(text: string, wanted: Wanted, file: string): string {
  let now = text;
  const lists = [...new Set(wanted.entries.map(({ list }) => list.join('\0')))].map((list) =>
    list.split('\0'),
  );
  for (const list of lists) {
    const known = at(parsedValue(now, file), list);
    if (!Array.isArray(known) || !known.some(isOurs)) continue;
    for (let i = known.length - 1; i >= 0; i -= 1) {
      if (!isOurs(known[i])) continue;
      // A user may have put a hook beside ours.
      const beside = at(known[i], ['hooks']);
      if (!Array.isArray(beside) || beside.every(isOurs))
        now = changed(now, [...list, i], undefined);
      else
        for (let k = beside.length - 1; k >= 0; k -= 1)
          if (isOurs(beside[k])) now = changed(now, [...list, i, 'hooks', k], undefined);
    }
    for (let depth = list.length; depth > 0; depth -= 1) {
      const holder = at(parsedValue(now, file), list.slice(0, depth));
      if (typeof holder === 'object' && holder !== null && Object.keys(holder).length === 0)
        now = changed(now, list.slice(0, depth), undefined);
    }
  }
  for (const { path, value } of wanted.fields) {
    if (isOurField(at(parsedValue(now, file), path), value))
      now = changed(now, [...path], undefined);
  }
  return now;
}
