/** Ann holds a file and is at work; bob and eve would like it. Their clock is set by hand. */
import { expect } from 'vitest';
import { MemoryLog, MemoryLogStore } from '../../src/log/memory-log-store.ts';
import type { Report } from '../../src/render/report.ts';
import { messagesIn } from '../../src/show/inbox.ts';
import { renew, reserve, whoami } from '../support/rendered.ts';
import { HandClock, type TestWorld, worldOf } from '../support/world.ts';

export const minute = 60_000;

export interface Team {
  readonly ann: TestWorld;
  readonly bob: TestWorld;
  readonly eve: TestWorld;
  readonly clock: HandClock;
  readonly log: MemoryLog;
  readonly lease: string;
}

/** Ann holds a file and is at work; bob and eve would like it. */
export async function team(): Promise<Team> {
  const log = new MemoryLog();
  const clock = new HandClock();
  const world = (name: string, seed: number): TestWorld =>
    worldOf(name, new MemoryLogStore(log), clock, seed);
  const [ann, bob, eve] = [world('ann', 1), world('bob', 2), world('eve', 3)];
  const granted = await reserve(ann, ['src/a'], {});
  for (const other of [bob, eve]) await whoami(other);
  return { ann, bob, eve, clock, log, lease: leasesOf(granted)[0] ?? '' };
}

export const leasesOf = ({ facts }: Report): readonly string[] =>
  ((facts['leases'] ?? []) as readonly { readonly id: string }[]).map(({ id }) => id);

export const kindOf = ({ facts, result }: Report): unknown =>
  (facts['refusal'] as { readonly kind?: string } | undefined)?.kind ?? result;

export const requestOf = ({ facts }: Report): string =>
  (facts['request'] as { readonly id: string }).id;

/** The agent works on, minute by minute. */
export async function works(world: TestWorld, minutes: number): Promise<void> {
  for (let i = 0; i < minutes; i += 1) {
    world.clock.pass(minute);
    expect((await renew(world, [], undefined, [])).ok).toBe(true);
  }
}

export function told(t: Team, name: string): readonly string[] {
  const entries = t.log.entries.map(({ logged }) => logged);
  const agent = entries
    .flatMap(({ events }) =>
      events.flatMap((event) => [event.agent, ...(event.by === undefined ? [] : [event.by])]),
    )
    .find((one) => one.name === name);
  return agent === undefined ? [] : messagesIn(entries, agent).map(({ text }) => text);
}
