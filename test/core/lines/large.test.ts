/** Long files with many changes: what is looked at under a lock must not take long. */
import { expect, test } from 'vitest';
import { change } from '../../../src/core/lines/change.ts';
import { committed, fileOf, type LineRecord, ownersOf } from '../../../src/core/lines/record.ts';
import { collisions } from '../../../src/core/lines/rule.ts';
import { settle } from '../../../src/core/lines/settle.ts';

const lines = Array.from({ length: 20_000 }, (_, i) => `line ${i}\n`);
const agents = Array.from({ length: 8 }, (_, i) => `agent ${i}`);

function ofMany(): LineRecord {
  return agents.reduce<LineRecord>((record, owner, i) => {
    const start = 2_000 * i + 10;
    const edit = { start, end: start + 1, lines: [`line of ${owner}\n`] };
    return change(record, [edit], () => owner).record;
  }, lines.map(committed));
}

test('every third line of 20,000 changed at once', { timeout: 20_000 }, () => {
  const file = lines.map((line, i) => (i % 3 === 0 ? `other ${i}\n` : line));
  const { record, unexplained } = settle(lines.map(committed), file, [], () => 'ann');
  expect(fileOf(record)).toEqual(file);
  expect(ownersOf(record)).toEqual(['ann']);
  expect(unexplained.length).toBe(6_667);
});

test('the lines of eight in 20,000', { timeout: 20_000 }, () => {
  expect(collisions(ofMany(), 'agent 3')).toEqual([]);
});

test("those whose changes touch each other are in nobody else's way", () => {
  const record: LineRecord = [
    ...lines.slice(0, 5).map(committed),
    { text: 'of ben\n', addedBy: 'ben', removedBy: null },
    { text: 'unknown\n', addedBy: 'unknown', removedBy: null },
    ...lines.slice(5, 40).map(committed),
  ];
  const far = change(record, [{ start: 20, end: 21, lines: ['of ann\n'] }], () => 'ann').record;
  expect(collisions(far, 'ann')).toEqual([]);
  const near = change(record, [{ start: 7, end: 8, lines: ['of ann\n'] }], () => 'ann').record;
  expect(collisions(near, 'ann')).toEqual(['ben', 'unknown']);
});
