/** Lines of ours in a text that is somebody else's, between two marks. */

export interface Marks {
  readonly begin: string;
  readonly end: string;
}

/** As they have to be now, where they stand already or else at the end. */
export function withBlock(text: string | null, { begin, end }: Marks, lines: string): string {
  const whole = `${begin}\n${lines}\n${end}\n`;
  if (text === null || text === '') return whole;
  const [from, to] = [text.indexOf(begin), text.indexOf(end)];
  if (from >= 0 && to >= from)
    return `${text.slice(0, from)}${whole}${text.slice(to + end.length).replace(/^\n/, '')}`;
  return `${text}${text.endsWith('\n') ? '' : '\n'}${text.endsWith('\n\n') ? '' : '\n'}${whole}`;
}

export function withoutBlock(text: string, { begin, end }: Marks): string {
  const [from, to] = [text.indexOf(begin), text.indexOf(end)];
  if (from < 0 || to < from) return text;
  const before = text.slice(0, from).replace(/\n\n$/, '\n');
  return `${before}${text.slice(to + end.length).replace(/^\n/, '')}`;
}
