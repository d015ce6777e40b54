/**
 * What a tool is about to do to a file, computed before it does: where its text says what stands
 * there now, only those lines are compared, so that of lines that stand there often the right one
 * is meant.
 */
import { type Change, taken } from '../patch-text.ts';
import { type Edit, editsBetween } from './change.ts';
import { edited } from './settle.ts';
import { type Lines, split } from './split.ts';

/** Edits of the file as the ones before have left it; null where they cannot be known. */
export function planned(
  file: Lines,
  changes: readonly Change[],
): readonly (readonly Edit[])[] | null {
  const steps: (readonly Edit[])[] = [];
  let now = file;
  for (const change of changes) {
    const places =
      change.kind === 'whole' ? [editsBetween(now, split(change.text))] : replaced(now, change);
    if (places === null) return null;
    for (const edits of places) {
      steps.push(edits);
      now = edited(now, edits);
    }
  }
  return changes.length === 0 ? null : steps;
}

/** Null where the text is not there, or twice though one place is meant. */
function replaced(
  file: Lines,
  change: Extract<Change, { readonly kind: 'replace' }>,
): readonly (readonly Edit[])[] | null {
  const text = file.join('');
  const { from, to, all } = change;
  const found = placesOf(text, from);
  if (found.length === 0 || (found.length > 1 && !all)) return null;
  const gone = taken(text, change);
  // From the end, so that the places before it stay where they are.
  return placesOf(text, gone)
    .reverse()
    .map((at) => inWindow(text, at, gone.length, to));
}

function placesOf(text: string, from: string): number[] {
  const found: number[] = [];
  for (let at = text.indexOf(from); at >= 0; at = text.indexOf(from, at + from.length))
    found.push(at);
  return found;
}

/** The lines that the text stands on, against what they become. */
function inWindow(text: string, at: number, length: number, to: string): readonly Edit[] {
  const start = at === 0 ? 0 : text.lastIndexOf('\n', at - 1) + 1;
  const until = at + length;
  const head = text.slice(start, at) + to;
  const isWhole = (head === '' || head.endsWith('\n')) && text[until - 1] === '\n';
  const next = text.indexOf('\n', until);
  const end = isWhole ? until : next < 0 ? text.length : next + 1;
  const before = split(text.slice(start, end));
  const line = split(text.slice(0, start)).length;
  return editsBetween(before, split(head + text.slice(until, end))).map((edit) => ({
    ...edit,
    start: edit.start + line,
    end: edit.end + line,
  }));
}
