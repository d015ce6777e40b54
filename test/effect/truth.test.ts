/** The judge of `npm run effect`: each kind of harm is planted, and found. */
import { describe, expect, test } from 'vitest';
import { editOf, marked, occurrences, writerOf } from './edit.ts';
import { idealMs, speedOf, stepsOf, targetsOf } from './ideal.ts';
import { readOptions, usual } from './options.ts';
import { type Change, changesIn, type Task, taskOf } from './tasks.ts';
import {
  type CommitRecord,
  doubledTasks,
  type EditRecord,
  fileChanges,
  foreignLines,
  lostEdits,
} from './truth.ts';

const patch = `diff --git a/f b/f
index 1..2 100644
--- a/f
+++ b/f
@@ -2,7 +2,8 @@ heading
 two
-three
+THREE
 four
 five
+five and a half
 six
 seven
 eight
diff --git a/new b/new
new file mode 100644
--- /dev/null
+++ b/new
@@ -0,0 +1 @@
+first
diff --git a/gone b/gone
--- a/gone
+++ /dev/null
@@ -1 +0,0 @@
-last
diff --git a/package-lock.json b/package-lock.json
--- a/package-lock.json
+++ b/package-lock.json
@@ -1 +1 @@
-1
+2
`;

describe('a commit as a task', () => {
  test('each change has its place and the lines around it; deleted and generated files have none', () => {
    expect(changesIn(patch)).toEqual([
      {
        path: 'f',
        at: 2,
        before: ['two'],
        old: ['three'],
        fresh: ['THREE'],
        after: ['four', 'five'],
        isNew: false,
      },
      {
        path: 'f',
        at: 5,
        before: ['four', 'five'],
        old: [],
        fresh: ['five and a half'],
        after: ['six', 'seven', 'eight'],
        isNew: false,
      },
      { path: 'new', at: 0, before: [], old: [], fresh: ['first'], after: [], isNew: true },
    ]);
  });

  test('nothing but such files is no task', () => {
    expect(taskOf('bd-1', patch.slice(patch.indexOf('diff --git a/gone')))).toBeNull();
  });
});

const change: Change = {
  path: 'f',
  at: 2,
  before: ['two'],
  old: ['three'],
  fresh: ['THREE'],
  after: ['four'],
  isNew: false,
};

describe('an edit', () => {
  test('finds its place by the lines around it, whatever stands before it by now', () => {
    const seen = ['three', 'x', 'two', 'three', 'four', ''].join('\n');
    const edit = editOf(seen, change, 'bd-1.0@ann');
    expect(edit?.whole).toBe(['three', 'x', 'two', 'THREE #~bd-1.0@ann~', 'four', ''].join('\n'));
    expect(occurrences(seen, edit?.from ?? '')).toBe(1);
    expect(seen.replace(edit?.from ?? '', edit?.to ?? '')).toBe(edit?.whole);
  });

  test('takes lines of other tasks for what they were, and says which it replaced', () => {
    const edit = editOf(`two\n${marked('three', 'bd-7.0@bob')}\nfour\n`, change, 'bd-1.0@ann');
    expect(edit?.old).toEqual(['three #~bd-7.0@bob~']);
  });

  test('is skipped where the lines do not stand, or nothing around them does', () => {
    expect(editOf('two\nother\nfour\n', change, 'w')).toBeNull();
    expect(editOf('a\nthree\nb\n', change, 'w')).toBeNull();
    expect(editOf(null, change, 'w')).toBeNull();
    expect(editOf('there\n', { ...change, isNew: true }, 'w')).toBeNull();
  });

  test('that only takes out leaves a line that says so', () => {
    const edit = editOf('two\nthree\nfour\n', { ...change, fresh: [] }, 'bd-1.0@ann');
    expect(edit?.fresh.map(writerOf)).toEqual(['bd-1.0@ann']);
  });
});

const edit = (bead: string, agent: string, fresh: string[], old: string[] = []): EditRecord => ({
  bead,
  agent,
  path: 'f',
  old,
  fresh: fresh.map((line) => marked(line, `${bead}@${agent}`)),
});
const [mine, theirs] = [edit('bd-1', 'ann', ['a']), edit('bd-2', 'bob', ['b'])];
const [a = ''] = mine.fresh;
const [b = ''] = theirs.fresh;
const done = [
  { bead: 'bd-1', agent: 'ann' },
  { bead: 'bd-2', agent: 'bob' },
];

describe('what came of it', () => {
  test('an edit that is not in the final tree is lost', () => {
    expect(lostEdits([mine, theirs], done, () => ['x', b])).toEqual([mine]);
    expect(lostEdits([mine, theirs], done, () => [a, b])).toEqual([]);
  });

  test('not so one that another edit replaced, nor one of a task that was not finished', () => {
    const later = edit('bd-2', 'bob', ['c'], [a]);
    expect(lostEdits([mine, later], done, () => later.fresh)).toEqual([]);
    expect(lostEdits([mine], done.slice(1), () => [])).toEqual([]);
  });

  const commit = (added: readonly string[], removed: readonly string[] = []): CommitRecord => ({
    bead: 'bd-1',
    agent: 'ann',
    changes: [{ path: 'f', added, removed }],
  });

  test.each<readonly [string, readonly string[], CommitRecord]>([
    ['its own lines are its own', [], commit([a], ['x'])],
    ['a line of another task is foreign', [b], commit([a, b])],
    ['so is an old line that comes back', ['x'], commit([a, 'x'])],
    ['and a line of another that goes', [b], commit([a], [b])],
    ['what only moves is not', [], commit([a, b, 'x'], ['x', b])],
  ])('%s', (_, foreign, record) => {
    expect(foreignLines(record, [mine, theirs])).toEqual(foreign);
  });

  test('another agent at the same task is another', () => {
    expect(foreignLines(commit([a]), [{ ...mine, agent: 'eve' }])).toEqual([a]);
    expect(doubledTasks([...done, { bead: 'bd-1', agent: 'eve' }])).toEqual(['bd-1']);
    expect(doubledTasks([...done, { bead: 'bd-1', agent: 'ann' }])).toEqual([]);
  });

  test('the changes of a commit are read from its patch', () => {
    expect(fileChanges(`\n${patch}`)).toEqual([
      { path: 'f', added: ['THREE', 'five and a half'], removed: ['three'] },
      { path: 'new', added: ['first'], removed: [] },
      { path: 'gone', added: [], removed: ['last'] },
      { path: 'package-lock.json', added: ['2'], removed: ['1'] },
    ]);
  });
});

describe('the ideal', () => {
  const tasks = [1, 4, 1, 1].map(
    (count, i): Task => ({ bead: `bd-${i}`, changes: Array.from({ length: count }, () => change) }),
  );

  test('is the time of the last agent, who takes a task whenever it is free', () => {
    expect(tasks.map(stepsOf)).toEqual([3, 6, 3, 3]);
    // 3 + 3 + 3 beside 6.
    expect(idealMs(tasks, 2, 100)).toBe(900);
    expect(idealMs(tasks, 1, 100)).toBe(1_500);
    expect(speedOf({ idealMs: 900, tookMs: 1_000 })).toBe(0.9);
  });

  test('is wanted by the number of agents', () => {
    expect(targetsOf(usual)).toEqual({ speed: 0.9, refused: 0.03 });
    expect(targetsOf({ agents: 5, hold: true }).speed).toBe(0.85);
    expect(targetsOf({ agents: 10, hold: false })).toEqual({ speed: 0.85, refused: 0.05 });
    expect(targetsOf({ agents: 20, hold: false })).toEqual({ speed: 0.8, refused: 0.05 });
  });
});

describe('the options', () => {
  test('are read, with what holds where nothing is said', () => {
    expect(readOptions([])).toEqual(usual);
    expect(
      readOptions(['--agents', '10', '--step', '4s', '--hold', '--policy', 'off,lines']),
    ).toEqual({ ...usual, agents: 10, stepMs: 4_000, hold: true, policies: ['off', 'lines'] });
  });

  test.each([
    ['--agents', '0'],
    ['--step', '4'],
    ['--policy', 'some'],
    ['--speed', '1'],
  ])('%s %s is none', (...args) => {
    expect(() => readOptions(args)).toThrow();
  });
});
