/** The arithmetic of a replay: how changes meet, who waits by which policy, what is counted. */
import { describe, expect, test } from 'vitest';
import { contentKey, parseHunks, parseMerged } from '../../src/git/merges.ts';
import type { Replay } from '../../src/study/replay.ts';
import { replayFigures } from '../../src/study/replay-figures.ts';
import {
  changedByBoth,
  isOfLines,
  type Meeting,
  meetingOf,
  meetingOfLines,
  type Pair,
} from '../../src/study/replay-pair.ts';
import { replayLines, replayNotes } from '../../src/study/replay-table.ts';

const hunk = (
  start: number,
  end: number,
  lines = '+x',
): Parameters<typeof meetingOfLines>[0][0] => ({ start, end, lines });

describe('two changes of one file', () => {
  test.each<readonly [string, Meeting, [number, number], [number, number]]>([
    ['the same line', 'touching', [3, 4], [3, 4]],
    ['lines that adjoin', 'touching', [3, 4], [4, 5]],
    ['one unchanged line between them', 'apart', [3, 4], [5, 6]],
    ['insertions at one point', 'touching', [3, 3], [3, 3]],
    ['an insertion at the end of a change', 'touching', [3, 5], [5, 5]],
    ['an insertion one line behind a change', 'apart', [3, 5], [6, 6]],
    ['an insertion inside a deletion', 'touching', [2, 6], [4, 4]],
  ])('%s: %s', (_, meeting, one, two) => {
    const [a, b] = [[hunk(...one, '+a')], [hunk(...two, '+b')]];
    expect([meetingOfLines(a, b), meetingOfLines(b, a)]).toEqual([meeting, meeting]);
  });

  test('what both did alike is in nobody’s way, and what else they did may be', () => {
    const [alike, mine, theirs] = [hunk(1, 2), hunk(8, 9, '+a'), hunk(9, 10, '+b')];
    expect(meetingOfLines([alike], [alike])).toBe('apart');
    expect(meetingOfLines([alike, mine], [alike, theirs])).toBe('touching');
  });

  test('in a union additions at one place are both kept, changes are not', () => {
    expect(meetingOfLines([hunk(3, 3, '+a')], [hunk(3, 3, '+b')], true)).toBe('apart');
    expect(meetingOfLines([hunk(3, 4, '+a')], [hunk(3, 3, '+b')], true)).toBe('touching');
  });

  const entry = (mode: string, oid: string): string => `${mode} ${oid}`;
  const change = (before: string | null, after: string | null) => ({ path: 'f', before, after });
  const plain = change(entry('100644', 'a1'), entry('100644', 'b2'));

  test('lines are looked at in a file that stays what it is', () => {
    const other = change(entry('100644', 'a1'), entry('100644', 'c3'));
    const both = { path: 'f', one: plain, two: other };
    expect(isOfLines(both)).toBe(true);
    const far = new Map([
      [contentKey('a1', 'b2'), [hunk(1, 2)]],
      [contentKey('a1', 'c3'), [hunk(7, 8)]],
    ]);
    expect(meetingOf(both, far, false)).toBe('apart');
    expect(meetingOf(both, new Map(), false), 'no text').toBe('whole');
  });

  test.each([
    ['deleted', change(entry('100644', 'a1'), null)],
    ['made executable', change(entry('100644', 'a1'), entry('100755', 'a1'))],
    ['a link', change(entry('100644', 'a1'), entry('120000', 'c3'))],
    ['a submodule', change(entry('160000', 'a1'), entry('160000', 'c3'))],
    ['new', change(null, entry('100644', 'c3'))],
  ])('the whole file is needed where one side is %s', (_, other) => {
    const [both] = changedByBoth([plain], [other]);
    if (both === undefined) throw new Error('not shared');
    expect(meetingOf(both, new Map(), false)).toBe('whole');
  });
});

test('hunks are read from a patch of many files, also where lines look like headers', () => {
  const patch = [
    'diff --git a/f b/f',
    'index a1..b2 100644',
    '--- a/f',
    '+++ b/f',
    '@@ -3,2 +3 @@ heading',
    '-three',
    '-@@ -1 +1 @@',
    '+diff --git a/x b/x',
    '@@ -9,0 +9,2 @@',
    '+nine\r@@ -5 +5 @@',
    '+ten',
    '\\ No newline at end of file',
    'diff --git a/g b/g',
    'index c3..d4 100644',
    'Binary files a/g and b/g differ',
    '',
  ].join('\n');
  expect([...parseHunks(patch)]).toEqual([
    [
      contentKey('a1', 'b2'),
      [
        { start: 2, end: 4, lines: '+diff --git a/x b/x' },
        { start: 9, end: 9, lines: '+nine\r@@ -5 +5 @@\n+ten\n\\ No newline at end of file' },
      ],
    ],
  ]);
});

test('the answers of git merge-tree are counted against the questions', () => {
  const text = '1\0aa\0\0' + '0\0bb\0f\0g\0\0';
  expect(parseMerged(text, 2)).toEqual([
    { isClean: true, tree: 'aa', conflicts: [] },
    { isClean: false, tree: 'bb', conflicts: ['f', 'g'] },
  ]);
  expect(parseMerged(text, 3)).toBeNull();
});

const pair = (meetings: Readonly<Record<string, Meeting>>, ...conflicts: string[]): Pair => ({
  merge: 'm',
  shared: Object.entries(meetings).map(([path, meeting]) => ({ path, meeting })),
  isClean: conflicts.length === 0,
  conflicts,
});

const pairs = [
  pair({}),
  pair({ a: 'apart' }),
  pair({ a: 'apart', b: 'whole' }),
  pair({ a: 'touching' }, 'a'),
  pair({ a: 'same' }, 'moved'),
];

describe('the figures', () => {
  test('count who waits, who waits needlessly, and which conflicts are let through', () => {
    const { policies, files, ...rest } = replayFigures(pairs);
    expect(rest).toEqual({ pairs: 5, sharing: 4, conflicts: 2, clean: 2 });
    expect(policies).toEqual([
      { policy: 'project lock', waits: 5, needless: 2, needlessShare: 1, missed: 0 },
      { policy: 'files', waits: 4, needless: 2, needlessShare: 1, missed: 0 },
      { policy: 'lines', waits: 2, needless: 1, needlessShare: 0.5, missed: 1 },
    ]);
    expect(files).toEqual([
      { path: 'a', pairs: 4, conflicts: 1 },
      { path: 'moved', pairs: 0, conflicts: 1 },
    ]);
  });

  test('of nothing are nothing', () => {
    const { policies, ...rest } = replayFigures([]);
    expect(rest).toEqual({ pairs: 0, sharing: 0, conflicts: 0, clean: 0, files: [] });
    expect(policies.map(({ needlessShare }) => needlessShare)).toEqual([null, null, null]);
  });

  test('are a table of 80 columns, whatever the paths', () => {
    const long = 'a/'.repeat(80);
    const found: Replay = {
      ...replayFigures([...pairs, pair({ [long]: 'touching' }, long)]),
      merges: 7,
      octopus: 1,
      unreadable: 1,
      left: 0,
      isShallow: true,
      judge: 'lines',
    };
    const lines = replayLines(found);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
    expect(lines.find((line) => line.startsWith('lines'))).toMatch(
      /^lines +3 +50\.0 % +1 +50\.0 % +1$/,
    );
    expect(replayNotes(found).join('\n')).toMatch(/more than two[^]*--unshallow[^]*2\.38/);
  });
});
