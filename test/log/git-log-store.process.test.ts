/** Somebody else was quicker at the log of a real repository. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../support/repository.ts';
import { gitKind } from './git-kind.ts';
import { failsOnOldObservations, grow } from './log-store-contract.ts';

test('a swap on an old observation fails without a git that would say so', async () => {
  const trace = join(temporaryFolder(), 'trace');
  await failsOnOldObservations(gitKind('git', [], { COORD_TRACE: trace }).make());
  const updates = readFileSync(trace, 'utf8').match(/"update-ref"/g);
  expect(updates).toHaveLength(2);
});

test('a turn in the queue is taken where the log has moved since it was read, and else not', async () => {
  const { open } = gitKind('git', []).make();
  const [slow, quick] = [open(), open()];
  await grow(slow, 1);
  expect(await slow.enter(false)).toBeNull();
  await grow(quick, 1);
  const leave = await slow.enter(false);
  expect(leave).not.toBeNull();
  leave?.();
  await slow.observe();
  expect(await slow.enter(false)).toBeNull();
});
