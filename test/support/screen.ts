/** Screens of a terminal, made comparable: by their words, their paint and the width of columns. */

const painting = /\u001b\[([\d;]*)m/g;

export function plain(painted: string): string {
  return painted.replace(painting, '');
}

/** Which of what is on after these codes. */
function after(on: readonly string[], codes: string): readonly string[] {
  return (codes === '' ? '0' : codes).split(';').reduce<readonly string[]>((now, code) => {
    if (code === '0') return [];
    if (code === '39' || code === '49') return now.filter((one) => !/^[39]\d$/.test(one));
    if (code === '22') return now.filter((one) => one !== '1' && one !== '2');
    return [...now.filter((one) => one !== code), code];
  }, on);
}

/** Each change of paint as `‹codes›`, at the first character that is painted so. */
function inTags(painted: string): string {
  let on: readonly string[] = [];
  let shown = '';
  let text = '';
  for (const [part, codes, char = ''] of painted.matchAll(/\u001b\[([\d;]*)m|([^])/gu)) {
    if (codes !== undefined) {
      on = after(on, codes);
      continue;
    }
    const tag = [...on].sort().join(';');
    if (char.trim() !== '' && tag !== shown) {
      text += `‹${tag}›`;
      shown = tag;
    }
    text += part;
  }
  return text;
}

/** Of a duration that has more digits, the room that it takes from the gap behind it is given back. */
function withDurations(line: string): string {
  let longer = 0;
  return line.replace(
    /\b(\d+)(?=(?:m|s|h|ms)\b)| {2,}/g,
    (found: string, digits: string | undefined) => {
      if (digits === undefined) {
        const gap = found + ' '.repeat(longer);
        longer = 0;
        return gap;
      }
      longer += digits.length - 1;
      return '0';
    },
  );
}

/** Ids and times are others each time; all else is compared, and how wide it is. */
export function alike(painted: string): string {
  return inTags(painted)
    .replace(/\b[0-9a-z]{8}(?=\))/g, '<id...>')
    .replace(/(?<=^(?:‹[\d;]*›)?)[0-9a-z]{8}(?=(?:‹[\d;]*›)? {2})/gm, '<id...>')
    .replace(/(?<=\b(?:lease|explain) )[0-9a-z]{8}\b/g, '<id...>')
    .replace(/\b\d{4}-\d\d-\d\d[ T]\d\d(?::\d\d){0,2}Z?/g, (time) => time.replace(/\d/g, '0'))
    .split('\n')
    .map((line) => withDurations(line).trimEnd())
    .join('\n');
}
