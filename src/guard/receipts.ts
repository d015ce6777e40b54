/**
 * When each renewal came by this server. Nobody can have seen it unchanged for much longer than that, so
 * whoever calls a lease expired before its time is not believed. What came by before this server was
 * started, or before it had the hook, it does not know, and takes another's word for.
 */
import type { SeenFile } from '../agent/seen.ts';
import { formatDuration, renewalKey } from '../core/instant.ts';
import { describe, type Lease } from '../core/lease.ts';
import { limits } from '../core/limits.ts';
import { showAgent } from '../core/agent.ts';
import type { State } from '../core/state.ts';
import type { Watch } from '../git/under-way.ts';

export class Receipts {
  readonly #seen: SeenFile;
  readonly #watch: Watch;

  constructor(seen: SeenFile, watch: Watch) {
    this.#seen = seen;
    this.#watch = watch;
  }

  note(before: State, after: State): void {
    for (const lease of after.leases.values()) {
      const was = before.leases.get(lease.id);
      if (was === undefined || key(was) !== key(lease)) this.#seen.sinceMs(key(lease), this.#watch.domain, this.#watch.uptimeMs());
    }
  }

  early(leases: readonly Lease[]): readonly string[] {
    return leases.flatMap((lease) => {
      const ms = this.#seen.knownMs(key(lease), this.#watch.domain, this.#watch.uptimeMs());
      // Another's clock may run faster than this one, and its holder's clone counts from before it was sent.
      return ms === null || ms * (1 + limits.clockRateError) + limits.gitTimeoutMs >= lease.ttlMs ? []
        : [`${describe(lease)} of ${showAgent(lease.agent)} is said to have expired: it was renewed ${formatDuration(ms)} ago, for ${formatDuration(lease.ttlMs)}`];
    });
  }
}

function key(lease: Lease): string {
  return `received ${renewalKey(lease.id, lease.renewed)}`;
}
