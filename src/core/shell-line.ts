/** Commands as a shell reads them back, on one line whatever is in them. */
import { escapeHarmful, isHarmless } from './harmless.ts';

/**
 * One argument as a shell reads it back: what no terminal may get raw by its number, as bash, zsh
 * and ksh know it.
 */
export function shellQuote(argument: string): string {
  if (/^[A-Za-z0-9_@%+=:,./-]+$/.test(argument)) return argument;
  if (isHarmless(argument)) return `'${argument.replaceAll("'", "'\\''")}'`;
  return `$'${escapeHarmful(argument.replace(/[\\']/g, '\\$&'), numbered)}'`;
}

const short: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** With all digits that may stand there, so that what comes after it is not read as one more. */
function numbered(char: string): string {
  const code = (char.codePointAt(0) ?? 0).toString(16);
  return (
    short[char] ?? (code.length > 4 ? `\\U${code.padStart(8, '0')}` : `\\u${code.padStart(4, '0')}`)
  );
}

export function shellLine(...args: readonly string[]): string {
  return args.map(shellQuote).join(' ');
}
