/**
 * Text that came from somebody else, made fit to show: no control character, no C1, no bidi
 * override reaches a terminal, and JSON stays JSON.
 */
const harmful =
  /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]|\u{e0001}|[\u{e0020}-\u{e007f}]/gu;

function codeOf(char: string): number {
  return char.codePointAt(0) ?? 0;
}

/** Every such character as whoever reads it wants it written. */
export function escapeHarmful(text: string, spell: (char: string) => string): string {
  return text.replace(harmful, spell);
}

/** For people: every such character is shown by its number. */
export function harmless(text: string): string {
  return escapeHarmful(text, (char) => `\\u{${codeOf(char).toString(16)}}`);
}

export function isHarmless(text: string): boolean {
  return text.search(harmful) < 0;
}

/** One line of JSON in which every such character is escaped. */
export function toJson(value: unknown): string {
  return JSON.stringify(value).replace(harmful, (char) =>
    [...Array(char.length).keys()]
      .map((i) => `\\u${char.charCodeAt(i).toString(16).padStart(4, '0')}`)
      .join(''),
  );
}

/** At most `max` characters, cut in the middle, where names differ least. */
export function shorten(text: string, max: number): string {
  if (text.length <= max) return text;
  const head = Math.ceil((max - 1) / 2);
  return `${text.slice(0, head)}…${text.slice(text.length - (max - 1 - head))}`;
}
