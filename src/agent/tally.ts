/**
 * Checks, refusals and what a git hook saw change nothing, so they cost no write of the log. They are
 * noted in a local file for each agent, and the next operation of anybody carries them all, also those
 * of agents that are not on record.
 */
import type { Event } from '../core/event.ts';
import { toJson } from '../core/harmless.ts';
import type { AgentName, Resource } from '../core/lease.ts';
import { limits } from '../core/limits.ts';
import { parseAgentName } from '../core/ids.ts';
import { hashKey, unregistered } from './hash.ts';
import { appendLocal, listLocal, readLocal, takeLocal } from '../git/local.ts';
import { refComponent } from '../git/view.ts';

export type Note =
  | { readonly what: 'check' }
  | { readonly what: 'refused'; readonly at: string; readonly id?: string; readonly kind: string; readonly resource: Resource; readonly blockers: readonly { readonly id: string; readonly agent: AgentName }[] }
  | SeenByHook;

/** What a git hook saw while it could not write: told as it is. */
export interface SeenByHook {
  readonly what: 'committed' | 'blocked' | 'overridden';
  readonly at: string;
  readonly [fact: string]: unknown;
}

export interface Tally {
  /** Returns the id under which `coord explain` finds it; nothing for what is only counted. */
  note(name: string, note: Note): string;
  /** What waits for a writer, oldest first. */
  pending(agents: readonly AgentName[]): readonly Event[];
  /** What has been noted for these agents, as events; `putBack` if they could not be carried. */
  take(agents: readonly AgentName[]): { readonly events: readonly Event[]; putBack(): void };
}

export const noTally: Tally = { note: () => '', pending: () => [], take: () => ({ events: [], putBack: () => {} }) };

export function tallyName(agentName: string): string {
  return `tally/${refComponent(agentName)}`;
}

export function localTally(commonDir: string): Tally {
  return {
    note: (name, note) => {
      const id = note.what === 'check' ? '' : hashKey(`${toJson(note)} ${name} ${process.hrtime.bigint()}`).slice(0, 8);
      const line = toJson({ ...note, ...(id === '' ? {} : { id }), name });
      appendLocal(commonDir, tallyName(name), `${line}\n`, limits.tallyBytes);
      return id;
    },
    pending: (agents) => notesOf(commonDir, agents, (file) => readLocal(commonDir, file))
      .flatMap(({ agent, text }) => toEvents(text, agent)).filter(({ event }) => event !== 'tally')
      .toSorted((a, b) => String(a['at']).localeCompare(String(b['at']))),
    take: (agents) => {
      const taken = notesOf(commonDir, agents, (file) => takeLocal(commonDir, file));
      return {
        events: taken.flatMap(({ agent, text }) => toEvents(text, agent)),
        putBack: () => {
          for (const { agent, text } of taken) appendLocal(commonDir, tallyName(agent.name), text);
        },
      };
    },
  };
}

function notesOf(
  commonDir: string,
  agents: readonly AgentName[],
  read: (file: string) => string | null,
): readonly { readonly agent: AgentName; readonly text: string }[] {
  const known = new Map(agents.map(({ id, name }) => [refComponent(name), { id, name }]));
  return listLocal(commonDir, 'tally').filter((file) => !file.startsWith('.')).flatMap((file) => {
    const text = read(`tally/${file}`);
    const agent = text === null ? null : known.get(file) ?? notedBy(text);
    return text === null || agent === null ? [] : [{ agent, text }];
  });
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
      const note = line === '' ? null : JSON.parse(line) as Note | null;
      return note === null || (note.what === 'refused' && typeof note.resource !== 'object') ? [] : [note];
    } catch {
      return [];
    }
  });
  const refusals = notes.filter((note) => note.what === 'refused');
  const seen = notes.filter((note): note is SeenByHook => note.what === 'committed' || note.what === 'blocked' || note.what === 'overridden').map(({ what, name: _, ...facts }): Event => ({ event: what, agent, ...facts }));
  const checks = notes.filter((note) => note.what === 'check').length;
  const told = refusals.slice(-limits.talliesCarried).map((note): Event => {
    const { kind, ...target } = note.resource;
    const id = note.id === undefined ? {} : { id: note.id };
    return { event: 'conflict', agent, at: note.at, kind, why: note.kind, ...target, blockers: note.blockers, ...id };
  });
  const rest = refusals.length - told.length;
  return [...seen, ...told, ...(checks + rest === 0 ? [] : [{ event: 'tally', agent, checks, refusals: rest } as const])];
}
