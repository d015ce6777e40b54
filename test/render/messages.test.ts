/**
 * What coord says to people, in one file to be read aloud: fixtures/messages.txt. After a change of
 * words COORD_WRITE_MESSAGES=1 writes it anew, and its difference is part of what is reviewed.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Event, EventName } from '../../src/core/event.ts';
import { sentence } from '../../src/core/event-words.ts';
import type { Reservation } from '../../src/core/lease.ts';
import { afterRefusal } from '../../src/core/next.ts';
import type { Problem } from '../../src/guard/evaluate.ts';
import { refusalText } from '../../src/render/guard.ts';
import { answerWords, refusalWords } from '../../src/render/wording.ts';
import {
  errorMeanings,
  guardMeanings,
  refusalMeanings,
  verbMeanings,
} from '../../src/show/codes.ts';
import { inboxWords } from '../../src/show/inbox.ts';
import { agent, path, refusals } from '../support/refusals.ts';
import { told } from '../support/told.ts';

const file = join(import.meta.dirname, '../../fixtures/messages.txt');
const bob = { id: 'cccccccc', name: 'bob' };
const oid = 'd'.repeat(40);
const commit = {
  oid,
  tree: oid,
  parents: [],
  agent: 'ann (aaaaaaaa)',
  subject: 'a faster loop',
  origin: '',
  committedAt: 0,
  authoredAt: 0,
};

const problems: readonly Problem[] = [
  { kind: 'unsaved', path: 'src/a', by: 'ann (aaaaaaaa)' },
  { kind: 'lost', commit },
  { kind: 'in-progress', operation: 'merge', by: 'ann' },
  { kind: 'in-progress', operation: 'am', by: 'a person' },
  { kind: 'switched', from: 'main', to: 'topic', by: 'ann' },
  { kind: 'switched', from: 'main', to: 'topic', by: null },
  { kind: 'mixed', agent: null },
  { kind: 'vanished', path: 'src/a' },
  { kind: 'not-staged', path: 'src/a' },
  { kind: 'locked' },
  { kind: 'restored' },
  { kind: 'nothing' },
];

const facts: Partial<Record<EventName, Readonly<Record<string, unknown>>>> = {
  acquired: { patterns: ['src/a'] },
  renewed: { leases: ['x', 'y'] },
  released: { patterns: ['src/a'] },
  expired: { bead: 'bd-1' },
  transferred: { patterns: ['src/a'], by: bob, reason: 'end of shift' },
  broken: { name: 'test', by: bob, reason: 'it was gone' },
  waiting: { name: 'test' },
  'wait-ended': { name: 'test' },
  conflict: { patterns: ['src/a'] },
  committed: { paths: ['src/a', 'src/b'] },
  blocked: { paths: ['src/a'] },
  overridden: { paths: ['src/a'], holders: [agent], reason: 'licence' },
  overwritten: { patterns: ['src/a'], by: bob, saved: 'cccccccc/1' },
  done: { bead: 'bd-1' },
  failed: { bead: 'bd-1' },
  reopened: { bead: 'bd-1' },
  gated: { bead: 'bd-1' },
  asked: { patterns: ['src/a'], by: bob, request: 'r1', reason: 'the release' },
  answered: { patterns: ['src/a'], by: bob, verdict: 'defer', eta: 600 },
  'request-closed': { patterns: ['src/a'], by: bob },
  taken: { bead: 'bd-1', by: bob, reason: 'it has to go on' },
  landed: { paths: ['src/a'] },
  raised: { from: 1, to: 2 },
};
const events: readonly EventName[] = [
  'started',
  'adopted',
  'ended',
  'acquired',
  'renewed',
  'released',
  'expired',
  'transferred',
  'broken',
  'waiting',
  'wait-ended',
  'conflict',
  'tally',
  'committed',
  'blocked',
  'overridden',
  'overwritten',
  'done',
  'failed',
  'reopened',
  'gated',
  'asked',
  'answered',
  'request-closed',
  'taken',
  'compacted',
  'repaired',
  'raised',
  'moved',
  'landed',
];

function eventOf(event: EventName): Event {
  return { event, agent, ...facts[event] };
}

function section(title: string, lines: readonly string[]): string {
  return [title, ...lines.map((line) => `  ${line}`), ''].join('\n');
}

function guarded(problem: Problem): string {
  const about = {
    repository: {} as never,
    basedOn: () => null,
    head: null,
    state: {} as never,
    c: {} as never,
    isAgent: true,
  };
  return refusalText([problem], about, []).join(' | ');
}

function messages(): string {
  const asked = { again: ['reserve', 'src/a'], self: [] };
  return [
    section(
      'Refusals, and what to run next',
      refusals.map((one) => `${refusalWords(one)} -> ${afterRefusal(one, asked)}`),
    ),
    section('What the guard says', problems.map(guarded)),
    section(
      'What the log says',
      events.map((event) => sentence(eventOf(event))),
    ),
    section(
      'What the inbox says to ann',
      events.flatMap((event) => inboxWords(eventOf(event), agent) ?? []),
    ),
    section(
      'Answers to a request',
      (['accept', 'decline', 'defer'] as const).map((verdict) =>
        answerWords(verdict, 'src/a', 'bob', 600_000),
      ),
    ),
    section(
      'What a model is told, and in how many characters',
      told.map(([when, text]) => `${when} (${text.length}): ${text.replaceAll('\n', ' | ')}`),
    ),
    section(
      'Errors',
      Object.entries(errorMeanings).map(([code, says]) => `${code}: ${says}`),
    ),
    section(
      'Kinds of refusals',
      Object.entries({ ...refusalMeanings, ...guardMeanings, ...verbMeanings }).map(
        ([kind, says]) => `${kind}: ${says}`,
      ),
    ),
  ].join('\n');
}

test('all that is said is as it was read', () => {
  expect((path as Reservation).patterns).toHaveLength(1);
  const text = messages();
  if (process.env['COORD_WRITE_MESSAGES'] === '1') writeFileSync(file, text);
  expect(text).toBe(readFileSync(file, 'utf8'));
});
