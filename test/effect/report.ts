/** The figures of runs as rows for people, and as figures beside their targets. */
import type { Figure } from '../figures/kept.ts';
import { speedOf, targetsOf } from './ideal.ts';
import type { EffectOptions } from './options.ts';
import type { Effect } from './run.ts';

function share(part: number, whole: number): string {
  return whole === 0 ? '-' : `${((100 * part) / whole).toFixed(1)} %`;
}

type Row = readonly [name: string, of: (effect: Effect) => string];

const rows: readonly Row[] = [
  ['tasks finished', ({ finished, tasks }) => `${finished} of ${tasks}`],
  ['edits, and skipped', ({ edits, tally }) => `${edits}, ${tally.skipped}`],
  ['edits given up', ({ tally }) => String(tally.givenUp)],
  ['lost edits, of them uncommitted', ({ lost, leftOut }) => `${lost.length}, ${leftOut}`],
  ['doubled tasks', ({ doubled }) => String(doubled.length)],
  ['foreign lines in commits', ({ foreign }) => String(foreign.length)],
  [
    'refused, of all tries',
    ({ tally }) => `${tally.refusals}, ${share(tally.refusals, tally.tries)}`,
  ],
  ['tries on an old text', ({ tally }) => String(tally.stale)],
  ['time, and ideal', ({ tookMs, idealMs }) => `${seconds(tookMs)}, ${seconds(idealMs)}`],
  ['of the ideal speed', (effect) => speedOf(effect).toFixed(2)],
  ['waited, all agents', ({ tally }) => seconds(tally.waitedMs)],
  ['hooks of a tool call, median', ({ cost }) => `${cost.call.toFixed(0)} ms`],
  ['sh -c :, node -e 0 beside', ({ cost }) => `${cost.sh.toFixed(0)}, ${cost.node.toFixed(0)} ms`],
  ['characters told, per task', ({ tally, tasks }) => (tally.toldChars / tasks).toFixed(0)],
];

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}

/** Runs of one history beside each other. */
export function table(effects: readonly Effect[]): readonly string[] {
  const line = (name: string, cells: readonly string[]): string =>
    `  ${name.padEnd(32)}${cells.map((cell) => cell.padStart(16)).join('')}`;
  return [
    line(
      '',
      effects.map(({ policy }) => policy),
    ),
    ...rows.map(([name, of]) => line(name, effects.map(of))),
  ];
}

const shownHarm = 3;

/** The first of what was lost or went into the wrong commit, to look for in a trace. */
export function harm({ policy, lost, foreign }: Effect): readonly string[] {
  const few = (what: string, lines: readonly string[]): readonly string[] => [
    ...lines.slice(0, shownHarm).map((line) => `  ${policy}, ${what}: ${line}`),
    ...(lines.length > shownHarm ? [`  ... and ${lines.length - shownHarm} more`] : []),
  ];
  return [
    ...few(
      'lost',
      lost.map(({ path, fresh }) => `${path}: ${fresh[0] ?? ''}`),
    ),
    ...few('foreign', foreign),
  ];
}

export function figuresOf(effect: Effect, options: EffectOptions): readonly Figure[] {
  const { agents, hold, stepMs } = options;
  const target = targetsOf(options);
  const isWanted = effect.policy === 'lines';
  const scene = `${effect.source}, ${effect.policy}: ${agents} agents, ${effect.tasks} tasks, steps of ${stepMs / 1_000} s${hold ? ', holding' : ''}`;
  const { tally } = effect;
  const figure = (what: string, measured: string, wanted: string): Figure => ({
    what,
    measured,
    target: isWanted ? wanted : '',
  });
  return [
    figure(scene, `${effect.finished} of ${effect.tasks} finished`, 'all'),
    figure('  of the ideal speed', speedOf(effect).toFixed(2), `>= ${target.speed}`),
    figure(
      '  refused, of all tries',
      share(tally.refusals, tally.tries),
      `<= ${(100 * target.refused).toFixed(0)} %`,
    ),
    figure(
      '  lost edits, doubled tasks, foreign lines',
      `${effect.lost.length}, ${effect.doubled.length}, ${effect.foreign.length}`,
      '0, 0, 0',
    ),
    figure(
      '  hooks of a tool call; sh -c :; node -e 0',
      [effect.cost.call, effect.cost.sh, effect.cost.node]
        .map((ms) => `${ms.toFixed(0)} ms`)
        .join('; '),
      '',
    ),
    figure(
      '  characters told by refusals, per task',
      (tally.toldChars / effect.tasks).toFixed(0),
      '',
    ),
  ];
}
