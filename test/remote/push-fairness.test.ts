/**
 * Turns between machines: who has written least lately goes first, is waited for, and not for ever.
 */
import { beforeEach, describe, expect, test } from 'vitest';
import { limits } from '../../src/core/limits.ts';
import { writeLocal } from '../../src/git/local.ts';
import { PushFairness } from '../../src/remote/push-fairness.ts';
import { temporaryFolder } from '../support/temporary.ts';

class Hand {
  uptime = 1_000_000;
  slept: number[] = [];

  uptimeMs(): number {
    return this.uptime;
  }

  random(): number {
    return 0.5;
  }

  async sleep(ms: number): Promise<void> {
    this.slept.push(ms);
    this.uptime += ms;
  }
}

let folder = '';
let hand = new Hand();
beforeEach(() => {
  folder = temporaryFolder();
  hand = new Hand();
});

const [pushMs, fetchMs] = [60, 40];
const turnMs = pushMs + fetchMs + limits.gatherMs / 2;

/**
 * This machine wrote operation `mine` and the log moved last just now; the others wrote theirs just
 * now as well.
 */
function among(mine: number, rivals: Readonly<Record<string, number>>): PushFairness {
  const seen = Object.fromEntries(
    Object.entries(rivals).map(([clone, seq]) => [clone, [seq, hand.uptime]]),
  );
  writeLocal(
    folder,
    'remote/pace',
    JSON.stringify({
      mine,
      movedMs: hand.uptime,
      pushMs,
      fetchMs,
      rivals: seen,
      overtaken: 0,
      overtakenMs: 0,
    }),
  );
  return new PushFairness(folder, 'f'.repeat(16), hand);
}

describe('a machine', () => {
  test('that has written least lately, or is alone, waits for nobody', async () => {
    expect(await among(5, {}).giveWay(0)).toBe(0);
    expect(await among(5, { a: 6, b: 7 }).giveWay(0)).toBe(0);
  });

  test('that has just written waits until half a turn before those ahead should be through', async () => {
    expect(await among(8, { a: 6, b: 7 }).giveWay(0)).toBeCloseTo(1.5 * turnMs);
    expect(await among(8, { a: 6, b: 9 }).giveWay(0)).toBeCloseTo(0.5 * turnMs);
  });

  test('looks again a few times, and goes on where whoever is ahead does not come', async () => {
    const pace = among(8, { a: 6 });
    let waitedMs = 0;
    let looks = 0;
    for (let ms = await pace.giveWay(0); ms > 0; ms = await pace.giveWay(waitedMs)) {
      waitedMs += ms;
      looks += 1;
    }
    expect(looks).toBe(5);
    expect(waitedMs <= 2 * turnMs).toBe(true);
  });

  test('does so too where the clock stands still', async () => {
    const pace = among(8, { a: 6 });
    hand.sleep = async () => {};
    let waitedMs = 0;
    for (let ms = await pace.giveWay(0); ms > 0; ms = await pace.giveWay(waitedMs)) waitedMs += ms;
    expect(waitedMs).toBeGreaterThan(turnMs);
  });

  test('does not wait for one that has been silent for long', async () => {
    const pace = among(8, { a: 6 });
    hand.uptime += limits.rivalMs;
    expect(await pace.giveWay(0)).toBe(0);
  });
});

describe('what was overtaken together', () => {
  test('is waited for until it is together again, and no longer than a moment', async () => {
    const pace = among(8, {});
    pace.overtook(3);
    let here = 1;
    await pace.gather(() => (here += 1));
    expect(hand.slept).toHaveLength(1);
    await pace.gather(() => 1);
    expect(hand.slept.reduce((a, b) => a + b, 0)).toBeLessThanOrEqual(limits.gatherMs + 3);
  });

  test('is over once the log has moved for it', async () => {
    const pace = among(8, {});
    pace.overtook(3);
    pace.won(9, hand.uptime - 10);
    await pace.gather(() => 1);
    expect(hand.slept).toEqual([]);
  });
});
