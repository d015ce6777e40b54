/**
 * Lines that are broken between words, where a terminal would break them anywhere. What is to be
 * copied stays whole: text in backquotes, and commands.
 */
import { widthOf } from './width.ts';

/** A command that ends a sentence, as in `run it once: coord doctor`. */
const named = '(?<=: )(?:coord|git|eval|unset) (?:[^;,)]|[;,)](?! |$))+[;,)]*';
const words = new RegExp(`( *)((?:${named}|\`[^\`]*\`|[^ ])+)`, 'g');

/** The first line with `first` before it, the others with `others`. */
export function wrapped(
  text: string,
  width: number,
  first = '',
  others: string = first,
): readonly string[] {
  const lines: string[] = [];
  let line = '';
  let room = width - first.length;
  for (const [, gap = '', word = ''] of text.matchAll(words)) {
    const longer = line === '' ? word : line + gap + word;
    if (line === '' || widthOf(longer) <= room) line = longer;
    else {
      lines.push(line);
      line = word;
      room = width - others.length;
    }
  }
  return [...lines, line].map((one, i) => (i === 0 ? first : others) + one);
}

const command = /^ *(next|try|then):|^ +(\$ |coord |git |eval |unset |[A-Z_]+=)/;

/** A line that is further in from its second line on. */
export function hanging(line: string, width: number): readonly string[] {
  if (widthOf(line) <= width || command.test(line)) return [line];
  const lead = /^ */.exec(line)?.[0] ?? '';
  return wrapped(line.slice(lead.length), width, lead, `${lead}  `);
}
