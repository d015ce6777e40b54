/** The log of a remote, with a branch that moves in the same push as the log or not at all. */
import type { Entry } from '../core/entry.ts';
import type { Oid } from '../core/ids.ts';
import type { State } from '../core/state.ts';
import type { Repository } from '../git/repository.ts';
import type { Found, LoggedEntry, LogStore, Observation, Settled, Swap } from '../log/log-store.ts';
import type { RemoteLogStore } from '../remote/remote-log-store.ts';
import type { PushedRef } from '../remote/remote-ref.ts';

export class LandingStore implements LogStore {
  readonly #remoteLog: RemoteLogStore;
  readonly #source: Repository;
  readonly #branch: PushedRef;

  constructor(remoteLog: RemoteLogStore, source: Repository, branch: PushedRef) {
    this.#remoteLog = remoteLog;
    this.#source = source;
    this.#branch = branch;
  }

  observe(notBefore?: number): Promise<Observation> {
    return this.#remoteLog.observe(notBefore);
  }

  /**
   * Nothing that is under way goes along: it is decided on what stands, as far as it is known. What
   * is not so any more the push finds out.
   */
  observePending(): Promise<Observation> {
    return this.#remoteLog.isBegun() ? this.#remoteLog.copied() : this.#remoteLog.observe();
  }

  confirm(seen: Observation, notBefore: number | null): Promise<boolean> {
    return this.#remoteLog.confirm(seen, notBefore);
  }

  swap(from: Observation, entry: Entry, state: State): Promise<Swap> {
    return this.#remoteLog.swapWith(from, entry, state, this.#branch, this.#source);
  }

  find(nonce: string, from: Observation, floor: Oid | null): Promise<Found | null> {
    return this.#remoteLog.find(nonce, from, floor);
  }

  history(from: Observation, sinceSeq: number): Promise<readonly LoggedEntry[]> {
    return this.#remoteLog.history(from, sinceSeq);
  }

  /** It goes by itself, and takes no place among the others. */
  async enter(): Promise<null> {
    return null;
  }

  settle(): Promise<Settled> {
    return this.#remoteLog.settle();
  }

  maintain(): Promise<void> {
    return this.#remoteLog.maintain();
  }
}
