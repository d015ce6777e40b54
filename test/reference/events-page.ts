/** docs/reference/events.md: the events of the log, and how one operation stands in it. */
import { z } from 'zod';
import { encodeEntry } from '../../src/core/entry.ts';
import type { Event, EventName } from '../../src/core/event.ts';
import { sentence } from '../../src/core/event-words.ts';
import { eventTexts } from './event-shapes.ts';
import { fieldRows } from './json-page.ts';
import { code, fence, page, table } from './markdown.ts';

const ann = { id: 'k3m9x2p7', name: 'ann' };
const bob = { id: 'b7q1w8z4', name: 'bob' };
const commit = '5f0c3a1b9d2e4f60718293a4b5c6d7e8f9012345';

const claimed: Readonly<Record<string, unknown>> = { kind: 'claim', bead: 'bd-42' };
const reserved: Readonly<Record<string, unknown>> = {
  kind: 'reservation',
  patterns: ['src/auth.ts'],
};

/** What a sentence needs beyond a lease; else it is about a reservation. */
const samples: Partial<Readonly<Record<EventName, Readonly<Record<string, unknown>>>>> = {
  started: {},
  adopted: {},
  ended: {},
  compacted: {},
  repaired: {},
  moved: {},
  raised: { from: 1, to: 2 },
  tally: {},
  renewed: { leases: ['ab12cd34', 'ef56gh78'] },
  committed: { paths: ['src/auth.ts'], commit },
  blocked: { paths: ['src/auth.ts'] },
  overridden: { paths: ['src/auth.ts'], holders: [bob] },
  done: claimed,
  failed: claimed,
  reopened: claimed,
  gated: claimed,
  taken: claimed,
  landed: { branch: 'refs/heads/main', leases: ['ab12cd34'] },
};

export function sampleOf(name: EventName): Event {
  const by = 'by' in eventTexts[name].facts ? { by: bob } : {};
  return { event: name, agent: ann, ...by, ...(samples[name] ?? reserved) };
}

function lineOf(event: Event): string {
  return JSON.stringify({
    schema: 'coord.log/1',
    seq: 120,
    at: '2026-01-31T09:30:00.000Z',
    ...event,
  });
}

const acquired: Event = {
  event: 'acquired',
  agent: ann,
  lease: 'ab12cd34',
  ...reserved,
  mode: 'exclusive',
  token: 120,
  ttl: 900,
  reason: 'fix login',
};

export const eventNames = Object.keys(eventTexts) as readonly EventName[];

function section(name: EventName): readonly string[] {
  const { means, facts } = eventTexts[name];
  const shape = z.toJSONSchema(z.strictObject(facts)) as Readonly<Record<string, unknown>>;
  return [
    `### ${name}`,
    `${means} In words: ${code(sentence(sampleOf(name)))}.`,
    table(['fact', 'type', 'there', 'about'], fieldRows(shape)).join('\n'),
  ].filter((part) => part !== '');
}

export function eventsPage(): string {
  return page('Events', [
    `What happened, as the log tells it: ${eventNames.length} events. One commit of \`refs/coord/log\` is one operation and may hold several, in order; its subject is the sentence of the one that matters most.`,
    '## An operation in the log',
    fence(
      '',
      encodeEntry({
        seq: 120,
        at: Date.UTC(2026, 0, 31, 9, 30),
        agent: ann,
        nonce: '0123456789abcdef0123456789abcdef',
        events: [acquired],
      })
        .trimEnd()
        .split('\n'),
    ),
    table(
      ['trailer', 'means'],
      [
        ['`Seq`', 'the number of the operation, from 1 on without a gap'],
        ['`At`', 'when, by the clock of who wrote it; for showing only'],
        ['`Agent`', 'who wrote it: name and id'],
        ['`Nonce`', 'makes the operation the same one when it is tried again'],
        ['`Event`', 'one event as JSON; a line for each, in order'],
        ['`Lease`', 'the id of a lease that an event names; a line for each'],
      ],
    ),
    '## A line of the log',
    '`coord log --json` prints one object a line, one for each event, oldest first; [event.json](../../schema/event.json) describes it.',
    fence('json', [lineOf(acquired)]),
    table(
      ['fact', 'means'],
      [
        ['`schema`', '`coord.log/1`'],
        ['`seq`', 'the operation; null while a note waits for a writer of the log'],
        ['`at`', "when the operation was written, or the note's own time"],
        ['`event`', 'its name'],
        ['`agent`', 'whom it is about; `by` is who did it, where that is somebody else'],
      ],
    ),
    'A later coord may add events, and facts to these: what is not known here is printed as it is.',
    '## All events',
    ...eventNames.flatMap(section),
  ]);
}
