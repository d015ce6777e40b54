/**
 * What lets the shim say yes by itself to the next edit of a file: this session, this very path, as
 * long as the log stands where it was read and for at most a minute. Whatever takes a lease away
 * moves the log, so that no note outlives the lease it rests on. Its age tells when the file was
 * last edited.
 */

import { existsSync, realpathSync, statSync, utimesSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';
import type { HarnessSession, KnownSession } from '../agent/harness-session.ts';
import type { RealWorld } from '../agent/world.ts';
import { type Lease, liveForMs } from '../core/lease.ts';
import { limits } from '../core/limits.ts';
import { ownersOf } from '../core/lines/record.ts';
import { collide, covers } from '../core/overlap.ts';
import { literal, pathOf } from '../core/pattern.ts';
import { lineFileAt } from '../draft/line-store.ts';
import { dropCommand } from '../draft/maybe-by.ts';
import {
  dropLocal,
  listLocal,
  localPath,
  overwriteLocal,
  readLocal,
  writeLocal,
} from '../git/local.ts';
import type { Observation } from '../log/log-store.ts';
import { decisionContext } from '../loop/operate.ts';
import { standingReservations } from '../loop/standing.ts';
import { sharedFiles } from '../shim/files.ts';
import { dropShared, sharedName, sharedPlace, sharedText } from '../shim/shared-file.ts';
import { untilFrom } from '../shim/until.ts';

/** Here stands which moments have been spoken at. */
export const said = 'said';

/** What its files are called; null where its id is no name. */
export function sessionFile({ harness, session, subagent }: HarnessSession): string | null {
  const parts = [harness, session, ...(subagent === null ? [] : [subagent])];
  return parts.every((part) => /^[A-Za-z0-9_-]{1,100}$/.test(part)) ? parts.join('+') : null;
}

/** Of the shells of a program that do not say which session they are of. */
export function shellOfProcess(harness: string, pid: number): string {
  return `${harness}+${pid}`;
}

/** `@` is the note of the file in whose folder it stands, so that a file may become a folder. */
function noteName(session: string, path: string): string | null {
  return path.startsWith('/') && normalize(path) === path && !/[\\\n"]/.test(path)
    ? sharedName(sharedFiles.edit, session, path)
    : null;
}

/**
 * Notes the files that are about to be edited, and brings the notes of others that this session
 * edited to where the log stands.
 */
export function noteEdit(
  world: RealWorld,
  who: HarnessSession,
  at: Observation,
  own: readonly Lease[],
  paths: readonly string[],
): void {
  const session = sessionFile(who);
  const { repository } = world;
  if (session === null || repository.refs !== 'files' || at.tip === null) return;
  const { now } = decisionContext(world, at);
  const until = untilFrom(now.at);
  const textFor = (lease: Lease, path: string): string | null => {
    const isShared = lease.mode === 'lines';
    if (isShared && !isAloneIn(world, at, path, lease.agent.id)) return null;
    const forMs = Math.min(limits.editNoteMs, liveForMs(lease, now)) - limits.editNoteMarginMs;
    const owner = isShared ? lease.agent.id : '';
    const lines = { tip: at.tip ?? '', until: until(forMs), owner };
    return forMs > 0 ? sharedText(sharedFiles.edit, lines) : null;
  };
  const asked = new Set(paths);
  for (const lease of own) {
    for (const path of lease.kind === 'reservation'
      ? lease.patterns.flatMap((pattern) => pathOf(pattern) ?? [])
      : []) {
      const file = join(repository.top, path);
      const name = noteName(session, file);
      const text = name === null || asked.has(file) ? null : textFor(lease, path);
      if (name !== null && text !== null) renewNote(repository.commonDir, name, text, at.tip);
    }
  }
  for (const file of paths) {
    const name = noteName(session, file);
    const path = relative(repository.top, file);
    const lease = own.find(
      (one) =>
        one.kind === 'reservation' &&
        one.patterns.some((held) => covers(held, literal(path), world.settings.folding)),
    );
    const text = lease === undefined ? null : textFor(lease, path);
    if (name !== null && text !== null && isItself(file))
      writeLocal(repository.commonDir, name, text);
  }
}

/** Nobody else has lines in it, and none are of nobody known. */
function isAloneIn(world: RealWorld, at: Observation, path: string, me: string): boolean {
  const { repository, settings } = world;
  const file = lineFileAt(repository, path);
  return (
    file !== null &&
    ownersOf(file.lines).every((owner) => owner === me) &&
    file.intents.every(({ owner }) => owner === me) &&
    standingReservations(world, at).every(
      (lease) =>
        lease.agent.id === me ||
        !lease.patterns.some((held) => collide(held, literal(path), settings.folding)),
    )
  );
}

/** Where a link is on the way, the path may be another file the next time. */
function isItself(path: string): boolean {
  const place = existsSync(path) ? path : dirname(path);
  return existsSync(place) && realpathSync(place) === place;
}

/** Its age stays: that is when the file was edited last. */
function renewNote(commonDir: string, name: string, text: string, tip: string): void {
  const old = readLocal(commonDir, name);
  if (old === null || old.startsWith(tip)) return;
  const { atimeMs, mtimeMs } = statSync(localPath(commonDir, name));
  overwriteLocal(commonDir, name, text);
  utimesSync(localPath(commonDir, name), atimeMs / 1_000, mtimeMs / 1_000);
}

/** `process`: that of the program, if that has ended as well. */
export function dropNotes(
  world: RealWorld,
  who: HarnessSession,
  process?: KnownSession['process'],
): void {
  const file = sessionFile(who);
  if (file === null) return;
  if (who.subagent === null && process !== undefined)
    dropShared(world.repository, sharedFiles.shell, shellOfProcess(who.harness, process.pid));
  // Its subagents' too, and looks whose command was never heard of again.
  const isOf = (name: string): boolean =>
    name === file || name.startsWith(`${file}+`) || name.startsWith(`${file}.`);
  for (const note of [
    sharedFiles.edit,
    sharedFiles.read,
    sharedFiles.told,
    sharedFiles.look,
    sharedFiles.shell,
  ]) {
    const [place, name] = sharedPlace(world.repository, note);
    const folder = name.slice(0, name.indexOf('/'));
    for (const left of listLocal(place, folder).filter(isOf)) dropLocal(place, `${folder}/${left}`);
  }
  const { commonDir, gitDir } = world.repository;
  for (const left of listLocal(gitDir, 'commands').filter(isOf))
    dropCommand(world.repository, left);
  for (const left of listLocal(commonDir, said).filter(isOf))
    dropLocal(commonDir, `${said}/${left}`);
}
