/**
 * As what a session knows a file: by the fingerprint of what it has read or written, and by its own
 * edits since. The shim notes what is read, before it is read, and the edits that it lets pass;
 * all else is judged by content, so that no clock is asked what came first.
 */
import { mkdirSync, statSync } from 'node:fs';
import { dirname, normalize } from 'node:path';
import { harnesses } from '../adapter/harnesses.ts';
import type { HarnessSession } from '../agent/harness-session.ts';
import { cksum } from '../core/cksum.ts';
import { hashKey } from '../core/hash.ts';
import { limits } from '../core/limits.ts';
import type { Change } from '../core/patch-text.ts';
import {
  appendLocal,
  dropLocal,
  listLocal,
  localPath,
  readLocal,
  tidyLocal,
  wallAge,
  writeLocal,
} from '../git/local.ts';
import type { Repository } from '../git/repository.ts';
import { sharedFiles } from '../shim/files.ts';
import { sharedName, sharedPath } from '../shim/shared-file.ts';
import { sessionFile } from './edit-note.ts';

type Place = Pick<Repository, 'commonDir' | 'gitDir'>;

/** A whole text that it was about to write. */
interface Wrote {
  readonly kind: 'wrote';
  readonly sum: string;
  /** Of what a formatter leaves of it. */
  readonly bare: string;
  readonly atMs: number;
}

export type Own = Wrote | Extract<Change, { readonly kind: 'replace' }>;

export interface Known {
  readonly sum: string;
  /** What it did to the file since, or was about to do. */
  readonly own: readonly Own[];
  /** When the last of it was noted. */
  readonly atMs: number;
}

const folder = 'reads';

/** A formatter that a tool runs has run by then. */
const formattedMs = 10_000;
/** So long after it was let through a write is waited for. */
const underWayMs = 10_000;

/** The shim can make the same name of most paths. */
function noteName(session: string, path: string): string {
  const flat = path.replaceAll('/', ':');
  const isPlain =
    normalize(path) === path && !/[:\\\n"]/.test(path) && Buffer.byteLength(flat) < 200;
  return sharedName(sharedFiles.read, session, `/${isPlain ? flat : `#${hashKey(path)}`}`);
}

function isOwn(said: object): said is Own {
  return 'kind' in said && (said.kind === 'wrote' || said.kind === 'replace');
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

/** A line of ours, or an edit as the harness told it to the shim. */
function ownIn(line: string, harness: string, path: string): readonly Own[] | null {
  try {
    const said: unknown = JSON.parse(line);
    if (!isRecord(said)) return null;
    if (isOwn(said)) return [said];
    const { tool } = harnesses
      .find(({ name }) => name === harness)
      ?.read(said, 'before-edit', { get: () => undefined }) ?? { tool: { kind: 'none' } };
    if (tool.kind !== 'edit') return null;
    return tool.changes.flatMap((change) =>
      change.kind === 'replace' && change.path === path ? [change] : [],
    );
  } catch {
    return null;
  }
}

/** Null where nothing is known for certain. */
export function knownOf(place: Place, who: HarnessSession, path: string): Known | null {
  const session = sessionFile(who);
  return session === null ? null : knownBy(place, session, path);
}

function knownBy(place: Place, session: string, path: string): Known | null {
  const name = noteName(session, path);
  const [sum = '', ...lines] = (readLocal(place.commonDir, name) ?? '').trimEnd().split('\n');
  if (!/^\d+ \d+$/.test(sum)) return null;
  const [harness = ''] = session.split('+');
  const own = lines.map((line) => ownIn(line, harness, path));
  return own.includes(null)
    ? null
    : {
        sum,
        own: own.flatMap((some) => some ?? []),
        atMs: statSync(localPath(place.commonDir, name), { throwIfNoEntry: false })?.mtimeMs ?? 0,
      };
}

/** It knows what is there now, and perhaps what is about to be there. */
export function noteKnown(
  place: Place,
  who: HarnessSession,
  path: string,
  now: Buffer,
  next: string | null,
  atMs: number,
): void {
  const session = sessionFile(who);
  if (session === null) return;
  const bytes = next === null ? null : Buffer.from(next);
  const wrote =
    bytes === null || next === null
      ? []
      : [{ kind: 'wrote', sum: cksum(bytes), bare: bareSum(next), atMs }];
  const lines = [cksum(now), ...wrote.map((one) => JSON.stringify(one))];
  writeLocal(place.commonDir, noteName(session, path), `${lines.join('\n')}\n`);
}

/** Edits that it is about to make of a file that it knows. */
export function noteOwn(
  place: Place,
  who: HarnessSession,
  path: string,
  changes: readonly Change[],
): void {
  const session = sessionFile(who);
  const name = session === null ? null : noteName(session, path);
  if (name === null || readLocal(place.commonDir, name) === null) return;
  const lines = changes.map((change) => `${JSON.stringify(change)}\n`).join('');
  // What is longer than can be gone through is not known any more.
  if (!appendLocal(place.commonDir, name, lines, limits.readNoteBytes))
    dropLocal(place.commonDir, name);
}

/** Which session has written just this, by its own call. */
export function writerOf(place: Place, path: string, now: Buffer): string | null {
  const sum = cksum(now);
  const wrote = ({ own }: Known): boolean =>
    own.some((one) => one.kind === 'wrote' && one.sum === sum);
  return (
    listLocal(place.commonDir, folder).find((session) => {
      const known = knownBy(place, session, path);
      return known !== null && wrote(known);
    }) ?? null
  );
}

/** Which other session is about to write it and has not yet: whoever is of its family may too. */
export function writingNow(
  place: Place,
  who: HarnessSession,
  path: string,
  now: Buffer | null,
  atMs: number,
): string | null {
  const sum = cksum(now ?? Buffer.alloc(0));
  const own = sessionFile(who);
  const isWriting = (session: string): boolean => {
    const known = session === own ? null : knownBy(place, session, path);
    const last = known?.own.at(-1);
    return (
      last?.kind === 'wrote' &&
      known?.sum === sum &&
      last.sum !== sum &&
      Math.abs(atMs - last.atMs) <= underWayMs
    );
  };
  return listLocal(place.commonDir, folder).find(isWriting) ?? null;
}

/** Just this, or what a formatter has made of it at once. */
export function isAsWritten(
  { sum, bare, atMs }: Extract<Own, { readonly kind: 'wrote' }>,
  now: Buffer,
  changedMs: number,
): boolean {
  return (
    cksum(now) === sum ||
    (Math.abs(changedMs - atMs) <= formattedMs && bareSum(now.toString('utf8')) === bare)
  );
}

/** What no formatter changes. */
function bareSum(text: string): string {
  return cksum(Buffer.from(text.replace(/[\s'"`;,()]+/g, '')));
}

/** The shim makes no folder where it can help it. */
export function readyForReads(place: Place, who: HarnessSession): void {
  const session = sessionFile(who);
  if (session === null) return;
  mkdirSync(dirname(sharedPath(place, sharedFiles.read, session, '/-')), { recursive: true });
  tidyLocal(place.commonDir, folder, /^/, wallAge(limits.readAgeMs));
}

/** As many as a session may have; those of what it read first go first. */
export function tidyReads(place: Place, who: HarnessSession): void {
  const session = sessionFile(who);
  const names = session === null ? [] : listLocal(place.commonDir, `${folder}/${session}`);
  if (names.length <= limits.readsPerSession) return;
  const aged = names.map((name) => {
    const file = sharedPath(place, sharedFiles.read, session ?? '', `/${name}`);
    return { name, atMs: statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0 };
  });
  aged.sort((a, b) => a.atMs - b.atMs);
  for (const { name } of aged.slice(0, names.length - limits.readsPerSession / 2))
    dropLocal(place.commonDir, `${folder}/${session ?? ''}/${name}`);
}
