/**
 * An edit is announced before it is made: judged against what others have in the file, and written
 * down, so that later it is known whose it is, whether or not anybody says that it was made.
 */

import { limits } from '../core/limits.ts';
import { change, type Edit, editsBetween } from '../core/lines/change.ts';
import { planned } from '../core/lines/planned.ts';
import { fileOf, type LineRecord, type Owner, type Range, rangesOf } from '../core/lines/record.ts';
import { collisions } from '../core/lines/rule.ts';
import type { Lines } from '../core/lines/split.ts';
import type { Change } from '../core/patch-text.ts';
import type { Repository } from '../git/repository.ts';
import { broughtUp, given, type Looked, newLineFile } from './brought-up.ts';
import { type Announced, type LineFile, withLineFile } from './line-store.ts';
import { isUnion } from './union.ts';

type Judged =
  | { readonly kind: 'allowed'; readonly looked: Looked }
  /** Somebody else is about to write the file: what it will hold is not known for a moment. */
  | { readonly kind: 'busy' }
  /** What others have there, uncommitted; of nobody that is known too. */
  | { readonly kind: 'collides'; readonly ranges: readonly Range[] }
  /** What would become of the file cannot be told. */
  | { readonly kind: 'unknown' };

interface Asked {
  readonly path: string;
  readonly owner: Owner;
  readonly changes: readonly Change[];
  readonly at: number;
  /** Since when the caller has waited for others that are about to write it. */
  readonly since: number;
  /** The same work as the owner's: they never stand in each other's way. */
  isKin(other: Owner): boolean;
}

/** So long others are waited for; whose change is whose does not depend on it. */
const waitMs = 1_000;

export function announce(repository: Repository, asked: Asked): Judged {
  const { path, owner, changes, at } = asked;
  return withLineFile<Judged>(repository, path, (known) => {
    const begun = known ?? newLineFile(repository, path);
    if (begun === null) return { file: known, result: { kind: 'unknown' } };
    const looked = broughtUp(repository, begun);
    let { file } = looked;
    const isBusy = file.intents.some((one) => one.owner !== owner && at - one.at < waitMs);
    if (isBusy && at - asked.since < waitMs) return { file, result: { kind: 'busy' } };
    let next = after(repository, file, owner, changes);
    const kin = next?.against.filter(asked.isKin) ?? [];
    if (kin.length > 0) {
      // What its parent or child has there it goes on with.
      file = { ...file, lines: given(file.lines, (one) => (kin.includes(one) ? owner : one)) };
      next = after(repository, file, owner, changes);
    }
    if (next === null) return { file, result: { kind: 'unknown' } };
    const { record, against } = next;
    if (against.length > 0)
      return {
        file: looked.file,
        result: { kind: 'collides', ranges: those(file, against, next.touches) },
      };
    const edits = next.edits ?? editsBetween(fileOf(file.lines), fileOf(record));
    const intent: Announced = { owner, edits, at };
    const met = aboutToMeet(repository, file, intent);
    if (met.length > 0) return { file: looked.file, result: { kind: 'collides', ranges: met } };
    return {
      file: { ...file, intents: [...file.intents, intent] },
      result: { kind: 'allowed', looked },
    };
  });
}

/** Whether the file is one for union is asked only where it matters. */
function inTheWay(
  repository: Repository,
  path: string,
  record: LineRecord,
  owner: Owner,
): readonly Owner[] {
  const near = collisions(record, owner);
  return near.length > 0 && isUnion(repository, path) ? collisions(record, owner, true) : near;
}

/** Places that others were let through to a moment ago, and that these edits meet. */
function aboutToMeet(
  repository: Repository,
  { path, intents }: LineFile,
  { owner, edits, at }: Announced,
): readonly Range[] {
  const met = intents
    .filter((one) => one.owner !== owner && at - one.at < limits.turnMs)
    .flatMap((one) => one.edits.map((coming) => ({ owner: one.owner, coming })))
    .filter(({ coming }) => edits.some((edit) => isMet(coming, edit)));
  const areAdded = [...edits, ...met.map(({ coming }) => coming)].every(isAdded);
  if (met.length === 0 || (areAdded && isUnion(repository, path))) return [];
  return met.map(({ owner: by, coming }) => ({ owner: by, ...rangeOf(coming) }));
}

function isAdded({ start, end }: Edit): boolean {
  return start === end;
}

function rangeOf({ start, end }: Edit): { readonly first: number; readonly last: number } {
  return { first: start + 1, last: Math.max(end, start + 1) };
}

/** A line between them is enough. */
function isMet(coming: Edit, { start, end }: Edit): boolean {
  const { first, last } = rangeOf(coming);
  return start <= last && end >= first - 1;
}

interface Planned {
  readonly record: LineRecord;
  /** Whose changes are in its way. */
  readonly against: readonly Owner[];
  /** Where it is one step, just that one. */
  readonly edits: Announced['edits'] | null;
  /** Where the first step stands in the file, lines from 1. */
  readonly touches: readonly (readonly [first: number, last: number])[];
}

function after(
  repository: Repository,
  { path, lines: record }: LineFile,
  owner: Owner,
  changes: readonly Change[],
): Planned | null {
  const steps = planned(fileOf(record) as Lines, changes);
  if (steps === null) return null;
  const others = new Set<Owner>();
  let now = record;
  for (const edits of steps) {
    const changed = change(now, edits, () => owner);
    for (const other of changed.others) others.add(other);
    now = changed.record;
  }
  const [first = []] = steps;
  return {
    record: now,
    against: [...new Set([...others, ...inTheWay(repository, path, now, owner)])],
    edits: steps.length === 1 ? first : null,
    touches: first.map(({ start, end }) => [start + 1, Math.max(end, start + 1)]),
  };
}

/** The changes of these owners that are met, with a line on either side; in doubt all of them. */
function those(
  { lines }: LineFile,
  owners: readonly Owner[],
  touches: Planned['touches'],
): readonly Range[] {
  const theirs = rangesOf(lines).filter(({ owner }) => owners.includes(owner));
  const met = theirs.filter(({ first, last }) =>
    touches.some(([from, to]) => first <= to + 1 && last >= from - 1),
  );
  return met.length > 0 ? met : theirs;
}
