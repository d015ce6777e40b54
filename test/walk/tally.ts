/** The counters of a walk and what it found: text for a failing test, JSON for the figures. */

import type { Figure } from '../figures/kept.ts';

export interface Found {
  readonly kind: string;
  readonly what: string;
  readonly seed: number;
  readonly step: number;
  /** In its world: the length of the recipe. */
  readonly age: number;
  readonly label: string;
  readonly by: string;
  /** The last steps before it, with what they printed. */
  readonly last: readonly string[];
}

/** What is wrong, on one line. */
export function lineOf({ kind, by, label, what }: Found): string {
  return `${kind}: ${by} ${label}: ${what}`;
}

export type Outcome = 'went' | 'refusedByGit' | 'refusedByCoord';

export interface Tally {
  readonly found: Found[];
  readonly steps: Map<string, Record<Outcome, number>>;
  refusals: number;
  unnecessary: number;
  changedBytes: number;
  rescued: number;
  wipedByPerson: number;
  lateStatus: number;
  readonly seed: number;
  count(label: string, outcome: Outcome): void;
  times(label: string): number;
}

export function newTally(seed: number): Tally {
  const steps = new Map<string, Record<Outcome, number>>();
  return {
    seed,
    found: [],
    steps,
    refusals: 0,
    unnecessary: 0,
    changedBytes: 0,
    rescued: 0,
    wipedByPerson: 0,
    lateStatus: 0,
    count: (label, outcome) => {
      const counts = steps.get(label) ?? { went: 0, refusedByGit: 0, refusedByCoord: 0 };
      counts[outcome] += 1;
      steps.set(label, counts);
    },
    times: (label) => Object.values(steps.get(label) ?? {}).reduce((sum, one) => sum + one, 0),
  };
}

export function merged(tallies: readonly Tally[]): Tally {
  const all = newTally(0);
  for (const tally of tallies) {
    all.found.push(...tally.found);
    for (const [label, counts] of tally.steps) {
      for (const outcome of ['went', 'refusedByGit', 'refusedByCoord'] as const) {
        for (let i = 0; i < counts[outcome]; i += 1) all.count(label, outcome);
      }
    }
    for (const name of [
      'refusals',
      'unnecessary',
      'changedBytes',
      'rescued',
      'wipedByPerson',
      'lateStatus',
    ] as const) {
      all[name] += tally[name];
    }
  }
  return all;
}

/** Of each thing that was found the one with the fewest steps in its world. */
function shortest(found: readonly Found[]): readonly Omit<Found, 'last'>[] {
  const least = new Map<string, Found>();
  for (const one of found) {
    const key = `${one.kind} ${one.label} ${one.what.replace(/[0-9a-z]*\d[0-9a-z]*/g, '').slice(0, 80)}`;
    const known = least.get(key);
    if (known === undefined || known.age > one.age) least.set(key, one);
  }
  return [...least.values()].map(({ last: _, ...rest }) => rest);
}

export function asJson(tally: Tally, seeds: readonly number[]): object {
  const { found, steps, refusals, unnecessary, changedBytes, rescued, wipedByPerson, lateStatus } =
    tally;
  const kinds: Record<string, number> = {};
  for (const { kind } of found) kinds[kind] = (kinds[kind] ?? 0) + 1;
  const necessary = refusals - unnecessary;
  return {
    seeds,
    steps: [...steps.values()].reduce(
      (sum, one) => sum + one.went + one.refusedByGit + one.refusedByCoord,
      0,
    ),
    refusals,
    necessary,
    unnecessary,
    ratio: necessary === 0 ? null : refusals / necessary,
    changedBytes,
    linesKeptByRescue: rescued,
    linesWipedByAPerson: wipedByPerson,
    statusOneCommandLate: lateStatus,
    found: kinds,
    shortest: shortest(found),
    commands: Object.fromEntries([...steps].sort(([a], [b]) => (a < b ? -1 : 1))),
  };
}

export function asFigures(tally: Tally, seeds: readonly number[]): readonly Figure[] {
  const { found, steps, refusals, unnecessary, changedBytes } = tally;
  const all = [...steps.values()].reduce(
    (sum, one) => sum + one.went + one.refusedByGit + one.refusedByCoord,
    0,
  );
  const count = (pattern: RegExp): string =>
    String(found.filter(({ kind }) => pattern.test(kind)).length);
  const necessary = refusals - unnecessary;
  return [
    {
      what: 'steps of the walk with a model, and seeds',
      measured: `${all}, ${seeds.length}`,
      target: '100,000, 10',
    },
    {
      what: 'lines lost; commits that hold something else; false status',
      measured: `${count(/^(next: )?lost/)}; ${count(/^(next: )?(commit|two|other|empty|left)/)}; ${count(/^status/)}`,
      target: '0; 0; 0',
    },
    { what: 'wrong refusals', measured: `${unnecessary} of ${refusals}`, target: '0' },
    {
      what: 'refusals beyond the necessary ones',
      measured: necessary === 0 ? 'none' : `${(refusals / necessary).toFixed(2)} x`,
      target: '<= 1.1 x',
    },
    {
      what: 'refusals after git had changed a byte; without an exact way back',
      measured: `${changedBytes}; ${count(/^refusal changed/)}`,
      target: '-; 0',
    },
    {
      what: 'printed commands that failed or did not end it',
      measured: count(/^(next: (fails|does|no)|no next)/),
      target: '0',
    },
  ];
}

export function asText(found: Found): string {
  return [
    `COORD_SEED=${found.seed} COORD_WALK_STEPS=${found.step} (${found.age} in its world): ` +
      lineOf(found),
    ...found.last,
  ].join('\n');
}
