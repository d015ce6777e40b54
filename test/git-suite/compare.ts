/** Which subtests differ from plain git's, and which of these differences are allowed. */
import { isCoord, type Mode, modes } from './modes.ts';
import type { Result } from './run.ts';
import type { Outcome, Subtest } from './tap.ts';

/**
 * Nothing else is a reason: coord's refs are listed or counted, or their objects, or the files of
 * its hooks. A session's commits carry its trailer, `.git/index` is not its index, a shell stands
 * before its git and node behind its hooks. What a test writes into git's own files by hand may be
 * anybody's. Where it has destroyed the log itself, coord may say so, and stops an agent, but
 * nobody else.
 */
const reasons = [
  'refs',
  'objects',
  'hooks',
  'trailer',
  'index',
  'process',
  'hand',
  'damage',
  'stopped',
] as const;
export type Reason = (typeof reasons)[number];
const ofSessions: readonly Reason[] = ['trailer', 'index', 'hand', 'stopped'];

/** They depend on what coord does, and need not show with hooks that do nothing. */
export const ofDecisions: readonly Reason[] = [...ofSessions, 'process', 'objects'];

/** coord speaks, and says what is wrong. */
const spoken: readonly Reason[] = ['damage', 'hand', 'stopped', 'index', 'process'];

/** One line of the file `allowed`. */
export interface Allowance {
  readonly line: number;
  readonly script: string;
  /** Numbers and ranges, such as `2,5-7`, or a title with `*` for any text. */
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

/** Throws where a line is not as the first lines of the file say. */
export function parseAllowed(text: string): readonly Allowance[] {
  return text.split('\n').flatMap((said, at): readonly Allowance[] => {
    if (said.trim() === '' || said.startsWith('#')) return [];
    const [script = '', subtests = '', where = '', why = ''] = said.split(' | ');
    const named = where.split(',');
    const isAll = where === 'all';
    const chosen = modes.filter((mode) => isCoord(mode) && (isAll || named.includes(mode)));
    const isKnown = isAll || chosen.length === named.length;
    const reason = reasons.find((known) => why.startsWith(`${known}: `));
    const isOfSession = reason !== undefined && ofSessions.includes(reason);
    const isRight = isKnown && (!isOfSession || where === 'session');
    if (!/^t\d{4}$/.test(script) || subtests === '' || reason === undefined || !isRight) {
      throw new Error(`line ${at + 1} of the allowed differences cannot be read: ${said}`);
    }
    return [{ line: at + 1, script, subtests, modes: chosen, reason }];
  });
}

/** Whether coord may speak in it. */
export function mayTell(allowances: readonly Allowance[], result: Result, number: number): boolean {
  const subtest = result.subtests.find((one) => one.number === number);
  if (subtest === undefined) return false;
  return allowances.some((one) => spoken.includes(one.reason) && covers(one, result, subtest));
}

function covers(allowance: Allowance, result: Result, subtest: Subtest): boolean {
  const { script, subtests, modes: of } = allowance;
  if (!of.includes(result.mode) || !result.script.startsWith(`${script}-`)) return false;
  if (/^\d+(-\d+)?(,\d+(-\d+)?)*$/.test(subtests)) {
    return subtests.split(',').some((part) => {
      const [from = 0, to = from] = part.split('-').map(Number);
      return subtest.number >= from && subtest.number <= to;
    });
  }
  const parts = subtests.split('*').map((part) => part.replaceAll(/[$(){}[\]\\^.+?|]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`).test(subtest.title);
}

/** Subtest by subtest; one that either run lacks differs as well. */
export function differences(
  plain: Result,
  here: Result,
  allowances: readonly Allowance[],
): readonly Difference[] {
  const outcomes = ({ subtests }: Result): ReadonlyMap<number, Outcome> => {
    return new Map(subtests.map(({ number, outcome }) => [number, outcome]));
  };
  const [before, now] = [outcomes(plain), outcomes(here)];
  const all = [...plain.subtests, ...here.subtests.filter(({ number }) => !before.has(number))];
  return all.flatMap((subtest): readonly Difference[] => {
    const { number, title } = subtest;
    const was = before.get(number) ?? 'absent';
    const is = now.get(number) ?? 'absent';
    if (was === is) return [];
    const allowed = allowances.find((one) => one.reason !== 'damage' && covers(one, here, subtest));
    const words = here.findings.filter((finding) => finding.subtest === number);
    return [
      {
        mode: here.mode,
        script: here.script,
        number,
        title,
        plain: was,
        here: is,
        allowed: allowed ?? null,
        words: words.map((finding) => finding.words),
      },
    ];
  });
}
