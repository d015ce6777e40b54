/**
 * Help as it is rendered for a page of full width, written when coord is built: yargs takes longer
 * to load and to draw it than anything else that coord does.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { installed } from './installed.ts';

export const fullWidth = 100;

export const helpFile: string = join('dist', 'help.json');

/** The verb or family whose help is asked for and nothing else; '' for that of coord; else null. */
export function helpAsked(argv: readonly string[]): string | null {
  const isHelp = (word: string): boolean => word === '--help' || word === '-h';
  const words = argv.filter((word) => !isHelp(word) && word !== '--json');
  return words.length === 0 || argv.some(isHelp) ? words.join(' ') : null;
}

/** Null where it has to be drawn. */
export function writtenHelp(asked: string | null, columns: number): string | null {
  if (asked === null || columns < fullWidth) return null;
  try {
    const texts = JSON.parse(readFileSync(join(installed(), helpFile), 'utf8')) as Readonly<
      Record<string, string>
    >;
    return Object.hasOwn(texts, asked) ? (texts[asked] ?? null) : null;
  } catch {
    return null;
  }
}
