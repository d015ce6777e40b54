/** The off switch of a team ends when its time is over, whatever its holder does meanwhile. */

import { expect, test } from 'vitest';
import { pauseLock } from '../../src/core/ids.ts';
import { pauseIn } from '../../src/core/pause.ts';
import { stayActive } from '../../src/loop/activity.ts';
import { renew } from '../../src/loop/hold.ts';
import { lock } from '../../src/loop/take.ts';
import { worldOf } from '../support/world.ts';

test('activity and renewals of its holder do not make it longer, and its grace is no pause', async () => {
  const ann = worldOf('ann');
  const isPaused = async (): Promise<boolean> =>
    pauseIn((await ann.store.observe()).state, ann.clock.now()) !== null;
  await lock(ann, pauseLock, { ttlMs: 600_000, reason: 'moving' });
  for (let minute = 0; minute < 9; minute += 1) {
    ann.clock.pass(60_000);
    await stayActive(ann, true);
    await renew(ann, [], undefined, []);
    expect(await isPaused()).toBe(true);
  }
  ann.clock.pass(61_000);
  expect(await isPaused()).toBe(false);
});
