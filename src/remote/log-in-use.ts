/**
 * The one log that is the truth: this repository's own, unless its newest operation says that it
 * has moved to a remote. Which it is stands in the log itself, so that it changes by one
 * compare-and-swap and there are never two.
 */

import type { Entry } from '../core/entry.ts';
import { CoordError } from '../core/errors.ts';
import type { Oid } from '../core/ids.ts';
import type { Now } from '../core/instant.ts';
import type { RemoteLocation } from '../core/record.ts';
import type { State } from '../core/state.ts';
import type { GitLogStore } from '../log/git-log-store.ts';
import type { Found, LoggedEntry, LogStore, Observation, Settled, Swap } from '../log/log-store.ts';
import { type Beside, besideError } from './log-beside.ts';
import type { OfflineLog } from './offline-log.ts';
import type { RemoteLogStore } from './remote-log-store.ts';

export class LogInUse implements LogStore {
  readonly #local: GitLogStore;
  readonly #connect: (moved: RemoteLocation) => RemoteLogStore;
  readonly #offline: OfflineLog;
  readonly #takesAdvice: () => boolean;
  readonly #onWrite: (agentId: string, state: State) => void;
  readonly #findBeside: () => Promise<Beside | null>;
  #remoteLog: RemoteLogStore | null = null;

  /**
   * `onWrite` is told who writes; `takesAdvice` where the server's silence is no reason to grant
   * nothing, for those who chose that.
   */
  constructor(
    local: GitLogStore,
    connect: (moved: RemoteLocation) => RemoteLogStore,
    offline: OfflineLog,
    takesAdvice: () => boolean,
    onWrite: (agentId: string, state: State) => void,
    findBeside: () => Promise<Beside | null>,
  ) {
    this.#local = local;
    this.#connect = connect;
    this.#offline = offline;
    this.#takesAdvice = takesAdvice;
    this.#onWrite = onWrite;
    this.#findBeside = findBeside;
  }

  /** The log of a remote, where that is the truth. */
  async remoteLog(): Promise<RemoteLogStore | null> {
    const { moved } = (await this.#local.observe()).state.meta;
    if (moved === undefined) return (this.#remoteLog = null);
    const { remote, ref } = this.#remoteLog?.remoteRef.location ?? {};
    return (this.#remoteLog =
      this.#remoteLog !== null && remote === moved.remote && ref === moved.ref
        ? this.#remoteLog
        : this.#connect(moved));
  }

  #storeOf(seen: Observation): LogStore {
    if (seen.advisorySince !== undefined) return this.#offline.store();
    return seen.remote === undefined || this.#remoteLog === null ? this.#local : this.#remoteLog;
  }

  /** What began as advice is none to go on with for whoever does not choose it any more. */
  #isAdvised(): boolean {
    return this.#offline.isBegun() && this.#takesAdvice();
  }

  /** From the server; where it is silent and that was chosen, from what is advice meanwhile. */
  async #from(ask: (remoteLog: RemoteLogStore) => Promise<Observation>): Promise<Observation> {
    const remoteLog = await this.remoteLog();
    if (remoteLog === null) return this.#local.observe();
    const isAdvised = this.#isAdvised();
    if (isAdvised && remoteLog.copy.poll.isSilent())
      return this.#offline.observe(await remoteLog.copied());
    try {
      const seen = await ask(remoteLog);
      if (!this.#offline.isBegun()) return seen;
      if (remoteLog.copy.poll.silentForMs() !== null)
        return isAdvised ? this.#offline.observe(await remoteLog.copied()) : seen;
      await this.#offline.end();
      return seen;
    } catch (error) {
      if (!isSilence(error) || !this.#takesAdvice()) throw error;
      return this.#offline.observe(await remoteLog.copied());
    }
  }

  observe(notBefore?: number): Promise<Observation> {
    return this.#from((remoteLog) => remoteLog.observe(notBefore));
  }

  observePending(): Promise<Observation> {
    // What was advice is not built upon once the server has spoken.
    return this.#from((remoteLog) =>
      this.#offline.isBegun() ? remoteLog.observe() : remoteLog.observePending(),
    );
  }

  async confirm(seen: Observation, notBefore: number | null): Promise<boolean> {
    if (seen.remote === undefined || seen.advisorySince !== undefined) return true;
    const remoteLog = await this.remoteLog();
    return (
      remoteLog !== null &&
      (await remoteLog.confirm(seen, notBefore)) &&
      (await this.remoteLog()) === remoteLog
    );
  }

  async swap(from: Observation, entry: Entry, state: State): Promise<Swap> {
    this.#onWrite(entry.agent.id, state);
    const swap = await this.#storeOf(from).swap(from, entry, state);
    if (!isSilence(swap.hopeless) || !this.#takesAdvice() || this.#remoteLog === null) return swap;
    await this.#offline.observe(await this.#remoteLog.copied());
    return { oid: swap.oid, failure: swap.failure };
  }

  find(nonce: string, from: Observation, floor: Oid | null): Promise<Found | null> {
    return this.#storeOf(from).find(nonce, from, floor);
  }

  history(from: Observation, sinceSeq: number): Promise<readonly LoggedEntry[]> {
    return this.#storeOf(from).history(from, sinceSeq);
  }

  cloneAgents(seen: Observation, actor: string, now: Now): ReadonlyMap<string, number> | undefined {
    return seen.remote === undefined ? undefined : this.#remoteLog?.cloneAgents(seen, actor, now);
  }

  async mayGrant(): Promise<void> {
    const { moved, holdsAny } = await this.#local
      .observe()
      .then(({ state }) => ({ moved: state.meta.moved, holdsAny: state.leases.size > 0 }));
    const beside = moved === undefined ? await this.#findBeside() : null;
    if (beside !== null) throw besideError(beside, holdsAny);
  }

  /**
   * How it stood a moment ago, for whoever looks all the time: a server is asked now and then, and
   * may be silent for a while.
   */
  peek(): Promise<Observation> {
    return this.#from((remoteLog) => remoteLog.peek());
  }

  /** Asked now; without the server there is no answer. */
  async ask(): Promise<Observation> {
    const remoteLog = await this.remoteLog();
    if (remoteLog === null) return this.#local.observe();
    const seen = await remoteLog.observe();
    if (this.#offline.isBegun()) await this.#offline.end();
    return seen;
  }

  /** For whoever would rather see how it stood than nothing. */
  glimpse(): Promise<Observation> {
    return this.#from((remoteLog) => remoteLog.glimpse());
  }

  async enter(demand: boolean): Promise<(() => void) | null> {
    return (this.#remoteLog ?? this.#local).enter(demand);
  }

  settle(): Promise<Settled> {
    return (this.#isAdvised() ? this.#offline.store() : (this.#remoteLog ?? this.#local)).settle();
  }

  maintain(after: Observation): Promise<void> {
    return this.#storeOf(after).maintain(after);
  }
}

function isSilence(error: unknown): boolean {
  return error instanceof CoordError && error.code === 'arbiter_unreachable';
}
