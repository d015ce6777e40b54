/** Lines that are broken between words, where a terminal would break them anywhere. */

/** Each line with this before it. */
export function wrapped(text: string, width: number, indent = ''): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && indent.length + line.length + 1 + word.length > width) {
      lines.push(indent + line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, indent + line];
}

/** Further in from its second line on. What is to be copied stays whole. */
export function hanging(line: string, width: number): readonly string[] {
  if (line.length <= width || /^ *(next|try|then):/.test(line)) return [line];
  const lead = /^ */.exec(line)?.[0] ?? '';
  const lines: string[] = [];
  for (let rest = line, before = ''; ; before = `${lead}  `) {
    const room = width - before.length;
    const end = rest.length <= room ? -1 : rest.lastIndexOf(' ', room);
    if (end <= lead.length) return [...lines, before + rest];
    lines.push(before + rest.slice(0, end).trimEnd());
    rest = rest.slice(end).trimStart();
  }
}
