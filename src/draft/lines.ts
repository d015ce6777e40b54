/**
 * Whose lines are whose in a file of this work tree, brought to what the file and HEAD hold now.
 * Whoever looks first does it for everybody: a commit by whoever made it, an edit that was announced
 * before, and what nobody has announced.
 */
import { join } from 'node:path';
import type { Oid } from '../core/ids.ts';
import { limits } from '../core/limits.ts';
import { type Edit, settled } from '../core/lines/change.ts';
import { comeBack, losersOf } from '../core/lines/come-back.ts';
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
import { askObjects } from '../git/read-objects.ts';
import { readRegular } from '../git/regular-file.ts';
import type { Repository } from '../git/repository.ts';
import { type Announced, type LineFile, lineFiles, withLineFile } from './line-store.ts';
import { stillMaybe, whoeverRan } from './maybe-by.ts';
import { whoHides } from './put-away.ts';
import { isSaid, takeSaid } from './said-edits.ts';

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

/** Brings it to the file and to HEAD; what nobody announced is `otherwise`'s. */
export function broughtUp(
  repository: Repository,
  file: LineFile,
  otherwise: WhoseChange = whoeverRan(repository, file.path),
): Looked {
  const said = takeSaid(repository, file.path, fileOf(file.lines), file.intents, wallAge(0));
  const intents = [...said, ...file.intents]
    .filter(({ at }) => wallAge(at) < limits.intentMs)
    .map((one) => ({ ...one, isTurn: wallAge(one.at) < limits.turnMs }));
  const text = whoHides(repository) === null ? readNow(repository, file.path) : null;
  const now = text ?? fileOf(file.lines);
  const next = settle(file.lines, now, intents, otherwise);
  const known = file.earlier.filter(({ at }) => wallAge(at) < limits.hiddenMs);
  const back = next.unexplained.length === 0 ? null : cameBack();
  const done = back ?? next;
  const losers = next.unexplained.length > 0 ? losersOf(file.lines, next.record) : [];
  const { head, blob, lines } = file;
  const gone = losers.length > 0 ? [{ head, blob, lines, losers, at: wallAge(0) }] : [];
  const seen: LineFile = {
    ...file,
    lines: given(done.record, stillMaybe(repository)),
    intents: done.open,
    earlier: back === null ? [...gone, ...known].slice(0, mostEarlier) : [],
  };
  return {
    file: atHead(repository, seen),
    before: file.lines,
    overwritten: done.overwritten,
    lost: done.lost.map(({ owner }) => owner),
    unexplained: done.unexplained,
  };

  function cameBack(): Settled<Announced> | null {
    for (const one of known) {
      const { lines } = atHead(repository, { ...file, ...one });
      const found = comeBack({ ...one, lines }, file.lines, now, intents, otherwise);
      if (found !== null && found.unexplained.length <= next.unexplained.length) return found;
    }
    return null;
  }
}

const mostEarlier = 3;

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
  const [, id = nobodyKnown] = /\(([0-9a-z]+)\)$/.exec(agent ?? '') ?? [];
  return others.length > 0 ? nobodyKnown : id;
}

/** Nothing in it is anybody's, and nothing is about to be: then it needs no record. */
export function isOver({ lines, intents, earlier }: LineFile): boolean {
  return intents.length === 0 && earlier.length === 0 && ownersOf(lines).length === 0;
}

/** From now on it is shared: what differs from HEAD is of the one who is said to have it. */
export function beginLines(repository: Repository, path: string, owner: WhoseChange): void {
  withLineFile(repository, path, (known) => {
    const begun = known ?? newLineFile(repository, path);
    const file = begun === null ? null : broughtUp(repository, begun, owner).file;
    return { file: file === null || isOver(file) ? known : file, result: null };
  });
}

/** What one had in hand in any file is another's from now on. */
export function handLinesOver(repository: Repository, from: Owner, to: Owner): void {
  for (const { path } of lineFiles(repository))
    giveLines(repository, path, (owner) => (owner === from ? to : owner));
}

/** Whose the changes in a file are from now on, by whose they were. */
export function giveLines(
  repository: Repository,
  path: string,
  heir: (owner: Owner) => Owner,
): void {
  withLineFile(repository, path, (file) => {
    if (file === null) return { file, result: null };
    const intents = file.intents.map((one) => ({ ...one, owner: heir(one.owner) }));
    return { file: { ...file, lines: given(file.lines, heir), intents }, result: null };
  });
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

/** Null where nobody shares it. */
export function lookAtLines(
  repository: Repository,
  path: string,
  otherwise?: WhoseChange,
): Looked | null {
  return withLineFile(repository, path, (known) => {
    const file = known ?? (isSaid(repository, path) ? newLineFile(repository, path) : null);
    if (file === null) return { file, result: null };
    const looked = broughtUp(repository, file, otherwise);
    return { file: isOver(looked.file) ? null : looked.file, result: looked };
  });
}
