/**
 * A line record brought to what the file and HEAD hold now: a commit is of whoever made it, an edit
 * of who announced it, what somebody hid is of whose it was, and the rest of nobody that is known.
 */
import { join } from 'node:path';
import { agentShown } from '../core/agent.ts';
import type { Oid } from '../core/ids.ts';
import { limits } from '../core/limits.ts';
import { type Edit, settled } from '../core/lines/change.ts';
import { comeBack, losersOf, movedIntents } from '../core/lines/come-back.ts';
import { rebased } from '../core/lines/rebase.ts';
import {
  committed,
  fileOf,
  type LineRecord,
  nobodyKnown,
  type Owner,
  ownersOf,
} from '../core/lines/record.ts';
import { type Settled, settle, type WhoseChange } from '../core/lines/settle.ts';
import { type Lines, split } from '../core/lines/split.ts';
import { type CommitFacts, droppedCommits } from '../git/commits.ts';
import { headOf } from '../git/head.ts';
import { wallAge } from '../git/local.ts';
import { pause } from '../git/local-lock.ts';
import { askObjects } from '../git/read-objects.ts';
import { readRegular } from '../git/regular-file.ts';
import type { Repository } from '../git/repository.ts';
import type { Announced, LineFile } from './line-store.ts';
import { stillMaybe, whoeverRan } from './maybe-by.ts';
import { whoHides } from './put-away.ts';
import { takeSaid } from './said-edits.ts';
import { statOf } from './vanished.ts';

/** What became of the file since the last look. */
export interface Looked {
  readonly file: LineFile;
  /** As the record had it before. */
  readonly before: LineRecord;
  /** Agents whose additions somebody else wrote over. */
  readonly overwritten: readonly Owner[];
  /** Agents whose announced edit is not to be found. */
  readonly lost: readonly Owner[];
  readonly unexplained: readonly Edit[];
}

/** Brings it to the file and to HEAD; what nobody announced is `otherwise`'s. */
export function broughtUp(
  repository: Repository,
  file: LineFile,
  otherwise: WhoseChange = whoeverRan(repository, file.path),
): Looked {
  const intents = announcedIn(repository, file);
  const { now, next } = wholeNow(repository, file, intents, otherwise);
  const known = file.earlier.filter(({ at }) => wallAge(at) < limits.hiddenMs);
  const back =
    next.unexplained.length === 0
      ? null
      : cameBack(repository, { ...file, intents, earlier: known }, now, otherwise, next);
  const done = back?.done ?? next;
  const seen: LineFile = {
    ...(back?.from ?? file),
    lines: given(done.record, stillMaybe(repository)),
    intents: done.open,
    earlier:
      back === null ? [...goneIn({ ...file, intents }, next), ...known].slice(0, mostEarlier) : [],
  };
  return {
    file: atHead(repository, seen),
    before: file.lines,
    overwritten: done.overwritten,
    lost: done.lost.map(({ owner }) => owner),
    unexplained: done.unexplained,
  };
}

function announcedIn(
  repository: Repository,
  { path, lines, intents }: LineFile,
): readonly Announced[] {
  return [...takeSaid(repository, path, fileOf(lines), intents, wallAge(0)), ...intents]
    .filter(({ at }) => wallAge(at) < limits.intentMs)
    .map((one) => ({ ...one, isTurn: wallAge(one.at) < limits.turnMs }));
}

interface Now {
  readonly now: Lines;
  readonly next: Settled<Announced>;
}

const stepMs = 25;

/** Whoever writes a file may have begun by emptying it: then it is looked at again in a moment. */
function wholeNow(
  repository: Repository,
  { path, lines }: LineFile,
  intents: readonly Announced[],
  otherwise: WhoseChange,
): Now {
  for (let waited = 0; ; waited += stepMs) {
    const text = whoHides(repository) === null ? readNow(repository, path) : null;
    const now = text ?? fileOf(lines);
    const next = settle(lines, now, intents, otherwise);
    if (!next.isCut || waited >= limits.quietMs || !isYoung(repository, path)) return { now, next };
    pause(stepMs);
  }
}

function isYoung({ top }: Repository, path: string): boolean {
  const written = statOf(join(top, path))?.mtimeMs;
  return written !== undefined && wallAge(written) < limits.quietMs;
}

const mostEarlier = 3;

/** Something of somebody has gone, and may come back. */
function goneIn(
  { head, blob, lines, intents }: LineFile,
  next: Settled<Announced>,
): LineFile['earlier'] {
  const losers = next.unexplained.length > 0 ? losersOf(lines, next.record) : [];
  if (losers.length === 0 && next.lost.length === 0) return [];
  return [{ head, blob, lines, intents, losers, at: wallAge(0) }];
}

/** The first of what it was earlier that explains the file at least as well as the last look. */
function cameBack(
  repository: Repository,
  file: LineFile,
  now: Lines,
  otherwise: WhoseChange,
  next: Settled<Announced>,
): { readonly from: LineFile; readonly done: Settled<Announced> } | null {
  for (const one of file.earlier) {
    const from = atHead(repository, { ...file, ...one });
    const to = fileOf(from.lines);
    const later = file.intents.filter(({ at }) => one.intents.every((other) => other.at !== at));
    const intents = [
      ...movedIntents(one.intents, fileOf(one.lines), to),
      ...movedIntents(later, fileOf(file.lines), to),
    ];
    const done = comeBack({ lines: from.lines, losers: one.losers, intents }, now, otherwise);
    if (done !== null && done.unexplained.length <= next.unexplained.length) return { from, done };
  }
  return null;
}

function atHead(repository: Repository, file: LineFile): LineFile {
  const { oid: head } = headOf(repository);
  if (head === file.head) return file;
  const blob = blobIn(repository, head, file.path);
  if (blob?.oid === file.blob) return { ...file, head };
  const undoneOf = (): Owner => authorOf(droppedCommits(repository, file.head, head, file.path));
  const lines = rebased(file.lines, blob?.lines ?? [], undoneOf);
  return { ...file, head, blob: blob?.oid ?? null, lines };
}

/** The agent that made all of these commits; a person's lines are those of nobody known. */
function authorOf(commits: readonly CommitFacts[]): Owner {
  const [agent = null, ...others] = new Set(commits.map((commit) => commit.agent));
  return (others.length > 0 ? null : agentShown(agent ?? '')?.id) ?? nobodyKnown;
}

export function given(record: LineRecord, heir: (owner: Owner) => Owner): LineRecord {
  if (ownersOf(record).every((owner) => heir(owner) === owner)) return record;
  const orNone = (owner: Owner | null): Owner | null => (owner === null ? null : heir(owner));
  return settled(
    record.map(({ text, addedBy, removedBy }) => ({
      text,
      addedBy: orNone(addedBy),
      removedBy: orNone(removedBy),
    })),
  );
}

/** Byte for byte, a character each; a file that is not there has no lines. */
export function linesNow(repository: Repository, path: string): Lines {
  return readNow(repository, path) ?? [];
}

/** Null where it cannot be read. */
function readNow({ top }: Repository, path: string): Lines | null {
  const content = readRegular(join(top, path), limits.sharedFileBytes);
  if (content.kind === 'unread') return null;
  return content.kind === 'file' ? split(content.bytes.toString('latin1')) : [];
}

interface Blob {
  readonly oid: Oid;
  readonly lines: Lines;
}

function blobIn(repository: Repository, head: Oid | null, path: string): Blob | null {
  const [found = null] = head === null ? [] : askObjects(repository, [`${head}:${path}`]);
  return found?.kind === 'blob'
    ? { oid: found.oid, lines: split(found.body.toString('latin1')) }
    : null;
}

/** A file that nobody shares yet, as HEAD has it. */
export function newLineFile(repository: Repository, path: string): LineFile | null {
  const { oid: head } = headOf(repository);
  const blob = blobIn(repository, head, path);
  if (blob === null) return null;
  const lines = blob.lines.map(committed);
  return { path, head, blob: blob.oid, lines, intents: [], earlier: [] };
}
