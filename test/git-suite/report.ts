/** What a whole run comes to: a text for people, a summary for programs, and whether it is good. */
import { differences, hidden, type Allowance, type Difference } from './compare.ts';
import { kindOf } from './findings.ts';
import { inertOf, isInert, isPlain, type Mode } from './modes.ts';
import type { Result } from './run.ts';

export interface Run {
  readonly results: readonly Result[];
  readonly allowances: readonly Allowance[];
  readonly chosen: readonly Mode[];
  readonly minutes: number;
  readonly jobs: number;
  readonly git: string;
}

interface Hidden {
  readonly mode: Mode;
  readonly script: string;
  readonly subtest: number;
  readonly words: string;
}

interface Flaky {
  readonly script: string;
  readonly number: number;
  readonly title: string;
}

export interface Verdict {
  readonly text: string;
  readonly summary: Readonly<Record<string, unknown>>;
  readonly isGood: boolean;
}

export function report(run: Run): Verdict {
  const of = (mode: Mode, script: string): Result | undefined => run.results.find((result) => result.mode === mode && result.script === script);
  const plain = run.results.filter(({ mode }) => mode === 'plain');
  const flaky: readonly Flaky[] = plain.flatMap((result) => {
    const again = of('again', result.script);
    return again === undefined ? [] : differences(result, again, []).map(({ script, number, title }) => ({ script, number, title }));
  });
  const isFlaky = ({ script, number }: { script: string; number: number }): boolean => flaky.some((one) => one.script === script && one.number === number);
  const differing = run.results.flatMap((result) => {
    const base = isPlain(result.mode) ? undefined : of('plain', result.script);
    return base === undefined ? [] : differences(base, result, run.allowances).filter((one) => !isFlaky(one));
  });
  const ours = run.results.filter(({ mode }) => !isPlain(mode) && !isInert(mode));
  const unseen: readonly Hidden[] = ours.flatMap((result) => {
    const here = differing.filter(({ mode, script }) => mode === result.mode && script === result.script);
    return hidden(result, here).map(({ subtest, words }) => ({ mode: result.mode, script: result.script, subtest, words }));
  });
  const cut = run.results.filter((result) => result.cut !== null && result.cut !== of('plain', result.script)?.cut);
  const wrong = differing.filter(({ mode, allowed }) => !isInert(mode) && allowed === null);
  const untrue = untrueAllowances(run, differing);
  const unused = run.allowances.filter((allowance) => isUnused(allowance, run, differing));
  const isGood = wrong.length + unseen.length + cut.length + untrue.length === 0;
  const parts = [
    figures(run, differing),
    section('flaky in plain git, not compared', flaky.map(({ script, number, title }) => `${script} ${number} ${title}`)),
    section('not run to their end', cut.map(({ mode, script, cut: why }) => `${mode} ${script}: ${why ?? ''}`)),
    section('could not be set up', ours.flatMap(({ mode, script, notes }) => notes.map((note) => `${mode} ${script}: ${note}`))),
    ...differingSections(run, wrong, differing),
    ...hiddenSections(run, unseen),
    section('allowed because of refs, objects or hook files, though it does not differ with these alone', untrue.map(lineOf)),
    section('allowed, and not seen to differ: lines of test/git-suite/allowed', unused.map(({ line, script, subtests }) => `${line}: ${script} ${subtests}`)),
    isGood ? 'good: nothing differs but what is allowed' : `not good: ${wrong.length} subtests differ, ${unseen.length} words of coord hid in passing subtests, ${cut.length} scripts were cut short, ${untrue.length} allowances are untrue`,
  ];
  const summary = {
    git: run.git, minutes: Number(run.minutes.toFixed(1)), jobs: run.jobs, isGood, modes: run.chosen.map((mode) => modeFigures(run, mode, differing)),
    flaky, cut: cut.map(({ mode, script, cut: why }) => ({ mode, script, why })), differing, hidden: unseen, untrue, unusedAllowances: unused,
  };
  return { text: parts.filter((part) => part !== '').join('\n\n'), summary, isGood };
}

const lineOf = ({ mode, script, number, title, plain, here }: Difference): string => `${mode} ${script} ${number} ${title} (${plain} -> ${here})`;

const keyOf = ({ mode, script }: { mode: Mode; script: string }, number?: number): string => `${mode} ${script} ${number ?? ''}`;

/** Where both ran: what is allowed because something is there to be seen differs with that alone. */
function untrueAllowances({ results }: Run, differing: readonly Difference[]): readonly Difference[] {
  const ran = new Set(results.map((result) => keyOf(result)));
  const seen = new Set(differing.map((one) => keyOf(one, one.number)));
  return differing.filter(({ mode, script, number, allowed }) => {
    const inert = { mode: inertOf(mode), script };
    return !isInert(mode) && allowed !== null && ran.has(keyOf(inert)) && !seen.has(keyOf(inert, number));
  });
}

function isUnused(allowance: Allowance, { results }: Run, differing: readonly Difference[]): boolean {
  const ran = results.some(({ mode, script }) => allowance.modes.includes(mode) && !isInert(mode) && script.startsWith(`${allowance.script}-`));
  return ran && !differing.some(({ allowed }) => allowed === allowance);
}

function section(title: string, lines: readonly string[], count = lines.length): string {
  return lines.length === 0 ? '' : [`${title}: ${count}`, ...lines.map((line) => `  ${line}`)].join('\n');
}

function modeFigures({ results }: Run, mode: Mode, differing: readonly Difference[]): Readonly<Record<string, unknown>> {
  const seconds = (wanted: Mode): number => results.filter((result) => result.mode === wanted).reduce((sum, result) => sum + result.seconds, 0);
  const mine = results.filter((result) => result.mode === mode);
  const here = differing.filter((one) => one.mode === mode);
  return {
    mode, scripts: mine.length, subtests: mine.reduce((sum, { subtests }) => sum + subtests.length, 0),
    seconds: Number(seconds(mode).toFixed(1)), timesPlain: Number((seconds(mode) / seconds('plain')).toFixed(2)),
    differing: here.length, allowed: here.filter(({ allowed }) => allowed !== null).length,
  };
}

function figures(run: Run, differing: readonly Difference[]): string {
  const rows = run.chosen.map((mode) => {
    const { scripts, subtests, seconds, timesPlain, differing: all, allowed } = modeFigures(run, mode, differing);
    return `  ${mode.padEnd(13)} ${String(scripts).padStart(4)} scripts ${String(subtests).padStart(5)} subtests ${String(seconds).padStart(8)} s ${String(timesPlain).padStart(6)} x plain ${String(all).padStart(5)} differ ${String(allowed).padStart(5)} allowed`;
  });
  return [`git ${run.git}, ${run.minutes.toFixed(1)} minutes with ${run.jobs} at a time`, ...rows].join('\n');
}

/** By script, and by what coord said in the first that differs there. */
function differingSections({ chosen }: Run, wrong: readonly Difference[], differing: readonly Difference[]): readonly string[] {
  return chosen.flatMap((mode) => {
    const here = wrong.filter((one) => one.mode === mode);
    const seen = new Set(differing.map((one) => keyOf(one, one.number)));
    const lines = [...new Set(here.map(({ script }) => script))].flatMap((script) => [
      script, ...here.filter((one) => one.script === script).flatMap((one) => [
        `  ${one.number} ${one.title} (${one.plain} -> ${one.here})${seen.has(keyOf({ mode: inertOf(mode), script }, one.number)) ? ' [inert too]' : ''}`,
        ...one.words.slice(0, 4).map((words) => `      ${words}`),
      ]),
    ]);
    return here.length === 0 ? [] : [section(`${mode}: subtests that differ`, lines, here.length)];
  });
}

function hiddenSections({ chosen }: Run, unseen: readonly Hidden[]): readonly string[] {
  return chosen.flatMap((mode) => {
    const here = unseen.filter((one) => one.mode === mode);
    const kinds = [...new Set(here.map(({ words }) => kindOf(words)))].map((kind) => {
      const which = here.filter(({ words }) => kindOf(words) === kind);
      return { kind, which };
    }).sort((a, b) => b.which.length - a.which.length);
    const lines = kinds.flatMap(({ kind, which }) => [
      `${which.length} x ${kind}`, `    ${[...new Set(which.map(({ script, subtest }) => `${script.slice(0, 5)}.${subtest}`))].slice(0, 12).join(' ')}`,
    ]);
    return here.length === 0 ? [] : [section(`${mode}: said in passing subtests`, lines, here.length)];
  });
}
