/**
 * The figures that were measured last on this machine: each measurement keeps its own under its
 * name, and `npm run figures` prints all of them beside their targets.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Figure {
  readonly what: string;
  readonly measured: string;
  readonly target: string;
}

export interface Kept {
  readonly source: string;
  /** When it was measured, as an ISO time. */
  readonly at: string;
  readonly figures: readonly Figure[];
}

/** Below the current folder, which is the top of the repository for every script of npm. */
const folder = (): string => join(process.cwd(), '.figures');

export function keepFigures(source: string, figures: readonly Figure[]): void {
  mkdirSync(folder(), { recursive: true });
  const kept: Kept = { source, at: new Date().toISOString(), figures };
  writeFileSync(join(folder(), `${source}.json`), `${JSON.stringify(kept, null, 1)}\n`);
}

export function keptFigures(): readonly Kept[] {
  let names: readonly string[];
  try {
    names = readdirSync(folder());
  } catch {
    return [];
  }
  return names
    .filter((name) => name.endsWith('.json'))
    .map((name) => JSON.parse(readFileSync(join(folder(), name), 'utf8')) as Kept);
}
