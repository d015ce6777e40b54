/** What stays of a file where one owner takes back all that is theirs. */
import { expect, test } from 'vitest';
import { change, editsBetween } from '../../../src/core/lines/change.ts';
import {
  baseOf,
  committed,
  fileOf,
  type LineRecord,
  ownersOf,
  versionOf,
} from '../../../src/core/lines/record.ts';
import { settle } from '../../../src/core/lines/settle.ts';
import { split } from '../../../src/core/lines/split.ts';
import { without } from '../../../src/core/lines/without.ts';

const base = split('a\nb\nc\nd\ne\nf\n');

function by(record: LineRecord, owner: string, text: string): LineRecord {
  return change(record, editsBetween(fileOf(record), split(text)), () => owner).record;
}

const cases = [
  ['a line changed', 'a\nB\nc\nd\ne\nf\n', 'a\nB\nc\nd\nE\nf\n', 'a\nb\nc\nd\nE\nf\n'],
  ['lines added', 'a\nx\ny\nb\nc\nd\ne\nf\n', 'a\nx\ny\nb\nc\nd\nf\n', 'a\nb\nc\nd\nf\n'],
  ['lines removed', 'a\nd\ne\nf\n', 'a\nd\ne\nf\nz\n', 'a\nb\nc\nd\ne\nf\nz\n'],
  [
    'the same lines twice',
    'a\nb\nb\nc\nd\ne\nf\n',
    'a\nb\nb\nc\nd\ne\ne\nf\n',
    'a\nb\nc\nd\ne\ne\nf\n',
  ],
  ['no newline at the end', 'b\nc\nd\ne\nf\n', 'b\nc\nd\ne\nf', 'a\nb\nc\nd\ne\nf'],
] as const;

test.for(cases)('what others did stays: %s', ([, anns, both, bens]) => {
  const record = by(by(base.map(committed), 'ann', anns), 'ben', both);
  expect(fileOf(record).join('')).toBe(both);
  const left = without(record, 'ann');
  expect(fileOf(left).join('')).toBe(bens);
  expect(baseOf(left)).toEqual(base);
  expect(ownersOf(left)).toEqual(['ben']);
  expect(versionOf(left, (one) => one === 'ben')).toEqual(
    versionOf(record, (one) => one === 'ben'),
  );
  // Announced like an edit, it leaves the same record, whoever looks next.
  const edits = editsBetween(fileOf(record), fileOf(left));
  const settled = settle(record, fileOf(left), [{ owner: 'ann', edits }]);
  expect(ownersOf(settled.record)).toEqual(['ben']);
  expect(settled.unexplained).toEqual([]);
});
