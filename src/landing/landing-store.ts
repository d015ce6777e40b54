/** The log of a remote, with a branch that moves in the same push as the log or not at all. */
import type { Entry } from '../core/entry.ts';
import type { State } from '../core/state.ts';
import type { Repository } from '../git/repository.ts';
import type { Observation, Swap } from '../log/log-store.ts';
import { PassingLogStore } from '../log/passing-log-store.ts';
import type { RemoteLogStore } from '../remote/remote-log-store.ts';
import type { PushedRef } from '../remote/remote-ref.ts';

export class LandingStore extends PassingLogStore {
  readonly #remoteLog: RemoteLogStore;
  readonly #source: Repository;
  readonly #branch: PushedRef;

  constructor(remoteLog: RemoteLogStore, source: Repository, branch: PushedRef) {
    super(remoteLog);
    this.#remoteLog = remoteLog;
    this.#source = source;
    this.#branch = branch;
  }

  /**
   * Nothing that is under way goes along: it is decided on what stands, as far as it is known. What
   * is not so any more the push finds out.
   */
  override observePending(): Promise<Observation> {
    return this.#remoteLog.isBegun() ? this.#remoteLog.copied() : this.#remoteLog.observe();
  }

  override swap(from: Observation, entry: Entry, state: State): Promise<Swap> {
    return this.#remoteLog.swapWith(from, entry, state, this.#branch, this.#source);
  }

  /** It goes by itself, and takes no place among the others. */
  override async enter(): Promise<null> {
    return null;
  }
}
