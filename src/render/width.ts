/**
 * How many columns of a terminal a text takes, and cutting it to so many: wide characters take two,
 * what joins the one before takes none, and nothing is cut in two that is read as one.
 */

const plain = /^[ -~]*$/;
const nothing = /^[\p{Mn}\p{Me}\p{Cf}]+$/u;
const wide =
  /^(?:[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{16fe0}-\u{18cff}\u{1b000}-\u{1b2ff}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}|\p{Emoji}\ufe0f)/u;

let segmenter: Intl.Segmenter | null = null;

/** What is read as one character each. */
function graphemes(text: string): readonly string[] {
  if (plain.test(text)) return [...text];
  segmenter ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' });
  return [...segmenter.segment(text)].map(({ segment }) => segment);
}

function widthOfOne(grapheme: string): number {
  return nothing.test(grapheme) ? 0 : wide.test(grapheme) ? 2 : 1;
}

export function widthOf(text: string): number {
  return plain.test(text)
    ? text.length
    : graphemes(text).reduce((sum, one) => sum + widthOfOne(one), 0);
}

/** As many of them as fit, in their order. */
function fitting(all: readonly string[], columns: number): number {
  let used = 0;
  const end = all.findIndex((one) => (used += widthOfOne(one)) > columns);
  return end < 0 ? all.length : end;
}

/** Its beginning, as far as it fits. */
export function cutTo(text: string, columns: number): string {
  if (plain.test(text)) return text.slice(0, Math.max(0, columns));
  const all = graphemes(text);
  return all.slice(0, fitting(all, columns)).join('');
}

/** With `…` for its end. */
export function cutEnd(text: string, columns: number): string {
  return widthOf(text) <= columns ? text : `${cutTo(text, columns - 1).trimEnd()}…`;
}

/** With `…` for its middle, where names differ least. */
export function cutMiddle(text: string, columns: number): string {
  if (widthOf(text) <= columns) return text;
  const head = Math.ceil((columns - 1) / 2);
  const back = graphemes(text).toReversed();
  const tail = back.slice(0, fitting(back, columns - 1 - head)).toReversed();
  return `${cutTo(text, head)}…${tail.join('')}`;
}

export function padEnd(text: string, columns: number): string {
  return text + ' '.repeat(Math.max(0, columns - widthOf(text)));
}
