/**
 * Checks, refusals and what a git hook saw change nothing, so they cost no write of the log. They
 * are noted in a local file for each agent, and the next operation of anybody carries them all,
 * also those of agents that are not on record.
 */
import { statSync } from 'node:fs';
import type { Event } from '../core/event.ts';
import { toJson } from '../core/harmless.ts';
import { unregistered } from '../core/hash.ts';
import { parseAgentName } from '../core/ids.ts';
import type { AgentName } from '../core/lease.ts';
import { limits } from '../core/limits.ts';
import { startedAt } from '../git/git-command.ts';
import {
  appendLocal,
  dropLocal,
  listLocal,
  localPath,
  moveLocal,
  readLocal,
  wallAge,
} from '../git/local.ts';
import { isRunning } from '../git/process-mark.ts';
import { refComponent } from '../log/view.ts';
import type { Note, SeenByHook, Taken, Tally } from '../loop/world.ts';
import { systemRandom } from './random.ts';

/**
 * Set aside under the process and the nonce of who carries it, until it is known to be in the log.
 */
const aside = /^\.taken-(\d+)-([0-9a-f]{32})-(.+)$/;

export function tallyName(agentName: string): string {
  return `tally/${refComponent(agentName)}`;
}

export function localTally(
  commonDir: string,
  isAlive: (pid: number, settledMs: number) => boolean = mayBeTaker,
  abandonedMs: number = limits.abandonedMs,
): Tally {
  return {
    note: (name, note) => noteIn(commonDir, name, note),
    pending: (agents) =>
      notesOf(commonDir, agents, (file) => readLocal(commonDir, file))
        .flatMap(({ agent, text }) => toEvents(text, agent))
        .filter(({ event }) => event !== 'tally')
        .toSorted((a, b) => String(a['at']).localeCompare(String(b['at']))),
    take: (agents, nonce) => takeNotes(commonDir, agents, nonce),
    abandoned: () =>
      listLocal(commonDir, 'tally').flatMap((name) => {
        const [, pid = '', nonce = '', original = ''] = aside.exec(name) ?? [];
        if (original === '') return [];
        const agoMs = settledMs(commonDir, `tally/${name}`);
        // Of another container it may be alive, and through in a moment.
        if (agoMs < abandonedMs || isAlive(Number(pid), agoMs)) return [];
        const drop = (): void => dropLocal(commonDir, `tally/${name}`);
        return [{ nonce, drop, putBack: () => putBack(commonDir, name, original) }];
      }),
  };
}

/** The process of this number is there, and was so long ago: numbers come round again. */
export function mayBeTaker(pid: number, agoMs: number): boolean {
  const started = startedAt(String(pid));
  return isRunning(pid) && (started === null || wallAge(started) + clockSlackMs >= agoMs);
}

const clockSlackMs = 1_000;

function noteIn(commonDir: string, name: string, note: Note): string {
  const isCounted = note.what === 'check';
  const id = isCounted ? '' : systemRandom.nonce().slice(0, 8);
  const line = toJson({ ...note, ...(isCounted ? {} : { id }), name });
  return appendLocal(commonDir, tallyName(name), `${line}\n`, limits.tallyBytes) ? id : '';
}

/** An agent's notes are in its own file, and in those that were put back beside it. */
function agentFile(original: string): string {
  return original.split('~')[0] ?? '';
}

/**
 * In one step, so that whoever is killed loses none and leaves none twice. Its old name may be
 * another file's by now.
 */
function putBack(commonDir: string, name: string, original: string): void {
  const mark = `${process.pid}-${process.hrtime.bigint().toString(36)}`;
  moveLocal(commonDir, `tally/${name}`, `tally/${agentFile(original)}~${mark}`);
}

/** Of what is in the log; what came to it after `carried` was read goes back before it is gone. */
function dropCarried(commonDir: string, name: string, original: string, carried: string): void {
  const rest = (readLocal(commonDir, `tally/${name}`) ?? '').slice(carried.length);
  if (rest !== '') appendLocal(commonDir, `tally/${agentFile(original)}`, rest);
  dropLocal(commonDir, `tally/${name}`);
}

function takeNotes(commonDir: string, agents: readonly AgentName[], nonce: string): Taken {
  const names = new Map<string, string>();
  const taken = notesOf(commonDir, agents, (file) => {
    const [, original = ''] = file.split('/');
    const name = `.taken-${process.pid}-${nonce}-${original}`;
    moveLocal(commonDir, file, `tally/${name}`);
    names.set(original, name);
    return readLocal(commonDir, `tally/${name}`);
  });
  const textOf = (original: string): string =>
    taken.find(({ file }) => file === original)?.text ?? '';
  return {
    events: taken.flatMap(({ agent, text }) => toEvents(text, agent)),
    drop: () => {
      for (const [original, name] of names)
        dropCarried(commonDir, name, original, textOf(original));
    },
    putBack: () => {
      for (const [original, name] of names) putBack(commonDir, name, original);
    },
  };
}

function notesOf(
  commonDir: string,
  agents: readonly AgentName[],
  read: (file: string) => string | null,
): readonly { readonly file: string; readonly agent: AgentName; readonly text: string }[] {
  const known = new Map(agents.map(({ id, name }) => [refComponent(name), { id, name }]));
  return listLocal(commonDir, 'tally')
    .filter((file) => !file.startsWith('.'))
    .flatMap((file) => {
      const text = read(`tally/${file}`);
      const agent = text === null ? null : (known.get(agentFile(file)) ?? notedBy(text));
      return text === null || agent === null ? [] : [{ file, agent, text }];
    });
}

/** Since it was set aside. */
function settledMs(commonDir: string, name: string): number {
  const stat = statSync(localPath(commonDir, name), { throwIfNoEntry: false });
  return stat === undefined ? 0 : Math.abs(wallAge(stat.ctimeMs));
}

/** Somebody who is not on record, or not any more: named by the notes themselves. */
function notedBy(text: string): AgentName | null {
  try {
    const { name } = JSON.parse(text.split('\n')[0] ?? '') as { readonly name?: unknown };
    return typeof name === 'string' ? unregistered(parseAgentName(name)) : null;
  } catch {
    return null;
  }
}

function toEvents(text: string, agent: AgentName): readonly Event[] {
  const notes = text.split('\n').flatMap((line): Note[] => {
    try {
      const note = line === '' ? null : (JSON.parse(line) as Note | null);
      return note === null || (note.what === 'refused' && typeof note.resource !== 'object')
        ? []
        : [note];
    } catch {
      return [];
    }
  });
  const refusals = notes.filter((note) => note.what === 'refused');
  const seen = notes
    .filter(
      (note): note is SeenByHook =>
        note.what === 'committed' || note.what === 'blocked' || note.what === 'overridden',
    )
    .map(({ what, name: _, ...facts }): Event => ({ event: what, agent, ...facts }));
  const checks = notes.filter((note) => note.what === 'check').length;
  const told = refusals.slice(-limits.talliesCarried).map((note): Event => {
    const { kind, ...target } = note.resource;
    const id = note.id === undefined ? {} : { id: note.id };
    return {
      event: 'conflict',
      agent,
      at: note.at,
      kind,
      why: note.kind,
      ...target,
      blockers: note.blockers,
      ...id,
    };
  });
  const rest = refusals.length - told.length;
  return [
    ...seen,
    ...told,
    ...(checks + rest === 0 ? [] : [{ event: 'tally', agent, checks, refusals: rest } as const]),
  ];
}
