/** The source as text, for rules that it has to keep. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export const sourceFolder: string = join(import.meta.dirname, '../../src');

/** Each file of the program below this folder. */
export function sources(folder: string = sourceFolder): readonly string[] {
  return readdirSync(folder, { recursive: true })
    .map(String)
    .filter((name) => name.endsWith('.ts'))
    .map((name) => readFileSync(join(folder, name), 'utf8'));
}
