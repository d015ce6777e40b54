/**
 * `npm run figures`: every figure that was measured here, beside its target, and how to measure it.
 */
import { type Figure, type Kept, keptFigures } from './kept.ts';

/** What measures, and the command for it. */
const sources: Readonly<Record<string, string>> = {
  tests: 'npm test',
  'tests-all': 'npm run test:all',
  walk: 'npm run test:walk',
  notes: 'npm run build && npx vitest run --project long test/crash/note-walk',
  'git-suite': 'npm run test:git',
  'effect-5': 'npm run effect',
  'effect-5-hold': 'npm run effect -- --hold',
  'effect-10': 'npm run effect -- --agents 10 --tasks 50',
  'effect-20': 'npm run effect -- --agents 20 --tasks 80',
  ...Object.fromEntries(
    [
      'starts',
      'before',
      'idle',
      'beside',
      'commits',
      'decide',
      'throughput',
      'crowd',
      'queue',
      'harness',
      'work',
      'remote',
      'machines',
      'joining',
      'work-trees',
      'audit',
      'growth',
    ].map((part) => [part, `npm run bench -- ${part}`]),
  ),
};

function row({ what, measured, target }: Figure): string {
  return `  ${what.padEnd(74)}  ${measured.padEnd(28)}  ${target}`;
}

function section(name: string, command: string, kept: Kept | undefined): string {
  const rest =
    kept === undefined ? 'not measured here' : `measured ${kept.at.slice(0, 16).replace('T', ' ')}`;
  return [`${name} (${command}; ${rest})`, ...(kept?.figures ?? []).map(row)].join('\n');
}

const kept = new Map(keptFigures().map((one) => [one.source, one]));
const text = Object.entries(sources).map(([name, command]) =>
  section(name, command, kept.get(name)),
);
process.stdout.write(`${text.join('\n\n')}\n`);
