/** Markdown as plain text: tables whose cells cannot break them. */

export const note =
  '<!-- Written by `npm run reference` from the code; a change belongs there. -->';

export function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ');
}

export function table(
  head: readonly string[],
  rows: readonly (readonly string[])[],
): readonly string[] {
  return rows.length === 0
    ? []
    : [
        `| ${head.join(' | ')} |`,
        `|${head.map(() => '---').join('|')}|`,
        ...rows.map((row) => `| ${row.map(cell).join(' | ')} |`),
      ];
}

/** Words as code, in a cell as well. */
export function code(text: string): string {
  return text === '' ? '' : `\`${text}\``;
}

export function fence(language: string, lines: readonly string[]): readonly string[] {
  return [`\`\`\`${language}`, ...lines, '```'];
}

/** Parts with an empty line between them. */
export function page(title: string, parts: readonly (string | readonly string[])[]): string {
  return `${[`# ${title}`, note, ...parts.filter((part) => part.length > 0).map((part) => (typeof part === 'string' ? part : part.join('\n')))].join('\n\n')}\n`;
}

/** As GitHub names a heading. */
export function anchor(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^a-z0-9 _-]/g, '')
    .replaceAll(' ', '-');
}
