/** Which of git's test scripts are run: those for what coord guards, some by name, or a sample. */
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Refs, work trees, branches, notes, rebase, cherry-pick, stash, am, fetch, push, merge, commit.
 * Not t5570, whose daemon has one port for all modes.
 */
const ranges: readonly (readonly [number, number])[] = [
  [1400, 1430],
  [2400, 2407],
  [3200, 3516],
  [3900, 3908],
  [4150, 4150],
  [5304, 5304],
  [5310, 5310],
  [5400, 5569],
  [5571, 5583],
  [6430, 6439],
  [7500, 7615],
];

/** One or more of each kind, each of which ends in seconds. */
const sample: readonly string[] = [
  't1400',
  't1416',
  't1430',
  't2402',
  't2403',
  't2405',
  't3203',
  't3310',
  't3401',
  't3403',
  't3501',
  't3509',
  't3905',
  't5304',
  't5403',
  't5407',
  't5523',
  't6436',
  't7501',
  't7503',
  't7504',
  't7611',
  't7612',
];

const numberOf = (script: string): number => Number(script.slice(1, 5));

/** Their file names without `.sh`. Throws where a name that was asked for has no script. */
export function chooseScripts(
  tests: string,
  asked: readonly string[] | 'all' | 'sample',
): readonly string[] {
  const known = readdirSync(tests)
    .filter((name) => /^t\d{4}-.*\.sh$/.test(name))
    .map((name) => name.slice(0, -'.sh'.length))
    .sort();
  if (asked === 'all') {
    const isIn = (at: number): boolean => ranges.some(([from, to]) => at >= from && at <= to);
    return known.filter((name) => isIn(numberOf(name)));
  }
  return (asked === 'sample' ? sample : asked).map((wanted) => {
    const found = known.find((name) => name === wanted || name.startsWith(`${wanted}-`));
    if (found === undefined) throw new Error(`git's tests have no script '${wanted}'`);
    return found;
  });
}

/** The longest first, by what they took before or else by their size, so that no core waits. */
export function longestFirst(
  tests: string,
  scripts: readonly string[],
  seconds: ReadonlyMap<string, number>,
): readonly string[] {
  const weight = (script: string): number => {
    const bytes = statSync(join(tests, `${script}.sh`)).size;
    return seconds.get(script) ?? bytes / 10_000;
  };
  return [...scripts].sort((a, b) => weight(b) - weight(a));
}
