/**
 * `npm run test:git`: git's own test suite with coord in every repository, subtest by subtest beside
 * plain git. Exit 1 where anything differs that is not in the file `allowed`.
 */
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { parseArgs } from 'node:util';
import { parseAllowed } from './compare.ts';
import { about, copyCoord, isPlain, modes, prepareSeed, prepareWrappers, type Mode, type Place } from './modes.ts';
import { report } from './report.ts';
import { endAll, runAll, runScript, type Result, type Work } from './run.ts';
import { chooseScripts, longestFirst } from './scripts.ts';
import { prepareSource } from './source.ts';

const top = join(import.meta.dirname, '..', '..');
const folder = join(top, 'test', 'git-suite');

const { values } = parseArgs({
  options: {
    scripts: { type: 'string' },
    mode: { type: 'string' },
    jobs: { type: 'string', default: '2' },
    sample: { type: 'boolean', default: false },
    summary: { type: 'string' },
    limit: { type: 'string', default: '1200' },
    help: { type: 'boolean', default: false },
  },
});

const usage = `npm run test:git -- [options]
  --sample            a selection that takes at most 3 minutes
  --scripts t7501,…   only these
  --mode 1,2,3        only these; plain git is always run beside them, and twice
${Object.entries(about).map(([mode, words]) => `                        ${mode.padEnd(13)} ${words}`).join('\n')}
  --jobs 2            scripts at a time
  --limit 1200        seconds for one script
  --summary FILE      where the machine-readable summary goes
`;

const numbered: Readonly<Record<string, Mode>> = { 0: 'plain', 1: 'idle', 2: 'beside', 3: 'session' };

function chosenModes(): readonly Mode[] {
  if (values.mode === undefined) return modes;
  const asked = values.mode.split(',').map((word) => {
    const mode = modes.find((known) => known === (numbered[word] ?? word));
    if (mode === undefined) throw new Error(`there is no mode '${word}'\n${usage}`);
    return mode;
  });
  return modes.filter((mode) => isPlain(mode) || asked.includes(mode));
}

function installedGit(): string {
  const found = (process.env['PATH'] ?? '').split(delimiter).map((path) => join(path, 'git')).find((file) => existsSync(file));
  if (found === undefined) throw new Error('there is no git on the PATH');
  return found;
}

/** The folders of a run; of earlier ones the newest three stay, for their logs. */
function newPlace(cache: string, tests: string): Place {
  const runs = join(cache, 'runs');
  mkdirSync(runs, { recursive: true });
  const isOver = (name: string): boolean => !existsSync(`/proc/${name.split('-').at(-1) ?? ''}`);
  for (const name of readdirSync(runs).filter(isOver).sort().slice(0, -3)) rmSync(join(runs, name), { recursive: true });
  const stamp = new Date().toISOString().replaceAll(/[-:]|\..*/g, '');
  const run = join(runs, `${stamp}-${process.pid}`);
  mkdirSync(join(run, 'cache'), { recursive: true });
  const memory = '/dev/shm';
  const root = join(existsSync(memory) ? memory : run, `coord-git-suite-${process.pid}`);
  mkdirSync(root);
  return { run, root, tests, folder, coord: join(run, 'coord'), git: installedGit() };
}

function secondsBefore(file: string): ReadonlyMap<string, number> {
  return new Map(existsSync(file) ? Object.entries(JSON.parse(readFileSync(file, 'utf8')) as Record<string, number>) : []);
}

function tell(result: Result, left: number): void {
  const passed = result.subtests.filter(({ outcome }) => outcome === 'passed').length;
  const facts = `${passed} of ${result.subtests.length} passed, ${result.seconds.toFixed(1)} s, ${left} left`;
  process.stderr.write(`${result.mode.padEnd(13)} ${result.script}: ${facts}${result.cut === null ? '' : `; ${result.cut}`}\n`);
}

async function main(): Promise<void> {
  if (values.help) {
    process.stdout.write(usage);
    return;
  }
  const cache = process.env['COORD_GIT_SUITE'] ?? join(tmpdir(), 'coord-git-suite');
  const allowances = parseAllowed(readFileSync(join(folder, 'allowed'), 'utf8'), modes);
  const chosen = chosenModes();
  const source = prepareSource(cache);
  const scripts = chooseScripts(source.tests, values.sample ? 'sample' : values.scripts?.split(',') ?? 'all');
  const place = newPlace(cache, source.tests);
  process.once('exit', () => rmSync(place.root, { recursive: true, force: true }));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      endAll();
      process.exit(130);
    });
  }
  copyCoord(top, place.coord);
  prepareWrappers(place);
  for (const mode of chosen) if (!isPlain(mode)) prepareSeed(place, mode);
  const known = join(cache, 'seconds.json');
  const before = secondsBefore(known);
  const ordered = longestFirst(source.tests, scripts, before);
  const works: readonly Work[] = chosen.flatMap((mode) => ordered.map((script) => ({ mode, script })));
  const started = process.hrtime.bigint();
  const results = await runAll(works, Number(values.jobs), ({ mode, script }) => runScript(place, mode, script, Number(values.limit)), tell);
  const minutes = Number(process.hrtime.bigint() - started) / 6e10;
  const spent = results.filter(({ mode }) => mode === 'plain').map(({ script, seconds }): [string, number] => [script, seconds]);
  writeFileSync(known, JSON.stringify(Object.fromEntries([...before, ...spent])));
  const { text, summary, isGood } = report({ results, allowances, chosen, minutes, jobs: Number(values.jobs), git: source.version });
  const file = values.summary ?? join(place.run, 'summary.json');
  writeFileSync(file, `${JSON.stringify(summary, null, 1)}\n`);
  process.stdout.write(`${text}\nlogs: ${place.run}\nsummary: ${file}\n`);
  process.exitCode = isGood ? 0 : 1;
}

await main();
