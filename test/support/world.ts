/**
 * Worlds for tests in one process: a clock that is set by hand, chance from a seed, the log in
 * memory.
 */

import { settingsFrom } from '../../src/core/settings.ts';
import type { LogStore } from '../../src/log/log-store.ts';
import { MemoryLog, MemoryLogStore } from '../../src/log/memory-log-store.ts';
import { type Clock, noTally, type Random, type World } from '../../src/loop/world.ts';
import { seeded } from '../../src/study/remote-chance.ts';

export { seeded };

/** Time that passes only when told to. */
export class HandClock implements Clock {
  wallMs = Date.UTC(2026, 0, 1);
  uptimeMs = 1_000_000;
  domain = 'test-boot';
  readonly #seen = new Map<string, number>();

  now(): ReturnType<Clock['now']> {
    const { wallMs, uptimeMs, domain } = this;
    return {
      at: wallMs,
      domain,
      uptimeMs,
      sinceSeenMs: (renewal) => {
        const first = this.#seen.get(renewal) ?? uptimeMs;
        this.#seen.set(renewal, first);
        return uptimeMs - first;
      },
    };
  }

  pass(ms: number): void {
    this.wallMs += ms;
    this.uptimeMs += ms;
  }

  async sleep(ms: number): Promise<void> {
    // Real clocks tell whole milliseconds.
    this.pass(Math.round(ms));
  }
}

export function seededRandom(seed: number): Random {
  const next = seeded(seed);
  const digits = (length: number, base: number): string =>
    Array.from({ length }, () => Math.floor(next() * base).toString(base)).join('');
  return {
    id: () => digits(8, 36),
    nonce: () => digits(32, 16),
    key: () => digits(24, 36),
    fraction: next,
  };
}

export interface TestWorld extends World {
  readonly clock: HandClock;
}

export function worldOf(
  name: string,
  store: LogStore = new MemoryLogStore(new MemoryLog()),
  clock: HandClock = new HandClock(),
  seed = 1,
  session: string | null = null,
): TestWorld {
  return {
    store,
    clock,
    random: seededRandom(seed),
    settings: settingsFrom(new Map()),
    tally: noTally,
    caller: () => ({ name, kind: 'agent', session, host: 'test' }),
  };
}
