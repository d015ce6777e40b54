/**
 * Leases that have run out long ago, without waiting for it: their writer's clock is in the past.
 */
import { clockDomain, uptimeMs } from '../../src/agent/clock.ts';
import { settingsFrom } from '../../src/core/settings.ts';
import { openRepository } from '../../src/git/repository.ts';
import { GitLogStore } from '../../src/log/git-log-store.ts';
import { reserve } from '../../src/loop/take.ts';
import type { TestRepository } from './repository.ts';
import { HandClock, worldOf } from './world.ts';

/** For 5 s unless that is said, so long ago, with this grace. */
export async function reserveInThePast(
  repo: TestRepository,
  agent: string,
  patterns: readonly string[],
  agoMs = 200_000,
  grace = '2m',
  ttlMs = 5_000,
): Promise<void> {
  const clock = new HandClock();
  clock.domain = clockDomain();
  clock.uptimeMs = Math.max(0, uptimeMs() - agoMs);
  clock.wallMs = Date.now() - agoMs;
  const store = new GitLogStore(openRepository(repo.top, repo.env), {
    wallMs: () => clock.wallMs,
    random: () => 0.5,
    sleep: (ms) => clock.sleep(ms),
  });
  const settings = settingsFrom(new Map([['coord.grace', grace]]));
  for (const [i, pattern] of patterns.entries()) {
    await reserve({ ...worldOf(agent, store, clock, i + 1), settings }, [pattern], { ttlMs });
  }
}
