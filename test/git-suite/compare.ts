/** Which subtests differ from plain git's, and which of these differences are allowed. */
import type { Finding } from './findings.ts';
import type { Mode } from './modes.ts';
import type { Result } from './run.ts';
import type { Outcome, Subtest } from './tap.ts';

/** One line of the file `allowed`. */
export interface Allowance {
  readonly line: number;
  readonly script: string;
  /** A subtest's number, a range of numbers, or its title with `*` for any text. */
  readonly subtests: string;
  readonly modes: readonly Mode[];
  readonly reason: Reason;
}

export interface Difference {
  readonly mode: Mode;
  readonly script: string;
  readonly number: number;
  readonly title: string;
  readonly plain: Outcome;
  readonly here: Outcome;
  readonly allowed: Allowance | null;
  /** What coord said in it. */
  readonly words: readonly string[];
}

/**
 * Nothing else is a reason: coord's refs are listed or counted, or their objects, or the files of its
 * hooks. A session's commits carry its trailer, and what reads `.git/index` does not see its index.
 */
const reasons = ['refs', 'objects', 'hooks', 'trailer', 'index'] as const;
type Reason = (typeof reasons)[number];

export function parseAllowed(text: string, modes: readonly Mode[]): readonly Allowance[] {
  return text.split('\n').flatMap((said, at): readonly Allowance[] => {
    if (said.trim() === '' || said.startsWith('#')) return [];
    const [script = '', subtests = '', where = '', why = ''] = said.split(' | ').map((part) => part.trim());
    const reason = reasons.find((known) => why.startsWith(`${known}:`));
    const chosen = where === 'all' ? modes : modes.filter((mode) => where.split(',').includes(mode));
    const isOfSession = reason === 'trailer' || reason === 'index';
    const isRight = chosen.length > 0 && (!isOfSession || chosen.every((mode) => mode === 'session'));
    if (!/^t\d{4}$/.test(script) || subtests === '' || reason === undefined || !isRight) {
      throw new Error(`line ${at + 1} of the allowed differences: script | subtests | modes | ${reasons.join(', ')}: words`);
    }
    return [{ line: at + 1, script, subtests, modes: chosen, reason }];
  });
}

function covers({ script, subtests, modes }: Allowance, mode: Mode, of: string, { number, title }: Subtest): boolean {
  if (!modes.includes(mode) || !of.startsWith(`${script}-`)) return false;
  const [, from, to] = /^(\d+)(?:-(\d+))?$/.exec(subtests) ?? [];
  if (from !== undefined) return number >= Number(from) && number <= Number(to ?? from);
  const parts = subtests.split('*').map((part) => part.replaceAll(/[$(){}[\]\\^.+?|]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`).test(title);
}

const absent: Outcome = 'absent';

/** Subtest by subtest; those that either run lacks count as well. */
export function differences(plain: Result, here: Result, allowances: readonly Allowance[]): readonly Difference[] {
  const there = new Map(here.subtests.map((subtest) => [subtest.number, subtest]));
  const known = new Set(plain.subtests.map(({ number }) => number));
  const all = [...plain.subtests, ...here.subtests.filter(({ number }) => !known.has(number))];
  return all.flatMap((subtest): readonly Difference[] => {
    const before = known.has(subtest.number) ? subtest.outcome : absent;
    const now = there.get(subtest.number)?.outcome ?? absent;
    if (before === now) return [];
    const allowed = allowances.find((allowance) => covers(allowance, here.mode, here.script, subtest)) ?? null;
    const words = here.findings.filter((finding) => finding.subtest === subtest.number).map((finding) => finding.words);
    const { number, title } = subtest;
    return [{ mode: here.mode, script: here.script, number, title, plain: before, here: now, allowed, words }];
  });
}

/** Said by coord in subtests that are as without it. */
export function hidden(result: Result, differing: readonly Difference[]): readonly Finding[] {
  const loud = new Set(differing.filter(({ allowed }) => allowed === null).map(({ number }) => number));
  return result.findings.filter(({ subtest }) => !loud.has(subtest));
}
