/** Every verb answers as its schema says: whatever it prints with --json is held against it. */
import { tmpdir } from 'node:os';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { allVerbs } from '../../src/cli/all-verbs.ts';
import {
  at,
  hermetic,
  repository,
  type Started,
  start,
  temporaryFolder,
} from '../support/repository.ts';
import { type Answer, judge } from './judge.ts';
import { evidence, reservations, work } from './scenes-holding.ts';
import { commits, hooks, remotes, saved, unguarded } from './scenes-places.ts';
import { handOver, looks, sessions } from './scenes-seeing.ts';
import { workTrees } from './scenes-work-trees.ts';
import { verbSchemas } from './schemas.ts';
import { Sights } from './watched.ts';

const sights = new Sights();
let demo: Started | null = null;

/** It takes its time, and nothing waits for it. */
beforeAll(() => {
  demo = start(tmpdir(), hermetic(tmpdir()), ['demo', '--json']);
});
afterAll(() => {
  demo?.child.kill();
});

const scenes: Readonly<Record<string, (sights: Sights) => Promise<void> | void>> = {
  reservations,
  work,
  evidence,
  sessions,
  'hand-over': handOver,
  looks,
  commits,
  'saved work': saved,
  hooks,
  remotes,
  'work trees': workTrees,
  'without hooks': unguarded,
};

describe('what is printed', () => {
  for (const [name, scene] of Object.entries(scenes)) {
    test(`${name}: every object is of its schema`, { timeout: 120_000 }, async () => {
      const before = sights.complaints().length;
      await scene(sights);
      sights.close();
      expect(sights.complaints().slice(before)).toEqual([]);
    });
  }

  test('a mistake is an error of every verb', () => {
    const before = sights.complaints().length;
    const repo = sights.watch(repository());
    for (const { words } of allVerbs) repo.coord(null, ...words, '--no-such-flag');
    const home = temporaryFolder();
    const nowhere = sights.watch(at(home, hermetic(home)));
    nowhere.coord('ann', 'status');
    nowhere.coord('ann', 'reserve', 'a');
    nowhere.coord('ann', 'no-such-verb');
    expect(sights.complaints().slice(before)).toEqual([]);
  });

  test(
    'every verb has said yes, no and what failed, where it can',
    { timeout: 60_000 },
    async () => {
      if (demo !== null) sights.note(['demo'], await demo.ended);
      const shapes = sights.shapes();
      const has = (words: string, answer: Answer): boolean =>
        [...shapes].some(
          (shape) =>
            shape.startsWith(`${words}: ${answer} `) ||
            (answer === 'done' && shape.startsWith(`${words}: line `)),
        );
      expect(verbSchemas.map(({ verb }) => verb)).toEqual(allVerbs);
      const lacking = verbSchemas.flatMap(({ words, done, refused }) => [
        ...((done.length > 0 || words === 'log') && !has(words, 'done') ? [`${words}: done`] : []),
        // Of replay only a signal makes a no.
        ...(refused.length > 0 && words !== 'replay' && !has(words, 'refused')
          ? [`${words}: refused`]
          : []),
        ...(has(words, 'error') ? [] : [`${words}: error`]),
      ]);
      expect(lacking).toEqual([]);
    },
  );
});

/** The answer with one thing changed, and how the command ended. */
type Planted = readonly [what: string, object: unknown, code?: number];

test('a planted wrong object fails', () => {
  const repo = repository();
  const right = repo.coord('ann', 'reserve', 'a').json;
  const no = repo.coord('bob', 'reserve', 'a').json;
  const [lease] = right['leases'];
  const { token: _, ...without } = lease;
  const complaints = (object: unknown, code: number): readonly string[] =>
    judge(['reserve', 'a'], `${JSON.stringify(object)}\n`, code).complaints;
  expect([complaints(right, 0), complaints(no, 1)]).toEqual([[], []]);
  const planted: readonly Planted[] = [
    ['a fact more', { ...right, more: 1 }],
    ['a fact less', { ...right, result: undefined }],
    ['the schema of another', { ...right, schema: 'coord.check/1' }],
    ['not ok', { ...right, ok: false }],
    ['another word', { ...right, result: 'given' }],
    ['a lease with a fact more', { ...right, leases: [{ ...lease, more: 1 }] }],
    ['a lease without its token', { ...right, leases: [without] }],
    ['a mode that there is not', { ...right, leases: [{ ...lease, mode: 'mine' }] }],
    ['a kind of another fact', { ...right, leases: [{ ...lease, kind: 'lock' }] }],
    ['no time', { ...right, leases: [{ ...lease, expiresAt: 'tomorrow' }] }],
    ['no id', { ...right, leases: [{ ...lease, id: 'AB' }] }],
    ['another code', right, 2],
    ['a refusal of no kind', { ...no, refusal: { ...no['refusal'], kind: 'because' } }, 1],
    ['a refusal without next', { ...no, next: undefined }, 1],
    ['a code of no error', { ...no, result: 'error', error: { code: 'x', message: '' } }, 1],
    ['no object', 'granted'],
  ];
  expect(planted.filter(([, object, code = 0]) => complaints(object, code).length === 0)).toEqual(
    [],
  );
  expect(judge(['reserve', 'a'], 'granted a\n', 0).complaints).toHaveLength(1);
  const twice = `${JSON.stringify(right)}\n${JSON.stringify(right)}\n`;
  expect(judge(['reserve', 'a'], twice, 0).complaints).toHaveLength(1);
});

test('a planted fact of an event fails, and an event of a newer coord does not', () => {
  const repo = repository();
  repo.coord('ann', 'reserve', 'a');
  const [line = ''] = repo.coord(null, 'log').stdout.split('\n');
  const event = JSON.parse(line) as Readonly<Record<string, unknown>>;
  const complaints = (more: Readonly<Record<string, unknown>>): number =>
    judge(['log'], `${JSON.stringify({ ...event, ...more })}\n`, 0).complaints.length;
  expect([complaints({}), complaints({ more: 1 }), complaints({ kind: 'robot' })]).toEqual([
    0, 1, 1,
  ]);
  expect(complaints({ event: 'foretold', more: 1, kind: 'robot' })).toBe(0);
});
