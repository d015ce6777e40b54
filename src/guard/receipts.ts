/**
 * When each renewal came by this server. Nobody can have seen it unchanged for much longer than
 * that, so whoever calls a lease, a place in line or an agent over before its time is not believed.
 * What came by before this server was started, or before it had the hook, it takes another's word
 * for.
 */
import type { SeenFile } from '../agent/seen.ts';
import { formatDuration, renewalKey } from '../core/instant.ts';
import { limits } from '../core/limits.ts';
import { type Broken, type Timed, timed } from '../core/over-by-time.ts';
import type { State } from '../core/state.ts';
import type { Watch } from '../remote/pending.ts';

export class Receipts {
  readonly #seen: SeenFile;
  readonly #watch: Watch;

  constructor(seen: SeenFile, watch: Watch) {
    this.#seen = seen;
    this.#watch = watch;
  }

  note(before: State, after: State): void {
    const known = new Set(timed(before).map(keyOf));
    for (const key of timed(after).map(keyOf))
      if (!known.has(key)) this.#seen.sinceMs(key, this.#watch.domain, this.#watch.uptimeMs());
  }

  early(over: readonly Timed[]): readonly string[] {
    return over.flatMap((each) => {
      const ms = this.#lackingMs(each);
      return ms === null
        ? []
        : [
            `${each.what} is said to be over: it was renewed ${formatDuration(ms)} ago, for ${formatDuration(each.ttlMs)}`,
          ];
    });
  }

  brokenEarly(broken: readonly Broken[]): readonly string[] {
    return broken.flatMap(({ silence, unanswered }) => {
      if (unanswered.some((each) => this.#lackingMs(each) === null)) return [];
      return silence.slice(0, 1).flatMap(({ what, ttlMs }) => {
        const ms = Math.min(...silence.map((each) => this.#lackingMs(each) ?? ttlMs));
        return ms === ttlMs
          ? []
          : [
              `${what} is broken too early: its holder was active ${formatDuration(ms)} ago, and has ${formatDuration(ttlMs)}`,
            ];
      });
    });
  }

  /** How long ago it was renewed, where that is too short a time; else null. */
  #lackingMs(each: Timed): number | null {
    const ms = this.#seen.knownMs(keyOf(each), this.#watch.domain, this.#watch.uptimeMs());
    // Another's clock may run faster than this one, and its holder's clone counts from before it
    // was sent.
    return ms === null || ms * (1 + limits.clockRateError) + limits.gitTimeoutMs >= each.ttlMs
      ? null
      : ms;
  }
}

function keyOf({ id, renewed }: Timed): string {
  return `received ${renewalKey(id, renewed)}`;
}
