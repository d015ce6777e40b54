/** Runs one of git's test scripts in one mode, and reads what it said; many at a time. */
import { spawn } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { findWords, type Finding } from './findings.ts';
import { environmentOf, type Mode, type Place } from './modes.ts';
import { parseTap, sections, type Subtest } from './tap.ts';

export interface Result {
  readonly mode: Mode;
  readonly script: string;
  readonly seconds: number;
  readonly subtests: readonly Subtest[];
  /** Why it did not come to its end, or null. */
  readonly cut: string | null;
  readonly findings: readonly Finding[];
  /** Sessions that could not be started, and the like. */
  readonly notes: readonly string[];
}

const running = new Set<number>();

/** Ends every script that is still running, with all that it has started. */
export function endAll(): void {
  for (const pid of running) end(pid);
}

function end(pid: number): void {
  try {
    process.kill(-pid, 'SIGTERM');
  } catch {
    // It has ended by itself.
  }
}

export async function runScript(place: Place, mode: Mode, script: string, mostSeconds: number): Promise<Result> {
  const folder = join(place.run, mode);
  const root = join(place.root, mode);
  mkdirSync(folder, { recursive: true });
  mkdirSync(root, { recursive: true });
  const started = process.hrtime.bigint();
  const { code, late } = await runShell(place, mode, script, mostSeconds);
  const seconds = Number(process.hrtime.bigint() - started) / 1e9;
  const text = (name: string): string => existsSync(name) ? readFileSync(name, 'utf8') : '';
  const said = text(join(folder, `${script}.tap`));
  const trace = join(folder, `${script}.trace`);
  const findings = findWords(sections(text(join(folder, 'test-results', `${script}.out`))), text(trace));
  // Every call of git by coord is in it: megabytes that nobody reads.
  rmSync(trace, { force: true });
  rmSync(join(root, `trash directory.${script}`), { recursive: true, force: true });
  const notes = text(join(folder, `${script}.notes`)).split('\n').filter((line) => line !== '');
  const isWhole = /^1\.\.\d+/m.test(said);
  const cut = late ? `ended after ${mostSeconds} s` : isWhole ? null : `ended with exit ${code} before its end`;
  return { mode, script, seconds, subtests: parseTap(said), cut, findings, notes };
}

interface Ending {
  readonly code: number;
  readonly late: boolean;
}

function runShell(place: Place, mode: Mode, script: string, mostSeconds: number): Promise<Ending> {
  const out = openSync(join(place.run, mode, `${script}.tap`), 'w');
  const args = [`./${script}.sh`, `--root=${join(place.root, mode)}`, '--verbose-log'];
  const child = spawn('/bin/sh', args, {
    cwd: place.tests, env: environmentOf(place, mode, script), stdio: ['ignore', out, out], detached: true,
  });
  closeSync(out);
  return new Promise((resolve, reject) => {
    const { pid } = child;
    if (pid !== undefined) running.add(pid);
    let late = false;
    const limit = setTimeout(() => {
      late = true;
      if (pid !== undefined) end(pid);
    }, mostSeconds * 1000);
    child.on('error', reject);
    child.on('close', (code) => {
      clearTimeout(limit);
      if (pid !== undefined) running.delete(pid);
      resolve({ code: code ?? 128, late });
    });
  });
}

export interface Work {
  readonly mode: Mode;
  readonly script: string;
}

/** So many at a time, in the order given. */
export async function runAll(works: readonly Work[], jobs: number, run: (work: Work) => Promise<Result>, told: (result: Result, left: number) => void): Promise<readonly Result[]> {
  const results: Result[] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let work = works[next++]; work !== undefined; work = works[next++]) {
      const result = await run(work);
      results.push(result);
      told(result, works.length - results.length);
    }
  };
  await Promise.all(Array.from({ length: jobs }, worker));
  return results;
}
