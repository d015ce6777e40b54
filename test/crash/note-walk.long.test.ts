/**
 * Notes for the log, and a thousand kills and new roots: none is lost and none is told twice.
 * COORD_SEED replays a walk and COORD_NOTE_STEPS cuts it.
 */
import { describe, expect, test } from 'vitest';
import { keepFigures } from '../figures/kept.ts';
import { longOr } from '../support/long.ts';
import { NoteWalk, plantedBugs, points } from './note-walk.ts';

const seed = Number(process.env['COORD_SEED'] ?? 20261120);
const steps = Number(process.env['COORD_NOTE_STEPS'] ?? longOr(2_000, 100));
const timeout = 2 * 3_600_000;

describe('notes for the log and kills at length [U9]', () => {
  test(`COORD_SEED=${seed}: ${steps} steps of kills lose no note`, { timeout }, async () => {
    const found = await new NoteWalk({ seed, steps }).run();
    const { kills, compactions, left, lost, doubled, struck } = found;
    keepFigures('notes', [
      {
        what: `of ${left} notes, ${kills} kills and ${compactions} new roots of the log: lost; told twice`,
        measured: `${lost.length}; ${doubled.length}`,
        target: '0; 0',
      },
    ]);
    expect(found).toMatchObject({ lost: [], doubled: [] });
    if (steps < 2_000) return;
    expect(kills + compactions).toBeGreaterThanOrEqual(1_000);
    expect([...points].filter((point) => !struck.has(point))).toEqual([]);
  });

  test.for(plantedBugs)('planted bug: $rule', { timeout }, async ({ edits, finds }) => {
    const found = await new NoteWalk({ seed, steps: 100, edits }).run();
    expect(found[finds]).not.toEqual([]);
  });
});
