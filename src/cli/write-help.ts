/** Writes the help of all verbs and families, as a step of the build. */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { allVerbs } from './all-verbs.ts';
import { fullWidth, helpFile } from './help.ts';
import { installed } from './installed.ts';
import { explain } from './main.ts';
import { familiesOf } from './verb.ts';

const asked = [
  [],
  ...allVerbs.map(({ words }) => [...words]),
  ...[...familiesOf(allVerbs)].map(([family]) => [family]),
];
const file = join(installed(), helpFile);
// Or it would be read.
rmSync(file, { force: true });
const texts: [string, string][] = [];
for (const words of asked) {
  const explained = await explain([...words, '--help'], process.env, fullWidth);
  if (explained.kind === 'help') texts.push([words.join(' '), explained.text]);
}
writeFileSync(file, JSON.stringify(Object.fromEntries(texts)));
