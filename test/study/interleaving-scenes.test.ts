/** Scenes played in every order: the endings that there are, and no others. */
import { describe, expect, test } from 'vitest';
import { limits } from '../../src/core/limits.ts';
import {
  releasing,
  renewing,
  reserving,
  sweeping,
  taking,
  transferring,
} from '../../src/study/deeds.ts';
import type { Deed } from '../../src/study/scene.ts';
import { type Before, type Cast, endingsOf, held, sceneOf } from './casts.ts';

/** Stands in line, and gives up at its second look. */
function waiting(pattern: string): Deed {
  return taking({ kind: 'reservation', patterns: [pattern] }, { waitMs: 1 });
}

const lines = (patterns: readonly string[]): Deed => reserving(patterns, { mode: 'lines' });

interface Row {
  readonly title: string;
  readonly cast: Cast;
  readonly before?: Before;
  readonly endings: readonly string[];
}

const rows: readonly Row[] = [
  {
    title: 'patterns that do not meet: all are granted',
    endings: ['ann granted, bob granted, cy granted'],
    cast: { ann: [held], bob: [reserving(['lib/**'])], cy: [reserving(['docs/*.md'])] },
  },
  {
    title:
      'one in the middle overlaps two that do not meet: it has its own, or both of them have theirs',
    cast: { ann: [held], bob: [reserving(['src/*.ts'])], cy: [reserving(['src/b.ts'])] },
    endings: [
      'ann granted, bob refused:held, cy granted',
      'ann refused:held, bob granted, cy refused:held',
    ],
  },
  {
    title:
      'a chain of three and one who overlaps them all: the ends of the chain, or its middle, or the fourth alone',
    cast: {
      ann: [held],
      bob: [reserving(['src/*.ts'])],
      cy: [reserving(['src/b.ts'])],
      dee: [reserving(['src/**'])],
    },
    endings: [
      'ann granted, bob refused:held, cy granted, dee refused:held',
      'ann refused:held, bob granted, cy refused:held, dee refused:held',
      'ann refused:held, bob refused:held, cy refused:held, dee granted',
    ],
  },
  {
    title: 'two patterns in one call, each taken by another: all or nothing',
    cast: { ann: [reserving(['src/a.ts', 'lib/b.ts'])], bob: [held], cy: [reserving(['lib/**'])] },
    endings: [
      'ann granted, bob refused:held, cy refused:held',
      'ann refused:held, bob granted, cy granted',
    ],
  },
  {
    title: 'two processes of one agent and a rival: both processes or the rival',
    cast: { ann: [held], 'ann@2': [held], bob: [held] },
    endings: [
      'ann granted, ann@2 granted, bob refused:held',
      'ann refused:held, ann@2 refused:held, bob granted',
    ],
  },
  {
    title: 'a parent and its two children: the parent always, one of the children',
    before: { done: [['ann', reserving(['lib/**'])]] },
    cast: { ann: [reserving(['src/**'])], 'ann/kid': [held], 'ann/boy': [reserving(['src/*.ts'])] },
    endings: [
      'ann granted, ann/kid granted, ann/boy refused:held',
      'ann granted, ann/kid refused:held, ann/boy granted',
    ],
  },
  {
    title:
      'two holders who each wait for what the other has: one of them is told of the circle, if both were in line',
    before: {
      done: [
        ['ann', held],
        ['bob', reserving(['lib/b.ts'])],
      ],
    },
    cast: { ann: [waiting('lib/b.ts')], bob: [waiting('src/a.ts')] },
    endings: [
      'ann refused:deadlock, bob refused:timeout',
      'ann refused:timeout, bob refused:deadlock',
      'ann refused:timeout, bob refused:timeout',
    ],
  },
  {
    title: 'two readers and a writer: both readers or the writer',
    cast: {
      ann: [reserving(['src/**'], { mode: 'shared' })],
      bob: [reserving(['src/a.ts'], { mode: 'shared' })],
      cy: [held],
    },
    endings: [
      'ann granted, bob granted, cy refused:held',
      'ann refused:held, bob refused:held, cy granted',
    ],
  },
  {
    title: 'two readers who both want to write: neither, while the other reads',
    before: {
      done: [
        ['ann', reserving(['src/a.ts'], { mode: 'shared' })],
        ['bob', reserving(['src/a.ts'], { mode: 'shared' })],
      ],
    },
    cast: { ann: [held], bob: [held] },
    endings: ['ann refused:held, bob refused:held'],
  },
  {
    title: 'two editors of lines and one who wants all of it: both editors or that one',
    cast: { ann: [lines(['src/**'])], bob: [lines(['src/a.ts'])], cy: [held] },
    endings: [
      'ann granted, bob granted, cy refused:held',
      'ann refused:held, bob refused:held, cy granted',
    ],
  },
  {
    title: 'editors of lines in two work trees: those of one',
    cast: {
      ann: [lines(['src/**'])],
      bob: [lines(['src/a.ts'])],
      'cy in far': [lines(['src/a.ts'])],
    },
    endings: [
      'ann granted, bob granted, cy in far refused:held',
      'ann refused:held, bob refused:held, cy in far granted',
    ],
  },
  {
    title:
      'a holder who releases, and two who want it: one of them at most, both only if they came too early',
    before: { done: [['ann', held]] },
    cast: { ann: [releasing(['src/a.ts'])], bob: [held], cy: [held] },
    endings: [
      'ann released, bob granted, cy refused:held',
      'ann released, bob refused:held, cy granted',
      'ann released, bob refused:held, cy refused:held',
    ],
  },
  {
    title: 'a holder who renews in time, and a rival: the rival never',
    before: { done: [['ann', held]], passedMs: limits.ttlMs - 1 },
    cast: { ann: [renewing()], bob: [held], cy: [sweeping()] },
    endings: ['ann renewed, bob refused:held, cy nothing'],
  },
  {
    title: 'a holder in grace who takes it again, and a rival: the rival never',
    before: { done: [['ann', held]], passedMs: limits.ttlMs + 1 },
    cast: { ann: [held], bob: [held], cy: [sweeping()] },
    endings: [
      'ann granted, bob refused:grace, cy nothing',
      'ann granted, bob refused:held, cy nothing',
    ],
  },
  {
    title:
      'a lease that has run out: the rival takes it, a renewal never brings it back, the sweep may come first',
    before: { done: [['ann', held]], passedMs: limits.ttlMs + limits.graceMs + 1 },
    cast: { ann: [renewing()], bob: [held], cy: [sweeping()] },
    endings: ['nothing', 'swept'].flatMap((swept) =>
      ['expired', 'nothing_matched'].map((why) => `ann refused:${why}, bob granted, cy ${swept}`),
    ),
  },
  {
    title: 'a transfer, and a third who wants it: the third never',
    before: {
      done: [
        ['ann', held],
        ['bob', reserving(['lib/**'])],
      ],
    },
    cast: { ann: [transferring(['src/a.ts'], 'bob')], cy: [reserving(['src/*.ts'])] },
    endings: ['ann transferred, cy refused:held'],
  },
  {
    title: 'a transfer to one who asks for it: refused before, its own after',
    before: {
      done: [
        ['ann', held],
        ['bob', reserving(['lib/**'])],
      ],
    },
    cast: { ann: [transferring(['src/a.ts'], 'bob')], bob: [held] },
    endings: ['ann transferred, bob granted', 'ann transferred, bob refused:held'],
  },
  {
    title: 'a transfer and a release of one lease: only one of them takes effect',
    before: {
      done: [
        ['ann', held],
        ['bob', reserving(['lib/**'])],
      ],
    },
    cast: { ann: [transferring(['src/a.ts'], 'bob')], 'ann@2': [releasing(['src/a.ts'])] },
    endings: [
      'ann refused:nothing_matched, ann@2 released',
      'ann transferred, ann@2 refused:not_owner',
    ],
  },
  {
    title: 'two who take and release: an order explains what both were told',
    cast: {
      ann: [reserving(['src/*.ts']), releasing(['src/*.ts'])],
      bob: [held, releasing(['src/a.ts'])],
    },
    endings: [
      'ann granted released, bob granted released',
      'ann granted released, bob refused:held refused:nothing_matched',
      'ann refused:held refused:nothing_matched, bob granted released',
    ],
  },
];

describe('every interleaving of scenes', () => {
  test.for(rows.map((row) => [row.title, row] as const))('%s', async ([
    ,
    { cast, before, endings },
  ]) => {
    expect((await endingsOf(await sceneOf(cast, before))).endings).toEqual(endings.toSorted());
  });
});
