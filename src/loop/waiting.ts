/** The one loop in which somebody waits for what another has. */
import type { World } from './world.ts';

interface Patience {
  /** How long; 0 looks once. */
  readonly waitMs: number;
  readonly signal?: AbortSignal | undefined;
}

interface Looked<T> {
  readonly last: T;
  /** Why there is no need to look again. */
  readonly why: 'found' | 'timeout' | 'interrupted';
}

/**
 * Looks until there is nothing more to wait for, the time is over or whoever waits is to stop. Each
 * look knows what the last one saw. Those who wait for one thing do not look in step.
 */
export async function lookUntil<T>(
  { clock, random }: Pick<World, 'clock' | 'random'>,
  { waitMs, signal }: Patience,
  everyMs: number,
  look: (before: T | null) => Promise<T>,
  isWaiting: (seen: T) => boolean,
): Promise<Looked<T>> {
  const untilMs = clock.now().uptimeMs + waitMs;
  for (let before: T | null = null; ; ) {
    const last: T = await look(before);
    if (!isWaiting(last)) return { last, why: 'found' };
    if (signal?.aborted === true) return { last, why: 'interrupted' };
    if (clock.now().uptimeMs >= untilMs) return { last, why: 'timeout' };
    before = last;
    await clock.sleep(everyMs * (0.75 + random.fraction() / 2), signal);
  }
}
