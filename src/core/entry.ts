/** One operation as the log keeps it: a subject that a person understands, and trailers that a program does. */

import { agentShown, showAgent } from './agent.ts';
import { type Event, type EventName, isAgentName, leasesOf } from './event.ts';
import { sentence } from './event-words.ts';
import { harmless, shorten, toJson } from './harmless.ts';
import { formatTime, parseTime } from './instant.ts';
import type { AgentName } from './lease.ts';
import { checkRecord, longestAt, malformed } from './malformed.ts';

/** One operation, as it stands in the log. */
export interface Entry {
  readonly seq: number;
  readonly at: number;
  readonly agent: AgentName;
  readonly nonce: string;
  readonly events: readonly Event[];
}

/** The subject names what matters most of several events. */
const weight: readonly EventName[] = [
  'repaired',
  'compacted',
  'raised',
  'moved',
  'landed',
  'broken',
  'taken',
  'done',
  'failed',
  'reopened',
  'gated',
  'answered',
  'transferred',
  'asked',
  'acquired',
  'released',
  'adopted',
  'ended',
  'expired',
  'waiting',
  'wait-ended',
  'started',
  'renewed',
  'request-closed',
  'overwritten',
  'overridden',
  'committed',
  'blocked',
  'conflict',
  'tally',
];
function subjectOf(events: readonly Event[]): string {
  const [first] = events.toSorted((a, b) => weightOf(a) - weightOf(b));
  return first === undefined ? 'nothing' : shorten(harmless(sentence(first)), 120);
}

function weightOf({ event }: Event): number {
  const at = weight.indexOf(event);
  return at < 0 ? weight.length : at;
}

export function encodeEntry(entry: Entry): string {
  const leases = new Set(entry.events.flatMap(leasesOf));
  return [
    subjectOf(entry.events),
    '',
    `Seq: ${entry.seq}`,
    `At: ${formatTime(entry.at)}`,
    `Agent: ${showAgent(entry.agent)}`,
    `Nonce: ${entry.nonce}`,
    ...entry.events.map((event) => `Event: ${checkRecord(toJson(asWritten(event)))}`),
    ...[...leases].map((id) => `Lease: ${id}`),
    '',
  ].join('\n');
}

/** Reads an entry back; `where` names the commit for whoever has to mend it. */
export function parseEntry(message: string, where: string): Entry {
  const fields = new Map<string, string>();
  const events: Event[] = [];
  const lines = message.split('\n');
  const long = longestAt(lines);
  if (long !== null)
    throw malformed(where, `line ${long} of its message is longer than any of ours`);
  for (const line of lines.slice(1)) {
    const [, key, value] = /^([A-Z][A-Za-z-]*): (.*)$/.exec(line) ?? [];
    if (key === 'Event') events.push(parseEvent(value ?? '', where));
    else if (key !== undefined && !fields.has(key)) fields.set(key, value ?? '');
  }
  const agent = agentShown(fields.get('Agent') ?? '');
  const seq = Number(fields.get('Seq'));
  const at = parseTime(fields.get('At') ?? '');
  const nonce = fields.get('Nonce') ?? '';
  if (
    !Number.isSafeInteger(seq) ||
    seq < 1 ||
    Number.isNaN(at) ||
    agent === null ||
    !/^[0-9a-f]{32}$/.test(nonce)
  ) {
    throw malformed(where, 'its message is not an operation of coord');
  }
  return { seq, at, agent, nonce, events };
}

/**
 * A coord of the first format takes an event that it does not know for damage, and reads events
 * before it reads the format: so this one has a name that it knows, and says what it is by a fact.
 */
function asWritten(event: Event): Event {
  return event.event === 'raised' ? { ...event, event: 'tally', raised: true } : event;
}

function asRead(event: Event): Event {
  const { raised, ...facts } = event;
  return event.event === 'tally' && raised === true ? { ...facts, event: 'raised' } : event;
}

function parseEvent(json: string, where: string): Event {
  try {
    const event: unknown = JSON.parse(json);
    if (
      typeof event === 'object' &&
      event !== null &&
      'event' in event &&
      typeof event.event === 'string' &&
      /^[a-z][a-z-]{0,40}$/.test(event.event) &&
      'agent' in event &&
      isAgentName(event.agent)
    )
      return asRead(event as Event);
  } catch {
    // Said below, with the place.
  }
  throw malformed(where, 'one of its events is not JSON of the known form');
}
