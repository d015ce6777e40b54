/**
 * What lets the shim say yes by itself to the next edit of a file: this session, this very path, as long
 * as the log stands where it was read and for at most a minute. Whatever takes a lease away moves the
 * log, so that no note outlives the lease it rests on. Its age tells when the file was last edited.
 */
import { readFileSync } from 'node:fs';
import { normalize } from 'node:path';
import type { HarnessSession } from '../agent/harness-session.ts';
import type { RealWorld } from '../agent/world.ts';
import { freeInMs, type Lease } from '../core/lease.ts';
import { limits } from '../core/limits.ts';
import { dropLocal, writeLocal } from '../git/local.ts';
import type { Observation } from '../git/log-store.ts';
import { circumstances } from '../operate.ts';

export function notesOf({ harness, session, subagent }: HarnessSession): string | null {
  const parts = [harness, session, ...(subagent === null ? [] : [subagent])];
  return parts.every((part) => /^[A-Za-z0-9_-]{1,100}$/.test(part)) ? `edits/${parts.join('+')}` : null;
}

/** `@` is the note of the file in whose folder it stands, so that a file may become a folder. */
export function noteEdit(world: RealWorld, who: HarnessSession, at: Observation, leases: readonly Lease[], paths: readonly string[]): void {
  const folder = notesOf(who);
  if (folder === null || world.repository.refs !== 'files' || at.tip === null) return;
  const { now } = circumstances(world, at);
  const forMs = Math.min(limits.editNoteMs, ...leases.map((lease) => freeInMs(lease, now, 0))) - limits.editNoteMarginMs;
  for (const path of paths) {
    if (forMs > 0 && path.startsWith('/') && normalize(path) === path && !/[\\\n"]/.test(path)) writeLocal(world.repository.commonDir, `${folder}${path}/@`, `${at.tip}\n${untilLine(forMs, now.at)}\n`);
  }
}

/** By the time since this machine started where that can be read, else by the wall clock. */
function untilLine(forMs: number, wallMs: number): string {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    const [uptime = ''] = readFileSync('/proc/uptime', 'utf8').split('.');
    if (/^\d+$/.test(uptime)) return `${boot} ${Number(uptime) + Math.floor(forMs / 1_000)}`;
  } catch {
    // Not Linux.
  }
  return `wall ${Math.floor((wallMs + forMs) / 1_000)}`;
}

export function dropNotes(world: RealWorld, who: HarnessSession): void {
  const folder = notesOf(who);
  if (folder !== null) dropLocal(world.repository.commonDir, folder);
}
