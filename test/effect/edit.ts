/**
 * An edit at the place where a change's lines stand in the present file. Every line that is written
 * names its task, its step and its writer, so that whose it is can be told for good.
 */
import type { Change } from './tasks.ts';

const mark = / ?#~([^~]+)~$/;

export function marked(line: string, writer: string): string {
  return `${line} #~${writer}~`;
}

/** Who wrote this line; null for lines of the beginning. */
export function writerOf(line: string): string | null {
  return mark.exec(line)?.[1] ?? null;
}

function plain(line: string): string {
  return line.replace(mark, '');
}

export interface Edit {
  /** All of the file before and after. */
  readonly seen: string;
  readonly whole: string;
  /** A part that stands in it once, and what takes its place. */
  readonly from: string;
  readonly to: string;
  /** The lines that were taken out, as they stood, and those that were put in. */
  readonly old: readonly string[];
  readonly fresh: readonly string[];
}

/** How many of these lines stand there, counted from the change outwards. */
function alike(
  lines: readonly string[],
  at: number,
  wanted: readonly string[],
  by: 1 | -1,
): number {
  let count = 0;
  while (count < wanted.length) {
    const want = by === 1 ? wanted[count] : wanted[wanted.length - 1 - count];
    const line = lines[at + by * count];
    if (line === undefined || want === undefined || plain(line) !== plain(want)) break;
    count += 1;
  }
  return count;
}

/** Where it is to be made: most lines around it alike, then nearest to where it was made. */
export function placeOf(lines: readonly string[], change: Change): number | null {
  let best: { readonly at: number; readonly score: number } | null = null;
  for (let at = 0; at + change.old.length <= lines.length; at += 1) {
    if (alike(lines, at, change.old, 1) < change.old.length) continue;
    const around =
      alike(lines, at - 1, change.before, -1) +
      alike(lines, at + change.old.length, change.after, 1);
    // Of an insertion the lines around it are all that says where.
    if (around === 0 && (change.old.length === 0 || change.before.length + change.after.length > 0))
      continue;
    const score = around * 1_000_000 - Math.abs(at - change.at);
    if (best === null || score > best.score) best = { at, score };
  }
  return best?.at ?? null;
}

/** Null where the lines do not stand there any more, or not yet. */
export function editOf(seen: string | null, change: Change, writer: string): Edit | null {
  const said = change.fresh.length === 0 ? ['removed'] : change.fresh;
  const fresh = said.map((line) => marked(line, writer));
  if (seen === null || change.isNew) {
    if (seen !== null || !change.isNew) return null;
    const whole = `${fresh.join('\n')}\n`;
    return { seen: '', whole, from: '', to: whole, old: [], fresh };
  }
  const lines = seen.split('\n');
  const at = placeOf(lines, change);
  if (at === null) return null;
  const end = at + change.old.length;
  const old = lines.slice(at, end);
  const whole = [...lines.slice(0, at), ...fresh, ...lines.slice(end)].join('\n');
  for (let room = 0; room <= lines.length; room += 1) {
    const [start, stop] = [Math.max(0, at - room), Math.min(lines.length, end + room)];
    const from = lines.slice(start, stop).join('\n');
    if (from === '' || occurrences(seen, from) !== 1) continue;
    const to = [...lines.slice(start, at), ...fresh, ...lines.slice(end, stop)].join('\n');
    return { seen, whole, from, to, old, fresh };
  }
  return null;
}

export function occurrences(text: string, part: string): number {
  return text.split(part).length - 1;
}
