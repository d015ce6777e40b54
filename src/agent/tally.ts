/**
 * Checks, refusals and what a git hook saw change nothing, so they cost no write of the log. They
 * are noted in a local file for each agent, and the next operation of anybody carries them all,
 * also those of agents that are not on record.
 */
import { statSync } from 'node:fs';
import type { Event } from '../core/event.ts';
import { toJson } from '../core/harmless.ts';
import { hashKey, unregistered } from '../core/hash.ts';
import { parseAgentName } from '../core/ids.ts';
import type { AgentName } from '../core/lease.ts';
import { limits } from '../core/limits.ts';
import {
  appendLocal,
  listLocal,
  localPath,
  moveLocal,
  readLocal,
  takeLocal,
  wallAge,
} from '../git/local.ts';
import { isRunning } from '../git/process-mark.ts';
import { refComponent } from '../log/view.ts';
import type { Note, SeenByHook, Tally } from '../loop/world.ts';

/**
 * Set aside under the process and the nonce of who carries it, until it is known to be in the log.
 */
const aside = /^\.taken-(\d+)-([0-9a-f]{32})-(.+)$/;

export function tallyName(agentName: string): string {
  return `tally/${refComponent(agentName)}`;
}

export function localTally(
  commonDir: string,
  isAlive: (pid: number) => boolean = isRunning,
  abandonedMs: number = limits.abandonedMs,
): Tally {
  /** What came to it after it was read goes back as well. */
  const settle = (name: string, original: string, read: string, isCarried: boolean): void => {
    const text = takeLocal(commonDir, `tally/${name}`) ?? '';
    const rest = isCarried ? text.slice(read.length) : text;
    if (rest !== '') appendLocal(commonDir, `tally/${original}`, rest);
  };
  return {
    note: (name, note) => {
      const id =
        note.what === 'check'
          ? ''
          : hashKey(`${toJson(note)} ${name} ${process.hrtime.bigint()}`).slice(0, 8);
      const line = toJson({ ...note, ...(id === '' ? {} : { id }), name });
      return appendLocal(commonDir, tallyName(name), `${line}\n`, limits.tallyBytes) ? id : '';
    },
    pending: (agents) =>
      notesOf(commonDir, agents, (file) => readLocal(commonDir, file))
        .flatMap(({ agent, text }) => toEvents(text, agent))
        .filter(({ event }) => event !== 'tally')
        .toSorted((a, b) => String(a['at']).localeCompare(String(b['at']))),
    take: (agents, nonce) => {
      const names = new Map<string, string>();
      const taken = notesOf(commonDir, agents, (file) => {
        const [, original = ''] = file.split('/');
        const name = `.taken-${process.pid}-${nonce}-${original}`;
        moveLocal(commonDir, file, `tally/${name}`);
        names.set(original, name);
        return readLocal(commonDir, `tally/${name}`);
      });
      const end = (isCarried: boolean) => (): void => {
        for (const [original, name] of names) {
          settle(
            name,
            original,
            taken.find(({ file }) => file === original)?.text ?? '',
            isCarried,
          );
        }
      };
      return {
        events: taken.flatMap(({ agent, text }) => toEvents(text, agent)),
        drop: end(true),
        putBack: end(false),
      };
    },
    abandoned: () =>
      listLocal(commonDir, 'tally').flatMap((name) => {
        const [, pid = '', nonce = '', original = ''] = aside.exec(name) ?? [];
        // Of another container it may be alive, and through in a moment.
        if (
          original === '' ||
          isAlive(Number(pid)) ||
          settledMs(commonDir, `tally/${name}`) < abandonedMs
        )
          return [];
        const end = (isCarried: boolean) => (): void => {
          settle(
            name,
            original,
            isCarried ? (readLocal(commonDir, `tally/${name}`) ?? '') : '',
            isCarried,
          );
        };
        return [{ nonce, drop: end(true), putBack: end(false) }];
      }),
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
      const agent = text === null ? null : (known.get(file) ?? notedBy(text));
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
