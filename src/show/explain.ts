/** Why something was refused, from what the log has of it: an hour later, and by whoever asks. */

import { showAgent } from '../core/agent.ts';
import type { Event } from '../core/event.ts';
import { sentence, targetOf } from '../core/event-words.ts';
import { exits } from '../core/exits.ts';
import { formatTime } from '../core/instant.ts';
import type { AgentName } from '../core/lease.ts';
import type { Report } from '../render/report.ts';
import { errorMeanings, guardMeanings, refusalMeanings, verbMeanings } from './codes.ts';
import { type Code, remedies } from './remedies.ts';

/** An event with its time, as the log has it or as it waits for a writer. */
interface ExplainedEvent {
  readonly at: string;
  readonly seq: number | null;
  readonly event: Event;
}

const meanings: Readonly<Record<string, string>> = {
  ...errorMeanings,
  ...guardMeanings,
  ...refusalMeanings,
  ...verbMeanings,
};

export function explainCode(code: string): Report | null {
  const meaning = Object.hasOwn(meanings, code) ? meanings[code] : undefined;
  if (meaning === undefined) return null;
  const remedy = remedies[code as Code];
  const kind = Object.hasOwn(errorMeanings, code) ? 'error' : 'refusal';
  return {
    ok: true,
    exit: exits.done,
    result: 'explained',
    facts: { code, kind, meaning, remedy },
    says: [`${code} (${kind}): ${meaning}`, `  what to do: ${remedy}`],
  };
}

export function explainRefusal(id: string, told: readonly ExplainedEvent[]): Report | null {
  const refused = told.find(({ event }) => event['id'] === id);
  if (refused === undefined) return null;
  const { event, at, seq } = refused;
  const why = String(event['why'] ?? '');
  const leases = leasesIn(event);
  const about = told.filter(({ event: other }) => leases.some((lease) => namesLease(other, lease)));
  return {
    ok: true,
    exit: exits.done,
    result: 'explained',
    facts: {
      id,
      at,
      seq,
      event,
      meaning: meanings[why] ?? null,
      history: about.map((one) => ({ at: one.at, seq: one.seq, ...one.event })),
    },
    says: [
      `${shown(at)}  ${sentence(event)}`,
      ...(meanings[why] === undefined ? [] : [`  why: ${meanings[why]}`]),
      ...(targetOf(event) === '' ? [] : [`  about: ${targetOf(event)}`]),
      ...holdersIn(event).map((holder) => `  held by: ${showAgent(holder)}`),
      ...(leases.length === 0 ? [] : [`  what became of ${leases.join(', ')}:`]),
      ...about.map((one) => `    ${shown(one.at)}  ${sentence(one.event)}${reasonOf(one.event)}`),
      ...(seq === null
        ? ['  in the log with the next operation of anybody']
        : [`  in the log: operation ${seq}`]),
    ],
  };
}

function shown(at: string): string {
  return `${at.slice(0, 19).replace('T', ' ')}Z`;
}

function reasonOf(event: Event): string {
  const reason = event['reason'];
  return typeof reason === 'string' && reason !== '' ? `: ${reason}` : '';
}

function namesLease(event: Event, lease: string): boolean {
  const several = event['leases'];
  return (
    event.event !== 'conflict' &&
    event.event !== 'blocked' &&
    (event.lease === lease || (Array.isArray(several) && several.includes(lease)))
  );
}

interface Blocker {
  readonly id: string;
  readonly agent: AgentName;
}

function blockersIn(event: Event): readonly Blocker[] {
  return Array.isArray(event['blockers']) ? (event['blockers'] as readonly Blocker[]) : [];
}

function leasesIn(event: Event): readonly string[] {
  const several = event['leases'];
  return [
    ...blockersIn(event).map(({ id }) => id),
    ...(Array.isArray(several) ? several.map(String) : []),
  ];
}

function holdersIn(event: Event): readonly AgentName[] {
  const holders = Array.isArray(event['holders']) ? (event['holders'] as readonly AgentName[]) : [];
  const all = [...blockersIn(event).map(({ agent }) => agent), ...holders];
  return [...new Map(all.map((agent) => [agent.id, agent])).values()];
}

export function toldBy(
  entries: readonly {
    readonly seq: number;
    readonly at: number;
    readonly events: readonly Event[];
  }[],
  pending: readonly Event[],
): readonly ExplainedEvent[] {
  const timeOf = (event: Event, at: number): string =>
    typeof event['at'] === 'string' ? event['at'] : formatTime(at);
  return [
    ...entries.flatMap(({ seq, at, events }) =>
      events.map((event) => ({ at: timeOf(event, at), seq, event })),
    ),
    ...pending.map((event) => ({ at: timeOf(event, 0), seq: null, event })),
  ];
}
