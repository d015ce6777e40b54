/**
 * Times and ratios: everything in one run, interleaved, so that a busy machine slows all rows
 * alike.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';

export type { Figure } from '../figures/kept.ts';

export function quantile(values: readonly number[], q: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? Number.NaN;
}

export const median = (values: readonly number[]): number => quantile(values, 0.5);

export interface Command {
  readonly name: string;
  readonly args: readonly string[];
  /** Undoes what the command did, untimed. */
  readonly after?: readonly string[];
}

/** Runs every command once a round; returns its times in milliseconds. */
export function interleaved(
  commands: readonly Command[],
  rounds: number,
  cwd: string,
  env: NodeJS.ProcessEnv,
): ReadonlyMap<string, readonly number[]> {
  const times = new Map<string, number[]>(commands.map(({ name }) => [name, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (const { name, args, after } of commands) {
      const fill = (words: readonly string[]): string[] =>
        words.map((word) => word.replace('%n', String(round)));
      const started = performance.now();
      spawnSync(process.execPath, fill(args), { cwd, env });
      times.get(name)?.push(performance.now() - started);
      if (after !== undefined) spawnSync(process.execPath, fill(after), { cwd, env });
    }
  }
  return times;
}

export function timed(work: () => void): number {
  const started = performance.now();
  work();
  return performance.now() - started;
}

export function ended(child: ChildProcess): Promise<number> {
  return new Promise((resolve) => child.on('close', (code) => resolve(code ?? -1)));
}

/** Starts so many processes at once and waits for all; returns the wall time and the exit codes. */
export async function atOnce(
  count: number,
  args: (i: number) => readonly string[],
  cwd: string,
  env: NodeJS.ProcessEnv,
): Promise<{ readonly ms: number; readonly codes: readonly number[] }> {
  const started = performance.now();
  const children = Array.from({ length: count }, (_, i) =>
    spawn(process.execPath, [...args(i)], { cwd, env, stdio: 'ignore' }),
  );
  const codes = await Promise.all(children.map(ended));
  return { ms: performance.now() - started, codes };
}

export function jain(shares: readonly number[]): number {
  const sum = shares.reduce((a, b) => a + b, 0);
  return sum ** 2 / (shares.length * shares.reduce((a, b) => a + b ** 2, 0));
}

export function ratio(value: number): string {
  return `${value.toFixed(2)} x`;
}
