/** Runs one of git's test scripts in one mode, and reads what it said; several at a time. */
import { spawn } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Finding, findWords } from './findings.ts';
import type { Mode } from './modes.ts';
import { environmentOf, type Place, rootOf } from './place.ts';
import { parseTap, type Subtest, sections } from './tap.ts';

export interface Work {
  readonly mode: Mode;
  readonly script: string;
}

export interface Result extends Work {
  readonly seconds: number;
  readonly subtests: readonly Subtest[];
  /** Why it did not come to its end, or null. */
  readonly cut: string | null;
  readonly findings: readonly Finding[];
  /** Sessions that could not be started. */
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

export async function runScript(
  place: Place,
  mode: Mode,
  script: string,
  mostSeconds: number,
): Promise<Result> {
  const folder = join(place.run, mode);
  const root = rootOf(place, mode);
  mkdirSync(folder, { recursive: true });
  mkdirSync(root, { recursive: true });
  const started = process.hrtime.bigint();
  const { code, isLate } = await runShell(place, { mode, script }, mostSeconds);
  const seconds = Number(process.hrtime.bigint() - started) / 1e9;
  const text = (name: string): string => {
    return existsSync(join(folder, name)) ? readFileSync(join(folder, name), 'utf8') : '';
  };
  const said = text(`${script}.tap`);
  const log = sections(text(`test-results/${script}.out`));
  const findings = findWords(log, text(`${script}.trace`));
  // It has every git that coord has started: megabytes that nobody reads.
  rmSync(join(folder, `${script}.trace`), { force: true });
  rmSync(join(root, `trash directory.${script}`), { recursive: true, force: true });
  const notes = text(`${script}.notes`)
    .split('\n')
    .filter((line) => line !== '');
  const cut = isLate
    ? `ended after ${mostSeconds} s`
    : /^1\.\.\d+/m.test(said)
      ? null
      : `ended with exit ${code} before its end`;
  return { mode, script, seconds, subtests: parseTap(said), cut, findings, notes };
}

interface Ending {
  readonly code: number;
  readonly isLate: boolean;
}

function runShell(place: Place, { mode, script }: Work, mostSeconds: number): Promise<Ending> {
  const out = openSync(join(place.run, mode, `${script}.tap`), 'w');
  const args = [`./${script}.sh`, `--root=${rootOf(place, mode)}`, '--verbose-log'];
  const child = spawn('/bin/sh', args, {
    cwd: place.tests,
    env: environmentOf(place, mode, script),
    stdio: ['ignore', out, out],
    // A group of its own can be ended as a whole.
    detached: true,
  });
  closeSync(out);
  return new Promise((resolve, reject) => {
    const { pid = 0 } = child;
    if (pid !== 0) running.add(pid);
    let isLate = false;
    const limit = setTimeout(() => {
      isLate = true;
      if (pid !== 0) end(pid);
    }, mostSeconds * 1000);
    child.on('error', reject);
    child.on('close', (code) => {
      clearTimeout(limit);
      running.delete(pid);
      resolve({ code: code ?? 128, isLate });
    });
  });
}

/** So many at a time, in the order given. */
export async function runAll(
  works: readonly Work[],
  jobs: number,
  run: (work: Work) => Promise<Result>,
  told: (result: Result, left: number) => void,
): Promise<readonly Result[]> {
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
