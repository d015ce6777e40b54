/**
 * When this machine last asked the remote, kept in a file so that short processes share it: by
 * itself coord asks at most once in an interval, and the interval grows while nothing moves.
 */
import { CoordError } from '../core/errors.ts';
import { limits } from '../core/limits.ts';
import { dropLocal, readLocal, writeLocal } from '../git/local.ts';

const file = 'remote/asked';
const silent = 'remote/silent';

interface Asked {
  /** Uptime at which the last answer was asked for; nothing before it is missing in the copy. */
  readonly atMs: number;
  readonly everyMs: number;
}

const never: Asked = { atMs: Number.NEGATIVE_INFINITY, everyMs: limits.askEveryMs };

interface PollClock {
  /** Names the boot: uptimes of another mean nothing here. */
  readonly clock: string;
  uptimeMs(): number;
}

export class PollState {
  readonly #commonDir: string;
  readonly #world: PollClock;

  constructor(commonDir: string, world: PollClock) {
    this.#commonDir = commonDir;
    this.#world = world;
  }

  asked(): Asked {
    const [was, at, every] = (readLocal(this.#commonDir, file) ?? '').trim().split(' ');
    const atMs = Number(at);
    const { clock } = this.#world;
    const isToCome = atMs > this.#world.uptimeMs() + limits.uptimeSlackMs;
    if (was !== clock || !Number.isFinite(atMs) || isToCome) return never;
    const everyMs = Math.max(limits.askEveryMs, Number(every) || 0);
    return { atMs, everyMs: Math.min(limits.askEveryMaxMs, everyMs) };
  }

  noteAsked(startedMs: number, last: Asked, hasMoved: boolean): void {
    const everyMs = hasMoved ? limits.askEveryMs : Math.min(limits.askEveryMaxMs, last.everyMs * 2);
    const { clock } = this.#world;
    writeLocal(this.#commonDir, file, `${clock} ${Math.max(startedMs, last.atMs)} ${everyMs}\n`);
    if (this.#silentSince() !== null) dropLocal(this.#commonDir, silent);
  }

  /**
   * Since it last spoke; of what was before this machine was started nobody can tell how long that
   * is.
   */
  ageMs(): number {
    const { atMs } = this.asked();
    return Number.isFinite(atMs) ? this.#world.uptimeMs() - atMs : this.#world.uptimeMs();
  }

  /** How long ago it did not answer; null where it has spoken since. */
  silentForMs(): number | null {
    const since = this.#silentSince();
    return since === null ? null : Math.max(0, this.#world.uptimeMs() - since);
  }

  /** Not so long ago that it is worth asking again. */
  isSilent(): boolean {
    const silentForMs = this.silentForMs();
    return silentForMs !== null && silentForMs < limits.askEveryMaxMs;
  }

  /** It did not answer: whoever looks by itself does not ask again for a while. */
  noteFailure(error: unknown): void {
    if (!(error instanceof CoordError) || error.code !== 'arbiter_unreachable') return;
    writeLocal(this.#commonDir, silent, `${this.#world.clock} ${this.#world.uptimeMs()}\n`);
  }

  #silentSince(): number | null {
    const [was, at] = (readLocal(this.#commonDir, silent) ?? '').trim().split(' ');
    return was === this.#world.clock && Number.isFinite(Number(at)) ? Number(at) : null;
  }
}
