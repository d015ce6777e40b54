/**
 * Two sides of a merge, taken for two agents at work at once: which files they share, how their
 * changes meet there, and whom each policy would have made wait. Pure.
 */
import { contentKey, type Hunk } from '../git/merges.ts';
import type { PathChange } from '../git/path-changes.ts';

/**
 * How the changes of a file meet: `same` on both sides, at least one unchanged line `apart`,
 * `touching`, or of a kind that needs the `whole` file.
 */
export type Meeting = 'same' | 'apart' | 'touching' | 'whole';

interface SharedFile {
  readonly path: string;
  readonly meeting: Meeting;
}

export interface Pair {
  readonly merge: string;
  readonly shared: readonly SharedFile[];
  /** What git's merge leaves to be resolved, or would by the lines that touch. */
  readonly isClean: boolean;
  readonly conflicts: readonly string[];
}

export const policies = ['project lock', 'files', 'lines'] as const;
export type Policy = (typeof policies)[number];

export function waits(policy: Policy, { shared }: Pick<Pair, 'shared'>): boolean {
  if (policy === 'project lock') return true;
  if (policy === 'files') return shared.length > 0;
  return shared.some(({ meeting }) => meeting === 'touching' || meeting === 'whole');
}

/** Files that both sides changed. */
export interface Both {
  readonly path: string;
  readonly one: PathChange;
  readonly two: PathChange;
}

export function changedByBoth(
  one: readonly PathChange[],
  two: readonly PathChange[],
): readonly Both[] {
  const others = new Map(two.map((change) => [change.path, change]));
  return one.flatMap((change) => {
    const other = others.get(change.path);
    return other === undefined ? [] : [{ path: change.path, one: change, two: other }];
  });
}

const regular = /^100(?:644|755) /;

/** Are the lines of this file to be looked at? Not where it came, went or changed its kind. */
export function isOfLines({ one, two }: Both): boolean {
  return (
    one.after !== two.after &&
    [one, two].every(
      ({ before, after }) =>
        before !== null &&
        after !== null &&
        regular.test(before) &&
        before.slice(0, 7) === after.slice(0, 7),
    )
  );
}

const oidOf = (entry: string | null): string => entry?.split(' ')[1] ?? '';

function keyOf({ before, after }: PathChange): string {
  return contentKey(oidOf(before), oidOf(after));
}

/**
 * `hunks` knows the changes of every file of lines whose content is text. In a union, additions at
 * one place are both kept.
 */
export function meetingOf(
  both: Both,
  hunks: ReadonlyMap<string, readonly Hunk[]>,
  isUnion: boolean,
): Meeting {
  if (both.one.after === both.two.after) return 'same';
  if (!isOfLines(both)) return 'whole';
  const [one, two] = [hunks.get(keyOf(both.one)), hunks.get(keyOf(both.two))];
  return one === undefined || two === undefined ? 'whole' : meetingOfLines(one, two, isUnion);
}

/** A line that neither has changed stands between them. */
function areApart(one: Hunk, two: Hunk): boolean {
  return one.end < two.start || two.end < one.start;
}

function areSame(one: Hunk, two: Hunk): boolean {
  return one.start === two.start && one.end === two.end && one.lines === two.lines;
}

function isAddition({ start, end }: Hunk): boolean {
  return start === end;
}

/** What both have changed alike is in nobody's way. */
export function meetingOfLines(
  one: readonly Hunk[],
  two: readonly Hunk[],
  isUnion = false,
): Meeting {
  let meeting: Meeting = one.length + two.length === 0 ? 'same' : 'apart';
  for (const hunk of one)
    for (const other of two) {
      if (areApart(hunk, other) || areSame(hunk, other)) continue;
      if (!isUnion || !isAddition(hunk) || !isAddition(other)) meeting = 'touching';
    }
  return meeting;
}

/** Where git cannot be asked: what touches conflicts, and so does what changed in kind. */
export function conflictsByLines(shared: readonly SharedFile[]): readonly string[] {
  return shared
    .filter(({ meeting }) => meeting === 'touching' || meeting === 'whole')
    .map(({ path }) => path);
}
