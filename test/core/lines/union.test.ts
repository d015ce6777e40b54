/** A file in which all is kept of what several add at one place, in the order of the file. */
import { describe, expect, test } from 'vitest';
import { change, editsBetween } from '../../../src/core/lines/change.ts';
import { partOf, unionPartOf } from '../../../src/core/lines/part.ts';
import { rebased } from '../../../src/core/lines/rebase.ts';
import {
  baseOf,
  committed,
  fileOf,
  type LineRecord,
  nobodyKnown,
  ownersOf,
  versionOf,
} from '../../../src/core/lines/record.ts';
import { collisions } from '../../../src/core/lines/rule.ts';
import { edited, type Intent, settle } from '../../../src/core/lines/settle.ts';
import { type Lines, split } from '../../../src/core/lines/split.ts';
import { mergeUnion } from '../../../src/core/lines/union.ts';
import { type Chance, chanceOf, seeds } from '../pattern-generator.ts';
import { someEdit, someLines } from './texts.ts';

const base = ['# Changes\n', '\n', '- old\n'];

function after(record: LineRecord, owner: string, text: string): LineRecord {
  return change(record, editsBetween(fileOf(record), split(text)), () => owner).record;
}

/** Of ann's additions and removals, with ben's after them. */
function both(ann: string, ben: string): LineRecord {
  return after(after(base.map(committed), 'ann', ann), 'ben', ben);
}

interface Row {
  readonly what: string;
  readonly ann: string;
  readonly ben: string;
  readonly isFree: boolean;
}

test.for<Row>([
  {
    what: 'after an addition',
    ann: '# Changes\n\n- old\n- a\n',
    ben: '# Changes\n\n- old\n- a\n- b\n',
    isFree: true,
  },
  {
    what: 'before an addition',
    ann: '# Changes\n\n- a\n- old\n',
    ben: '# Changes\n\n- b\n- a\n- old\n',
    isFree: true,
  },
  {
    what: 'between two lines of an addition',
    ann: '# Changes\n\n- a\n- a2\n- old\n',
    ben: '# Changes\n\n- a\n- b\n- a2\n- old\n',
    isFree: true,
  },
  {
    what: 'beside a line that is changed',
    ann: '# Changes\n\n- OLD\n',
    ben: '# Changes\n\n- OLD\n- b\n',
    isFree: false,
  },
  {
    what: 'beside a line that is gone',
    ann: '# Changes\n- old\n',
    ben: '# Changes\n- b\n- old\n',
    isFree: false,
  },
  {
    what: 'a change beside an addition',
    ann: '# Changes\n\n- old\n- a\n',
    ben: '# Changes\n\n- OLD\n- a\n',
    isFree: false,
  },
])('$what', ({ ann, ben, isFree }) => {
  const record = both(ann, ben);
  expect(collisions(record, 'ben', true)).toEqual(isFree ? [] : ['ann']);
  expect(collisions(record, 'ben')).toEqual(['ann']);
});

describe('what is staged beside additions of others', () => {
  const record = both('# Changes\n\n- old\n- a\n', '# Changes\n\n- old\n- a\n- b\n- b2\n');
  const isAnn = (owner: string): boolean => owner === 'ann';

  test('before they were all there, it is the part of its author', () => {
    const staged = [...base, '- a\n', '- b\n'];
    expect(partOf(record, staged, isAnn)).toBeNull();
    expect(unionPartOf(record, staged, isAnn)).toEqual([...base, '- a\n']);
    expect(unionPartOf(record, staged, (owner) => !isAnn(owner))).toEqual([...base, '- b\n']);
  });

  test.for([
    ['their own alone', ['- b\n'], ['- a\n'], ['- a\n', '- b\n']],
    ['the whole file', ['- a\n', '- b\n', '- b2\n'], ['- a\n'], ['- a\n', '- b\n', '- b2\n']],
    ['what is no longer in the file', ['- B\n'], ['- a\n'], ['- B\n', '- a\n']],
    ['what the file has later', ['- a\n'], ['- b\n', '- b2\n'], ['- a\n', '- b\n', '- b2\n']],
  ] as const)('%s comes along', ([, staged, theirs, all]) => {
    expect(mergeUnion(base, [...base, ...staged], [...base, ...theirs], fileOf(record))).toEqual([
      ...base,
      ...all,
    ]);
  });

  test('a line that both have changed is a conflict', () => {
    const of = (line: string): Lines => [...base.slice(0, 2), line];
    expect(mergeUnion(base, of('- a\n'), of('- b\n'), of('- b\n'))).toBeNull();
  });
});

test.for([
  ['in their order', ['- a\n', '- b\n']],
  ['the other way round', ['- b\n', '- a\n']],
  ['with one by hand between them', ['- a\n', '- hand\n', '- b\n']],
] as const)('two that were announced at one place and came %s are known', ([, came]) => {
  const of = (owner: string, line: string): Intent => ({
    owner,
    edits: [{ start: 3, end: 3, lines: [line] }],
  });
  const intents = [of('ann', '- a\n'), of('ben', '- b\n')];
  const { record, done } = settle(base.map(committed), [...base, ...came], intents);
  expect(fileOf(record)).toEqual([...base, ...came]);
  expect(done).toEqual(intents);
  const owners = { '- a\n': 'ann', '- b\n': 'ben', '- hand\n': nobodyKnown };
  for (const { text, addedBy } of record.slice(3))
    expect(addedBy).toBe(owners[text as keyof typeof owners]);
});

const agents = ['ann', 'ben', 'cleo'];

/** Lines of one's own added at the one place, or any other edit, if the rule allows it. */
function tried(chance: Chance, record: LineRecord, owner: string, name: string): LineRecord {
  const file = fileOf(record);
  const places = file.flatMap((line, i) => (line === 'here\n' ? i + 1 : []));
  const start = (places[0] ?? 0) + chance.below(3);
  const lines = [...someLines(chance, chance.below(2)), `${name} of ${owner}\n`];
  const edit =
    chance.below(3) > 0 && start <= file.length
      ? { start, end: start, lines }
      : someEdit(chance, file);
  const next = change(record, editsBetween(file, edited(file, [edit])), () => owner);
  const isFine = next.others.length === 0 && collisions(next.record, owner, true).length === 0;
  return isFine ? next.record : record;
}

test.for(seeds)('in every order of commits all is kept as the file has it, seed %i', (seed) => {
  const chance = chanceOf(seed);
  let beside = 0;
  for (let round = 0; round < 300; round++) {
    const start = [...someLines(chance, 8), 'here\n', ...someLines(chance, 8)];
    let record: LineRecord = start.map(committed);
    for (let step = 0; step < 8; step++)
      record = tried(chance, record, chance.pick(agents), `${round}.${step}`);
    if (ownersOf(record).some((owner) => collisions(record, owner).length > 0)) beside++;
    const file = fileOf(record);
    const owners = ownersOf(record);
    for (const order of [owners, [...owners].reverse()]) {
      let now = record;
      for (const [i, owner] of order.entries()) {
        const own = partOf(now, file, (one) => one === owner);
        expect(own).toEqual(versionOf(now, (one) => one === owner));
        now = rebased(now, own ?? []);
        expect(baseOf(now)).toEqual(own);
        expect(fileOf(now)).toEqual(file);
        expect([...ownersOf(now)].sort()).toEqual(order.slice(i + 1).sort());
      }
      expect(baseOf(now)).toEqual(file);
    }
  }
  expect(beside).toBeGreaterThan(100);
});
