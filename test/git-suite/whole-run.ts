/**
 * One run of the suite: its folders, all scripts in all modes, what they gave, kept as it comes.
 */
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { type Mode, modes } from './modes.ts';
import { copyCoord, type Place, prepareWrappers } from './place.ts';
import type { Run } from './report.ts';
import { endAll, type Result, runAll, runScript, type Work } from './run.ts';
import { longestFirst } from './scripts.ts';
import { prepareSeeds } from './seed.ts';

export interface Order {
  /** The repository of the coord under test. */
  readonly top: string;
  readonly cache: string;
  readonly tests: string;
  readonly git: string;
  readonly chosen: readonly Mode[];
  readonly scripts: readonly string[];
  readonly jobs: number;
  readonly mostSeconds: number;
}

type Facts = Omit<Run, 'results' | 'allowances'>;

/** Gives the folder in which readRun finds what came of it. */
export async function runSuite(order: Order): Promise<string> {
  const { cache, tests, chosen, jobs, git, top } = order;
  const place = newPlace(order);
  process.once('exit', () => rmSync(place.root, { recursive: true, force: true }));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      endAll();
      process.exit(130);
    });
  }
  copyCoord(top, place.coord);
  prepareWrappers(place);
  prepareSeeds(place);
  const known = join(cache, 'seconds.json');
  const before = secondsBefore(known);
  const ordered = longestFirst(tests, order.scripts, before);
  const works = chosen.flatMap((mode) => ordered.map((script): Work => ({ mode, script })));
  const started = process.hrtime.bigint();
  const run = ({ mode, script }: Work): Promise<Result> => {
    return runScript(place, mode, script, order.mostSeconds);
  };
  const results = await runAll(works, jobs, run, (result, left) => {
    appendFileSync(join(place.run, 'results'), `${JSON.stringify(result)}\n`);
    tell(result, left);
  });
  const minutes = Number(process.hrtime.bigint() - started) / 6e10;
  const facts: Facts = { git, minutes, cpuMinutes: cpuMinutes(), jobs, chosen };
  writeFileSync(join(place.run, 'facts'), JSON.stringify(facts));
  const spent = results
    .filter(({ mode }) => mode === 'plain')
    .map(({ script, seconds }): [string, number] => [script, seconds]);
  writeFileSync(known, JSON.stringify(Object.fromEntries([...before, ...spent])));
  return place.run;
}

export function readRun(folder: string): Omit<Run, 'allowances'> {
  const results = readFileSync(join(folder, 'results'), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Result);
  const facts = join(folder, 'facts');
  if (existsSync(facts)) return { results, ...(JSON.parse(readFileSync(facts, 'utf8')) as Facts) };
  const chosen = modes.filter((mode) => results.some((result) => result.mode === mode));
  return { results, git: 'of a run that did not end', minutes: 0, cpuMinutes: 0, jobs: 0, chosen };
}

/** The folders of a run; of earlier ones the newest three stay, for their logs. */
function newPlace({ top, cache, tests }: Order): Place {
  const runs = join(cache, 'runs');
  mkdirSync(runs, { recursive: true });
  const isOver = (name: string): boolean => !existsSync(`/proc/${name.split('-').at(-1) ?? ''}`);
  const old = readdirSync(runs).filter(isOver).sort().slice(0, -3);
  for (const name of old) rmSync(join(runs, name), { recursive: true });
  const stamp = new Date().toISOString().replaceAll(/[-:]|\..*/g, '');
  const run = join(runs, `${stamp}-${process.pid}`);
  const root = join(hasMemory() ? memory : tmpdir(), `cgs${process.pid}`);
  mkdirSync(run);
  mkdirSync(root);
  const folder = join(top, 'test', 'git-suite');
  return { run, root, tests, folder, logs: 8, coord: join(run, 'coord'), git: installedGit() };
}

const memory = '/dev/shm';

/** In a container it often has room for next to nothing. */
function hasMemory(): boolean {
  if (!existsSync(memory)) return false;
  const { bavail, bsize } = statfsSync(memory);
  return bavail * bsize > 2 ** 31;
}

/** What this process and all that it has started have used, whoever else was at work. */
function cpuMinutes(): number {
  const stat = readFileSync('/proc/self/stat', 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
  return ticks / 100 / 60;
}

function installedGit(): string {
  const files = (process.env['PATH'] ?? '').split(delimiter).map((path) => join(path, 'git'));
  const found = files.find((file) => existsSync(file));
  if (found === undefined) throw new Error('there is no git on the PATH');
  return found;
}

function secondsBefore(file: string): ReadonlyMap<string, number> {
  if (!existsSync(file)) return new Map();
  return new Map(Object.entries(JSON.parse(readFileSync(file, 'utf8')) as Record<string, number>));
}

function tell({ mode, script, subtests, seconds, cut }: Result, left: number): void {
  const passed = subtests.filter(({ outcome }) => outcome === 'passed').length;
  const facts = `${passed} of ${subtests.length} passed, ${seconds.toFixed(1)} s, ${left} left`;
  const end = cut === null ? '' : `; ${cut}`;
  process.stderr.write(`${mode.padEnd(13)} ${script}: ${facts}${end}\n`);
}
