/** What a session did to a file, taken out of it or put into it again, text by text. */
import { cksum } from '../core/cksum.ts';
import { taken } from '../core/patch-text.ts';
import { isAsWritten, type Known, type Own } from './read-note.ts';

/** So many ways to take them out are tried. */
const mostTries = 200;
const mostPlaces = 4;

/** Is this what the session knows, with nothing but its own changes in it? */
export function isExplained(known: Known, now: Buffer, changedMs: number): boolean {
  const { own } = known;
  // Whatever wrote the file since: if none of its own changes is in it, they have been undone.
  const isOlder = own.length === 0 || changedMs < known.atMs;
  let tries = 0;
  const leads = (bytes: Buffer, left: number, isUndone: boolean): boolean => {
    const last = own[left - 1];
    tries += 1;
    if (tries > mostTries) return false;
    if (last === undefined) return (isUndone || isOlder) && cksum(bytes) === known.sum;
    if (last.kind === 'wrote')
      return isAsWritten(last, bytes, changedMs) || leads(bytes, left - 1, isUndone);
    return (
      without(bytes.toString('latin1'), last).some((text) =>
        leads(Buffer.from(text, 'latin1'), left - 1, true),
      ) || leads(bytes, left - 1, isUndone)
    );
  };
  return leads(now, own.length, false);
}

type Replace = Extract<Own, { readonly kind: 'replace' }>;

/** Bytes, whatever they mean. */
function bytesOf(text: string): string {
  return Buffer.from(text).toString('latin1');
}

/** The text before such a change, for each place where it may have been made. */
function without(text: string, { from, to, all }: Replace): readonly string[] {
  const [was, is] = [bytesOf(from), bytesOf(to)];
  if (is === '' || !text.includes(is)) return [];
  if (all) return [text.replaceAll(is, () => was)];
  const found: string[] = [];
  for (
    let at = text.indexOf(is);
    at >= 0 && found.length < mostPlaces;
    at = text.indexOf(is, at + 1)
  )
    found.push(text.slice(0, at) + was + text.slice(at + is.length));
  return found;
}

/**
 * What the session thinks is there: of what it has read or written, as one of these has it, with its
 * edits since. Null where none of them has.
 */
export function expected(known: Known, contents: readonly Buffer[]): string | null {
  const lastWritten = known.own.findLastIndex(({ kind }) => kind === 'wrote');
  const written = known.own[lastWritten];
  const sum = written?.kind === 'wrote' ? written.sum : known.sum;
  const start = contents.find((content) => cksum(content) === sum);
  if (start === undefined) return null;
  let text = start.toString('latin1');
  for (const one of known.own.slice(lastWritten + 1)) {
    if (one.kind !== 'replace') continue;
    const bytes = { ...one, from: bytesOf(one.from), to: bytesOf(one.to) };
    const [from, to] = [taken(text, bytes), bytes.to];
    text = one.all ? text.replaceAll(from, () => to) : text.replace(from, () => to);
  }
  return Buffer.from(text, 'latin1').toString('utf8');
}
