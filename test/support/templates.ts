/**
 * Repositories that begin alike are made once in a run of the tests, by whoever needs one first,
 * and are copied from then on: that takes a tenth of the time of making one.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { join } from 'node:path';

/** Null outside a run of the tests. */
export function runFolder(): string | null {
  return process.env['COORD_TEST_RUN'] ?? null;
}

/** Fills this new home with what `make` puts into one, as if it had been called here. */
export function fromTemplate(key: string, home: string, make: (home: string) => void): void {
  const run = runFolder();
  if (run === null) {
    make(home);
    return;
  }
  const name = createHash('sha256').update(key).digest('hex').slice(0, 16);
  const template = join(run, `template-${name}`);
  if (!existsSync(template)) prepare(run, template, make);
  cpSync(template, home, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true });
}

/** Two workers may come at once: then the second keeps what the first has made. */
function prepare(run: string, template: string, make: (home: string) => void): void {
  const draft = mkdtempSync(join(run, 'draft-'));
  make(draft);
  for (const name of filesIn(draft)) {
    if (name.endsWith('.sample')) rmSync(join(draft, name));
    // In a copy it would lead back here.
    else if (readFileSync(join(draft, name)).includes(draft))
      throw new Error(`${name} holds its own path`);
  }
  try {
    renameSync(draft, template);
  } catch (error) {
    if (!existsSync(template)) throw error;
    rmSync(draft, { recursive: true });
  }
}

function filesIn(folder: string): readonly string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => {
      return join(parentPath, name).slice(folder.length + 1);
    });
}

/** What a copied index knows of its files is about others: git looks once, as after any copy. */
export function refreshIndex(top: string, env: Readonly<Record<string, string>>): void {
  execFileSync('git', ['update-index', '-q', '--refresh'], { cwd: top, env });
}
