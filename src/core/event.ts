/**
 * What happened, as the log tells it: a subject that a person understands and trailers that a
 * program does. One commit is one operation and may hold several events, in order.
 */

import { showAgent } from './agent.ts';
import { counted } from './counted.ts';
import { CoordError } from './errors.ts';
import { harmless, shorten, toJson } from './harmless.ts';
import { formatTime, parseTime } from './instant.ts';
import type { AgentName } from './lease.ts';
import { limits } from './limits.ts';

export type EventName =
  | 'started'
  | 'adopted'
  | 'ended'
  | 'acquired'
  | 'renewed'
  | 'released'
  | 'expired'
  | 'transferred'
  | 'broken'
  | 'waiting'
  | 'wait-ended'
  | 'conflict'
  | 'tally'
  | 'committed'
  | 'blocked'
  | 'overridden'
  | 'overwritten'
  | 'done'
  | 'failed'
  | 'reopened'
  | 'gated'
  | 'asked'
  | 'answered'
  | 'request-closed'
  | 'taken'
  | 'compacted'
  | 'repaired'
  | 'raised'
  | 'moved'
  | 'landed';

export interface Event {
  readonly event: EventName;
  /** Whom it is about; `by` is who did it, where that is somebody else. */
  readonly agent: AgentName;
  readonly by?: AgentName;
  readonly lease?: string;
  readonly [fact: string]: unknown;
}

/** One operation, as it stands in the log. */
export interface Entry {
  readonly seq: number;
  readonly at: number;
  readonly agent: AgentName;
  readonly nonce: string;
  readonly events: readonly Event[];
}

interface EventWords {
  readonly who: string;
  readonly what: string;
  /** Who did it, where that is somebody else. */
  readonly by: string;
  readonly event: Event;
}

/** What each event is in words; each begins with who did it. */
const wordsFor: Readonly<Record<EventName, (told: EventWords) => string>> = {
  started: ({ who }) => `${who} started`,
  adopted: ({ who }) => `${who} moved to another session`,
  ended: ({ who }) => `${who} ended`,
  acquired: ({ who, what, event: { kind } }) =>
    `${who} ${kind === 'claim' ? 'claimed' : kind === 'lock' ? 'took' : 'reserved'} ${what}`,
  renewed: ({ who, what }) => `${who} renewed ${what}`,
  released: ({ who, what }) => `${who} released ${what}`,
  expired: ({ who, what }) => `the lease of ${what} that ${who} held expired`,
  transferred: ({ who, what, by }) => `${by === '' ? 'somebody' : by} gave ${what} to ${who}`,
  broken: ({ who, what, by }) =>
    `${by === '' ? 'somebody' : by} broke the lease of ${what} that ${who} held`,
  waiting: ({ who, what }) => `${who} waits for ${what}`,
  'wait-ended': ({ who, what }) => `${who} stopped waiting for ${what}`,
  conflict: ({ who, what }) => `${who} was refused ${what}`,
  tally: ({ who }) => `${who} checked what is held`,
  committed: ({ who, what }) => `${who} committed ${what}`,
  blocked: ({ who, what, event: { command } }) =>
    typeof command === 'string'
      ? `${who} was refused '${harmless(command)}'${what === '' ? '' : ` for ${what}`}`
      : `${who} was not allowed to commit ${what}`,
  overridden: ({ who, what, event: { holders } }) =>
    `${who} overrode ${holdersIn(holders)} on ${what}`,
  overwritten: ({ who, what, by, event: { commit } }) =>
    typeof commit === 'string'
      ? `${by} left commit ${commit.slice(0, 10)} of ${who} on no branch`
      : `a command of ${by} changed ${what}, which ${who} holds`,
  done: ({ who, what }) => `${who} finished ${what}`,
  failed: ({ who, what }) => `${who} gave up ${what}`,
  reopened: ({ who, what }) => `${who} reopened ${what}`,
  gated: ({ who, what }) => `${who} asked the gate about ${what}`,
  asked: ({ who, what, by }) => `${by === '' ? 'somebody' : by} asked ${who} for ${what}`,
  answered: ({ who, what, by }) => `${by === '' ? 'somebody' : by} answered ${who} about ${what}`,
  'request-closed': ({ who, what }) => `the request of ${who} for ${what} is over`,
  taken: ({ who, what, by }) =>
    `${by === '' ? 'somebody' : by} took ${what} over from ${who}, who had stalled`,
  compacted: ({ who }) => `${who} gave the log a new root`,
  repaired: ({ who }) => `${who} repaired the log`,
  raised: ({ who, event: { to } }) =>
    `${who} raised the log to format ${typeof to === 'number' ? to : 'unknown'}`,
  moved: ({ who }) => `${who} moved the log`,
  landed: ({ who, what }) => `${who} landed ${what}`,
};

function holdersIn(holders: unknown): string {
  const names = Array.isArray(holders)
    ? holders.flatMap((one: unknown) => (isAgentName(one) ? `${one.name}'s lease` : []))
    : [];
  return names.length === 0 ? 'the guard' : names.join(' and ');
}

function isAgentName(value: unknown): value is AgentName {
  return (
    typeof value === 'object' && value !== null && 'name' in value && typeof value.name === 'string'
  );
}

/** An event of a newer coord: its name is all there is to say. */
function wordsOfLater({ who, what, event }: EventWords): string {
  return `${who} ${event.event} ${what}`;
}

function isKnown(name: string): name is EventName {
  return Object.hasOwn(wordsFor, name);
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

/** `target` is what an event is about, in words: patterns, bead or name. */
export function targetOf(event: Event): string {
  const patterns = event['patterns'] ?? event['paths'];
  if (Array.isArray(patterns) && patterns.length > 0) return harmless(shownOf(patterns));
  if (typeof event['bead'] === 'string') return `bead ${event['bead']}`;
  if (typeof event['name'] === 'string') return `lock ${event['name']}`;
  const leases = event['leases'];
  return Array.isArray(leases) ? counted(leases.length, 'lease') : '';
}

const mostTargets = 8;

function shownOf(names: readonly unknown[]): string {
  const rest = names.length - mostTargets;
  return `${names.slice(0, mostTargets).join(' ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}

export function sentence(event: Event): string {
  const by = event.by === undefined ? '' : showAgent(event.by);
  const words = isKnown(event.event) ? wordsFor[event.event] : wordsOfLater;
  return harmless(words({ who: showAgent(event.agent), what: targetOf(event), by, event }).trim());
}

/** The leases that it names, one by one or in a list. */
export function leasesOf(event: Event): readonly string[] {
  const several = event['leases'];
  return [event.lease, ...(Array.isArray(several) ? several : [])].filter(
    (id): id is string => typeof id === 'string',
  );
}

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
    ...entry.events.map((event) => `Event: ${checkRecord(toJson(event))}`),
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
  const [, name, id] = /^(\S+) \(([0-9a-z]{8})\)$/.exec(fields.get('Agent') ?? '') ?? [];
  const seq = Number(fields.get('Seq'));
  const at = parseTime(fields.get('At') ?? '');
  const nonce = fields.get('Nonce') ?? '';
  if (
    !Number.isSafeInteger(seq) ||
    seq < 1 ||
    Number.isNaN(at) ||
    name === undefined ||
    id === undefined ||
    !/^[0-9a-f]{32}$/.test(nonce)
  ) {
    throw malformed(where, 'its message is not an operation of coord');
  }
  return { seq, at, agent: { id, name }, nonce, events };
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
      return event as Event;
  } catch {
    // Said below, with the place.
  }
  throw malformed(where, 'one of its events is not JSON of the known form');
}

/** The number of a line that is longer than a record may be, or null. */
export function longestAt(lines: readonly string[]): number | null {
  const at = lines.findIndex((line) => line.length > limits.recordChars);
  return at < 0 ? null : at + 1;
}

/** What nobody would read back is not written. */
export function checkRecord(row: string): string {
  if (row.length <= limits.recordChars) return row;
  const most = `${limits.recordChars} characters`;
  throw new CoordError(
    'record_too_large',
    `a record of ${row.length} characters is larger than the log takes (${most})`,
    'name fewer things, or shorter ones',
  );
}

export function malformed(where: string, what: string): CoordError {
  return new CoordError(
    'log_malformed',
    `the log is damaged at ${where}: ${what}`,
    'coord doctor --fix',
  );
}
