/** The lines that the walk follows: each is unique in the world and names who wrote it. */

export function lineOf(author: string, number: number): string {
  return `${author} wrote ${String(number).padStart(6, '0')}`;
}

export function linesIn(text: string): readonly string[] {
  return text.match(/\b[a-z]+ wrote \d{6}\b/g) ?? [];
}

export function authorOf(line: string): string {
  return line.slice(0, line.indexOf(' '));
}

/** A conflict is settled by keeping both sides, so that nothing that anybody wrote is dropped. */
export function bothSides(text: string): string {
  return text
    .split('\n')
    .filter((line) => !/^(<{7}|={7}|>{7}|\|{7})( |\r?$)/.test(line))
    .join('\n');
}
