/**
 * A text as its lines, each with the newline that ends it, so that joined again they are the text
 * to the byte; a last line without one is another line than the same with one.
 */

export type Lines = readonly string[];

export function split(text: string): Lines {
  const lines = text.split('\n').map((line) => `${line}\n`);
  const last = lines.pop() ?? '\n';
  return last === '\n' ? lines : [...lines, last.slice(0, -1)];
}

export function sameLines(a: Lines, b: Lines): boolean {
  return a.length === b.length && a.every((line, i) => line === b[i]);
}
