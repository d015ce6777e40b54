/**
 * `npm run test:git`: git's own test suite with coord in every repository, subtest by subtest
 * beside plain git. Exit 1 where anything differs that is not in the file `allowed`.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Figure, keepFigures } from '../figures/kept.ts';
import { parseAllowed } from './compare.ts';
import { about, inertOf, isCoord, isPlain, type Mode, modes } from './modes.ts';
import { report, type Summary } from './report.ts';
import { chooseScripts } from './scripts.ts';
import { prepareSource } from './source.ts';
import { readRun, runSuite } from './whole-run.ts';

const top = join(import.meta.dirname, '..', '..');
const allowedFile = join(top, 'test', 'git-suite', 'allowed');

const { values } = parseArgs({
  options: {
    scripts: { type: 'string' },
    mode: { type: 'string' },
    jobs: { type: 'string', default: '2' },
    sample: { type: 'boolean', default: false },
    summary: { type: 'string' },
    limit: { type: 'string', default: '1200' },
    from: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});

const modeLines = modes.map((mode) => `                        ${mode.padEnd(15)} ${about[mode]}`);
const usage = `npm run test:git -- [options]
  --sample            a selection that takes at most 3 minutes
  --scripts t7501,…   only these scripts
  --mode 1,2,3        only these, and what they are compared with: plain git twice, and inert
${modeLines.join('\n')}
  --jobs 2            scripts at a time
  --limit 1200        seconds for one script
  --summary FILE      where the machine-readable summary goes
  --from FOLDER       runs nothing, and judges again what a run in that folder found
`;

const numbered: readonly Mode[] = ['plain', 'idle', 'beside', 'session'];

function chosenModes(): readonly Mode[] {
  if (values.mode === undefined) return modes;
  const asked = values.mode.split(',').map((word) => {
    const mode = modes.find((known) => known === (numbered[Number(word)] ?? word));
    if (mode === undefined) throw new Error(`there is no mode '${word}'\n${usage}`);
    return mode;
  });
  const beside = asked.filter(isCoord).map(inertOf);
  return modes.filter((mode) => isPlain(mode) || asked.includes(mode) || beside.includes(mode));
}

function figuresOf({ modes: ran, wrong, hidden, git }: Summary): readonly Figure[] {
  const subtests = ran.reduce((sum, one) => sum + one.subtests, 0);
  return [
    {
      what: `subtests of git ${git}'s own suite that differ beyond the allowed reasons`,
      measured: `${wrong} of ${subtests}`,
      target: '0',
    },
    {
      what: 'words of coord in subtests that are as without it',
      measured: String(hidden.length),
      target: '0',
    },
  ];
}

/** Of a run that was cut short what there is of it. */
function judge(folder: string): void {
  const allowances = parseAllowed(readFileSync(allowedFile, 'utf8'));
  const verdict = report({ ...readRun(folder), allowances });
  const file = values.summary ?? join(folder, 'summary.json');
  writeFileSync(file, `${JSON.stringify(verdict.summary, null, 1)}\n`);
  keepFigures('git-suite', figuresOf(verdict.summary));
  process.stdout.write(`${verdict.text}\nlogs: ${folder}\nsummary: ${file}\n`);
  process.exitCode = verdict.isGood ? 0 : 1;
}

async function main(): Promise<void> {
  if (values.help) {
    process.stdout.write(usage);
    return;
  }
  // A mistake in the file is told before anything is run.
  parseAllowed(readFileSync(allowedFile, 'utf8'));
  if (values.from !== undefined) {
    if (!existsSync(join(values.from, 'results'))) throw new Error(`no run is in ${values.from}`);
    judge(values.from);
    return;
  }
  const cache = process.env['COORD_GIT_SUITE'] ?? join(tmpdir(), 'coord-git-suite');
  const chosen = chosenModes();
  const { version, tests } = prepareSource(cache);
  const asked = values.sample ? 'sample' : (values.scripts?.split(',') ?? 'all');
  const scripts = chooseScripts(tests, asked);
  const [jobs, mostSeconds] = [Number(values.jobs), Number(values.limit)];
  judge(await runSuite({ top, cache, tests, git: version, chosen, scripts, jobs, mostSeconds }));
}

await main();
