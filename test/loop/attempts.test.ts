/** What becomes of the notes that an operation carries, however its swap ends. */
import { describe, expect, test } from 'vitest';
import { CoordError } from '../../src/core/errors.ts';
import { MemoryLog, MemoryLogStore } from '../../src/log/memory-log-store.ts';
import type { Tally } from '../../src/loop/world.ts';
import { noTally } from '../../src/loop/world.ts';
import { type Fault, FaultyLogStore } from '../../src/study/faulty-log-store.ts';
import { reserve } from '../support/rendered.ts';
import { worldOf } from '../support/world.ts';

/** What was done with the notes, oldest first, when the first swap ends so. */
async function notesAfter(fault: Fault): Promise<readonly string[]> {
  const done: string[] = [];
  const tally: Tally = {
    ...noTally,
    take: () => ({
      events: [],
      drop: () => void done.push('drop'),
      putBack: () => void done.push('put back'),
    }),
  };
  const faults = [fault];
  const store = new FaultyLogStore(
    new MemoryLogStore(new MemoryLog()),
    { left: 1, next: () => faults.pop() ?? 'none' },
    { die: () => new Promise(() => {}), note: () => {} },
  );
  try {
    await reserve({ ...worldOf('ann', store), tally }, ['src/a'], {});
  } catch (error) {
    done.push(error instanceof CoordError ? error.code : 'thrown');
  }
  return done;
}

describe('notes that an operation carries [U9]', () => {
  test.for<readonly [string, Fault, readonly string[]]>([
    ['are dropped once it is in the log', 'none', ['drop']],
    ['are dropped where only the answer was lost', 'lost-reply', ['drop']],
    [
      'are put back where it is not in the log, and carried again',
      'false-yes',
      ['put back', 'drop'],
    ],
    // Put back they would be told twice, dropped perhaps never.
    ['stay aside where nobody can tell', 'blind', ['unknown_outcome']],
  ])('%s', async ([, fault, wanted]) => {
    expect(await notesAfter(fault)).toEqual(wanted);
  });
});
