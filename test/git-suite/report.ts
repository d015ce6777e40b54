/** What a run comes to: a text for people, a summary for programs, and whether it is good. */
import { type Allowance, type Difference, differences, mayTell, ofDecisions } from './compare.ts';
import { kindOf } from './findings.ts';
import { inertOf, isCoord, isPlain, type Mode } from './modes.ts';
import type { Result, Work } from './run.ts';

export interface Run {
  readonly results: readonly Result[];
  readonly allowances: readonly Allowance[];
  readonly chosen: readonly Mode[];
  readonly minutes: number;
  readonly cpuMinutes: number;
  readonly jobs: number;
  readonly git: string;
}

/** Words of coord in a subtest that is as it is without coord. */
interface Hidden extends Work {
  readonly subtest: number;
  readonly words: string;
}

export interface Judged {
  /** Differ between two runs of plain git, and are not compared. */
  readonly flaky: readonly Difference[];
  readonly differing: readonly Difference[];
  readonly wrong: readonly Difference[];
  readonly hidden: readonly Hidden[];
  readonly cut: readonly Result[];
  /** Allowed by what is there to be seen, and yet the same where that alone is there. */
  readonly untrue: readonly Difference[];
  readonly unused: readonly Allowance[];
}

export interface Summary extends Readonly<Record<string, unknown>> {
  readonly git: string;
  readonly wrong: number;
  readonly hidden: readonly unknown[];
  readonly modes: readonly { readonly subtests: number }[];
}

export interface Verdict {
  readonly text: string;
  readonly summary: Summary;
  readonly isGood: boolean;
}

function keyOf({ mode, script }: Work, number?: number): string {
  return `${mode} ${script} ${number ?? ''}`;
}

export function judge({ results, allowances }: Run): Judged {
  const byKey = new Map(results.map((result) => [keyOf(result), result]));
  const plainOf = (script: string): Result | undefined => {
    return byKey.get(keyOf({ mode: 'plain', script }));
  };
  const compared = (which: (mode: Mode) => boolean): readonly Difference[] => {
    return results
      .filter(({ mode }) => which(mode))
      .flatMap((result) => {
        const plain = plainOf(result.script);
        return plain === undefined ? [] : differences(plain, result, allowances);
      });
  };
  const flaky = compared((mode) => mode === 'again');
  const isFlaky = new Set(flaky.map(({ script, number }) => `${script} ${number}`));
  const differing = compared((mode) => !isPlain(mode)).filter(
    ({ script, number }) => !isFlaky.has(`${script} ${number}`),
  );
  const outcomes = new Map(differing.map((one) => [keyOf(one, one.number), one.here]));
  // What the session's index and trailer alone do is seen where they alone are there.
  const isInertToo = ({ mode, script, number, here }: Difference): boolean =>
    mode === 'session' && outcomes.get(keyOf({ mode: inertOf(mode), script }, number)) === here;
  const wrong = differing.filter(
    (one) => isCoord(one.mode) && one.allowed === null && !isInertToo(one),
  );
  const loud = new Set(wrong.map((one) => keyOf(one, one.number)));
  const hidden = results
    .filter(({ mode }) => isCoord(mode))
    .flatMap((result) => {
      const { mode, script, findings } = result;
      return findings
        .filter(({ subtest }) => !loud.has(keyOf(result, subtest)))
        .filter(({ subtest }) => !mayTell(allowances, result, subtest))
        .map(({ subtest, words }): Hidden => ({ mode, script, subtest, words }));
    });
  const cut = results.filter((result) => {
    return result.cut !== null && result.cut !== plainOf(result.script)?.cut;
  });
  const seen = new Set(differing.map((one) => keyOf(one, one.number)));
  const untrue = differing.filter(({ mode, script, number, allowed }) => {
    const inert = { mode: inertOf(mode), script };
    return (
      allowed !== null &&
      !ofDecisions.includes(allowed.reason) &&
      byKey.has(keyOf(inert)) &&
      !seen.has(keyOf(inert, number))
    );
  });
  const used = new Set(differing.map(({ allowed }) => allowed));
  const unused = allowances.filter((allowance) => {
    if (allowance.reason === 'damage' || used.has(allowance)) return false;
    return results.some(({ mode, script }) => {
      return allowance.modes.includes(mode) && script.startsWith(`${allowance.script}-`);
    });
  });
  return { flaky, differing, wrong, hidden, cut, untrue, unused };
}

export function report(run: Run): Verdict {
  const judged = judge(run);
  const { flaky, differing, wrong, hidden, cut, untrue, unused } = judged;
  const isGood = wrong.length + hidden.length + cut.length + untrue.length === 0;
  const verdict = isGood
    ? 'good: nothing differs but what is allowed'
    : [
        `not good: ${wrong.length} subtests differ`,
        `coord spoke ${hidden.length} times in others`,
        `${cut.length} scripts were cut short`,
        `${untrue.length} are allowed for no reason`,
      ].join(', ');
  const notes = run.results.flatMap((result) => {
    return result.notes.map((note) => `${titleOf(result)}: ${note}`);
  });
  const parts = [
    figures(run, judged),
    section(
      'not run here by plain git either',
      run.results.flatMap((result) => {
        return result.mode === 'plain' && result.subtests.length === 0 ? [result.script] : [];
      }),
    ),
    section('differ in plain git by itself, not compared', flaky.map(lineOf)),
    section(
      'cut short',
      cut.map((result) => `${titleOf(result)}: ${result.cut ?? ''}`),
    ),
    section('could not be set up', notes),
    ...run.chosen.flatMap((mode) => [differingIn(mode, judged), hiddenIn(mode, judged)]),
    section('allowed, but the same where nothing of coord decides', untrue.map(lineOf)),
    section(
      'lines of test/git-suite/allowed for what does not differ',
      unused.map((allowance) => {
        return `${allowance.line}: ${allowance.script} ${allowance.subtests}`;
      }),
    ),
    verdict,
  ];
  const { jobs, git } = run;
  const [minutes, cpuMinutes] = [run.minutes, run.cpuMinutes].map((one) => Number(one.toFixed(1)));
  const summary = {
    git,
    minutes,
    cpuMinutes,
    jobs,
    isGood,
    wrong: wrong.length,
    modes: run.chosen.map((mode) => figuresOf(run, mode, judged)),
    flaky,
    cut: cut.map(({ mode, script, cut: why }) => ({ mode, script, why })),
    notes,
    differing,
    hidden,
    untrue,
    unused,
  };
  return { text: parts.filter((part) => part !== '').join('\n\n'), summary, isGood };
}

const titleOf = ({ mode, script }: Work): string => `${mode} ${script}`;

function lineOf(one: Difference): string {
  return `${titleOf(one)} ${one.number} ${one.title} (${one.plain} -> ${one.here})`;
}

function section(title: string, lines: readonly string[], count = lines.length): string {
  if (lines.length === 0) return '';
  return [`${title}: ${count}`, ...lines.map((line) => `  ${line}`)].join('\n');
}

function figuresOf({ results }: Run, mode: Mode, { differing, wrong }: Judged) {
  const of = (wanted: Mode): readonly Result[] => {
    return results.filter((result) => result.mode === wanted);
  };
  const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);
  const seconds = (wanted: Mode): number => sum(of(wanted).map((result) => result.seconds));
  const here = differing.filter((one) => one.mode === mode);
  return {
    mode,
    scripts: of(mode).length,
    subtests: sum(of(mode).map(({ subtests }) => subtests.length)),
    seconds: Number(seconds(mode).toFixed(1)),
    timesPlain: Number((seconds(mode) / seconds('plain')).toFixed(2)),
    differing: here.length,
    allowed: here.length - wrong.filter((one) => one.mode === mode).length,
  };
}

function figures(run: Run, judged: Judged): string {
  const words = ['scripts', 'subtests', 'seconds', 'x plain', 'differ', 'allowed'];
  const row = (mode: string, cells: readonly (string | number)[]): string => {
    return `  ${mode.padEnd(13)}${cells.map((cell) => String(cell).padStart(10)).join('')}`;
  };
  const rows = run.chosen.map((mode) => {
    const { mode: _, ...cells } = figuresOf(run, mode, judged);
    return row(mode, Object.values(cells));
  });
  const spent = `${run.minutes.toFixed(1)} minutes, ${run.cpuMinutes.toFixed(1)} of processors`;
  const first = `git ${run.git}, ${spent}, ${run.jobs} at a time`;
  return [first, row('', words), ...rows].join('\n');
}

/** By script, with what coord said; whether the hooks that do nothing show the same. */
function differingIn(mode: Mode, { wrong, differing }: Judged): string {
  const here = wrong.filter((one) => one.mode === mode);
  const seen = new Set(differing.map((one) => keyOf(one, one.number)));
  const lines = [...new Set(here.map(({ script }) => script))].flatMap((script) => {
    const inert = { mode: inertOf(mode), script };
    const ofScript = here
      .filter((one) => one.script === script)
      .flatMap((one) => {
        const isSeen = seen.has(keyOf(inert, one.number)) ? ` [${inert.mode} too]` : '';
        const what = `  ${one.number} ${one.title} (${one.plain} -> ${one.here})${isSeen}`;
        return [what, ...one.words.slice(0, 4).map((words) => `      ${words}`)];
      });
    return [script, ...ofScript];
  });
  return section(`${mode}: subtests that differ`, lines, here.length);
}

/** By what was said, the most frequent first, with some of the subtests. */
function hiddenIn(mode: Mode, { hidden }: Judged): string {
  const here = hidden.filter((one) => one.mode === mode);
  const kinds = new Map<string, string[]>();
  for (const { script, subtest, words } of here) {
    const kind = kindOf(words);
    kinds.set(kind, [...(kinds.get(kind) ?? []), `${script.slice(0, 5)}.${subtest}`]);
  }
  const sorted = [...kinds].sort(([, a], [, b]) => b.length - a.length);
  const lines = sorted.flatMap(([kind, where]) => {
    const rest = where.length > 12 ? ' …' : '';
    return [`${where.length} x ${kind}`, `    ${where.slice(0, 12).join(' ')}${rest}`];
  });
  return section(`${mode}: said by coord in subtests that are as without it`, lines, here.length);
}
