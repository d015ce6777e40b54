/** Two agents over one log in memory, and what the check of rights finds in it. */
import type { Stand } from '../../src/core/check-log.ts';
import { MemoryLog, MemoryLogStore } from '../../src/log/memory-log-store.ts';
import { standsOf } from '../../src/study/stands.ts';
import { HandClock, type TestWorld, worldOf } from '../support/world.ts';

export interface Scene {
  readonly log: MemoryLog;
  readonly clock: HandClock;
  readonly ann: TestWorld;
  readonly bob: TestWorld;
}

export function scene(): Scene {
  const [log, clock] = [new MemoryLog(), new HandClock()];
  const world = (name: string, seed: number): TestWorld =>
    worldOf(name, new MemoryLogStore(log), clock, seed);
  return { log, clock, ann: world('ann', 1), bob: world('bob', 2) };
}

export function last({ log }: Scene): Stand {
  const stand = standsOf(log).at(-1);
  if (stand === undefined) throw new Error('nothing has happened');
  return stand;
}

export const idOf = (here: Scene, name: string): string =>
  [...last(here).state.leases.values()].find(({ agent }) => agent.name === name)?.id ?? '';

export const ending = (
  world: TestWorld,
  bead: string,
): {
  caller: ReturnType<TestWorld['caller']>;
  bead: string;
  labels: readonly string[];
  commit: null;
} => ({ caller: world.caller(), bead, labels: [], commit: null });
