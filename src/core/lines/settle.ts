/**
 * What has become of a file since its record was written: what was announced before it was done
 * (an intent) is its agent's, whatever else was done meanwhile; the rest is nobody's that is known.
 * No time decides anything here.
 */
import { change, type Edit, editsBetween } from './change.ts';
import { merge } from './merge.ts';
import { fileOf, type LineRecord, nobodyKnown, type Owner } from './record.ts';
import { type Lines, sameLines } from './split.ts';
import { mergeUnion } from './union.ts';

/** What an agent was about to do to the file as its record has it. */
export interface Intent {
  readonly owner: Owner;
  readonly edits: readonly Edit[];
  /** It was announced a moment ago: what comes to stand where it was to be made is its work too. */
  readonly isTurn?: boolean;
}

/** Whose a change is that nobody announced, by what it put in the place of what. */
export type WhoseChange = (added: Lines, removed: Lines) => Owner;

export interface Settled<I extends Intent> {
  readonly record: LineRecord;
  /** Not done, as far as the file shows; to the file as the new record has it. */
  readonly open: readonly I[];
  readonly done: readonly I[];
  /** Announced, not done, and not to be told from the changes that were made in its place. */
  readonly lost: readonly I[];
  /** Whose additions somebody else wrote over. */
  readonly overwritten: readonly Owner[];
  /** Changed by nobody who had announced it. */
  readonly unexplained: readonly Edit[];
  /** Something of its end is among that, as while somebody is about to write the file. */
  readonly isCut: boolean;
}

export function settle<I extends Intent>(
  record: LineRecord,
  file: Lines,
  intents: readonly I[],
  otherwise: WhoseChange = () => nobodyKnown,
): Settled<I> {
  const start = fileOf(record);
  const overwritten = new Set<Owner>();
  let now = record;
  const put = (edits: readonly Edit[], owner: (edit: Edit) => Owner): void => {
    const changed = change(now, edits, owner);
    for (const one of changed.others) overwritten.add(one);
    now = changed.record;
  };
  const waiting = intents.map((intent) => ({ intent, after: edited(start, intent.edits) }));
  const done: I[] = [];
  // One that was done can be what another one was done to.
  for (let i = 0; i < waiting.length; ) {
    const { intent, after } = waiting[i] as (typeof waiting)[number];
    const made = madeOf(start, after, fileOf(now), file);
    if (made.length === 0) {
      i++;
      continue;
    }
    put(made, () => intent.owner);
    done.push(intent);
    waiting.splice(i, 1);
    i = 0;
  }
  const here = fileOf(now);
  const turns = waiting
    .filter(({ intent }) => intent.isTurn === true)
    .map(({ intent, after }) => ({
      owner: intent.owner,
      edits: editsBetween(here, merge(start, after, here) ?? here),
    }));
  const heirOf = (edit: Edit): Owner | undefined =>
    turns.find(({ edits }) => overlaps(edits, edit))?.owner;
  const rest = editsBetween(here, file);
  const unexplained = rest.filter((edit) => heirOf(edit) === undefined);
  put(rest, (edit) => heirOf(edit) ?? otherwise(edit.lines, here.slice(edit.start, edit.end)));
  const left = waiting
    .map(({ intent, after }) => {
      const expected = merge(start, after, file);
      return { intent, edits: expected === null ? null : editsBetween(file, expected) };
    })
    // What it would make is there, by another one that was made.
    .filter(({ edits }) => edits === null || edits.length > 0);
  return {
    record: now,
    open: left.flatMap(({ intent, edits }) => (edits === null ? [] : { ...intent, edits })),
    done,
    lost: left.flatMap(({ intent, edits }) => (edits === null ? intent : [])),
    overwritten: [...overwritten],
    unexplained,
    isCut: isCut(here, file, unexplained),
  };
}

/** It may go a little beyond, as what a formatter does; not over half of the file. */
function overlaps(edits: readonly Edit[], { start, end }: Edit): boolean {
  return edits.some((one) => {
    const beyond = Math.max(0, one.start - start) + Math.max(0, end - one.end);
    return (
      one.start < end && start < one.end && beyond <= Math.max(one.end - one.start, mostBeyond)
    );
  });
}

const mostBeyond = 3;

/** Is something of its end gone that nobody announced, as while somebody is about to write it? */
function isCut(before: Lines, file: Lines, unexplained: readonly Edit[]): boolean {
  const last = unexplained.at(-1);
  if (last === undefined) return false;
  const isShorter = last.end === before.length && last.lines.length < last.end - last.start;
  return (
    isShorter || (file.at(-1)?.endsWith('\n') === false && before.at(-1)?.endsWith('\n') === true)
  );
}

/** The text with these edits made. */
export function edited(text: Lines, edits: readonly Edit[]): Lines {
  const out: string[] = [];
  let at = 0;
  for (const { start, end, lines } of edits) {
    for (; at < start; at++) out.push(text[at] ?? '');
    for (const line of lines) out.push(line);
    at = end;
  }
  for (; at < text.length; at++) out.push(text[at] ?? '');
  return out;
}

/** Those edits of an intent that were made, to the letter. */
function madeOf(start: Lines, after: Lines, now: Lines, file: Lines): readonly Edit[] {
  const expected = merge(start, after, now) ?? mergeUnion(start, after, now, file);
  if (expected === null) return [];
  const announced = editsBetween(now, expected);
  if (sameLines(expected, file)) return announced;
  const made = editsBetween(now, file);
  return announced.filter((one) =>
    made.some((other) => isSame(one, other) || isAddedWithin(one, other)),
  );
}

/** Somebody else has added more at the same place. */
function isAddedWithin(one: Edit, other: Edit): boolean {
  if (one.start !== one.end || other.start !== other.end || one.start !== other.start) return false;
  const { length } = one.lines;
  return other.lines.some((_, at) => sameLines(one.lines, other.lines.slice(at, at + length)));
}

function isSame(one: Edit, other: Edit): boolean {
  return one.start === other.start && one.end === other.end && sameLines(one.lines, other.lines);
}
