/**
 * What has run out and been superseded stays gone (promise 7), also for a machine that has booted
 * anew and cannot tell how old its own stamps are: it counts them from when it first sees them.
 */

import { expect, test } from 'vitest';
import { checkLog } from '../../src/core/check-log.ts';
import { limits } from '../../src/core/limits.ts';
import { MemoryLog, MemoryLogStore } from '../../src/log/memory-log-store.ts';
import type { World } from '../../src/loop/world.ts';
import { Machine, TrueTime } from '../../src/study/machine.ts';
import { simulatedWorld } from '../../src/study/scene.ts';
import { standsOf } from '../../src/study/stands.ts';
import { renew, reserve, transfer } from '../support/rendered.ts';
import { seededRandom } from '../support/world.ts';

interface Office {
  readonly time: TrueTime;
  readonly log: MemoryLog;
  readonly machines: Readonly<Record<'here' | 'there', Machine>>;
  world(name: string, machine: 'here' | 'there', seed: number): World;
}

function office(): Office {
  const time = new TrueTime();
  const log = new MemoryLog();
  const machines = { here: new Machine(time, 'here'), there: new Machine(time, 'there') };
  return {
    time,
    log,
    machines,
    world: (name, machine, seed) =>
      simulatedWorld(
        name,
        new MemoryLogStore(log),
        { now: () => machines[machine].now(), sleep: async () => {} },
        seededRandom(seed),
      ),
  };
}

const wholeMs = limits.ttlMs + limits.graceMs;

/** Bob's lease runs out while ann, who has seen it, goes on working. */
async function outlive(
  { time }: Office,
  worker: World,
  look: () => Promise<unknown>,
): Promise<void> {
  await look();
  for (
    let passedMs = 0;
    passedMs <= 1.1 * (1 + limits.clockRateError) * wholeMs;
    passedMs += 60_000
  ) {
    time.ms += 60_000;
    await renew(worker, [], undefined, []);
  }
}

test('a reader who became the writer after another reader ran out: the other one, its machine booted anew, renews nothing', async () => {
  const here = office();
  const [ann, bob] = [here.world('ann', 'here', 1), here.world('bob', 'there', 2)];
  await reserve(ann, ['src/a.ts'], { mode: 'shared' });
  await reserve(bob, ['src/a.ts'], { mode: 'shared' });
  await outlive(here, ann, () => reserve(ann, ['src/a.ts'], {}));
  expect((await reserve(ann, ['src/a.ts'], {})).result).toBe('granted');
  here.machines.there.reboot();
  expect((await renew(bob, [], undefined, [])).result).toBe('refused');
  expect((await reserve(bob, ['src/a.ts'], { mode: 'shared' })).result).toBe('refused');
  expect(checkLog(standsOf(here.log))).toEqual([]);
});

test("a child that gives away what its parent had too, after the parent's ran out: the parent, its machine booted anew, renews nothing", async () => {
  const here = office();
  const [ann, kid, bob] = [
    here.world('ann', 'there', 1),
    here.world('ann/kid', 'here', 2),
    here.world('bob', 'here', 3),
  ];
  await reserve(ann, ['src/a.ts'], {});
  await reserve(kid, ['src/a.ts'], {});
  await reserve(bob, ['docs/**'], {});
  await outlive(here, kid, () => reserve(bob, ['src/a.ts'], {}));
  expect((await transfer(kid, { by: 'all' }, 'bob', '')).result).toBe('transferred');
  here.machines.there.reboot();
  expect((await renew(ann, [], undefined, [])).result).toBe('refused');
  expect(checkLog(standsOf(here.log))).toEqual([]);
});
