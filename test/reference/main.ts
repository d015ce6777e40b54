/** `npm run reference`: writes the pages, the manual and the schemas from the code itself. */
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { documents, folders } from './documents.ts';

const all = documents();
for (const folder of folders) {
  mkdirSync(folder, { recursive: true });
  for (const name of readdirSync(folder).map((file) => join(folder, file)))
    if (!all.has(name)) rmSync(name, { recursive: true });
}
for (const [path, text] of all) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text, { mode: text.startsWith('#!') ? 0o755 : 0o644 });
}
process.stdout.write(`${all.size} files in ${folders.join(', ')}\n`);
