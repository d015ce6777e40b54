/** A sample of the kills beside notes for the log; at length in note-walk.long.test.ts. */
import { expect, test } from 'vitest';
import { NoteWalk } from './note-walk.ts';

const seed = Number(process.env['COORD_SEED'] ?? 20261121);
const steps = 20;

test(`COORD_SEED=${seed}: ${steps} steps of kills lose no note [U9]`, async () => {
  const { kills, left, ...found } = await new NoteWalk({ seed, steps, isQuick: true }).run();
  expect(found).toMatchObject({ lost: [], doubled: [] });
  expect(Math.min(kills, left)).toBeGreaterThan(2);
});
