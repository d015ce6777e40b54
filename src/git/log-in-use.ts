/**
 * The one log that is the truth: this repository's own, unless its newest operation says that it has
 * moved to a remote. Which it is stands in the log itself, so that it changes by one compare-and-swap
 * and there are never two.
 */
import type { Entry } from '../core/event.ts';
import type { Oid } from '../core/ids.ts';
import type { Now } from '../core/instant.ts';
import type { Moved } from '../core/record.ts';
import type { State } from '../core/state.ts';
import type { GitLogStore } from './git-log-store.ts';
import type { Found, LoggedEntry, LogStore, Observation, Settled, Swap } from './log-store.ts';
import type { RemoteLogStore } from './remote-log-store.ts';

export class LogInUse implements LogStore {
  readonly #local: GitLogStore;
  readonly #connect: (moved: Moved) => RemoteLogStore;
  #far: RemoteLogStore | null = null;

  constructor(local: GitLogStore, connect: (moved: Moved) => RemoteLogStore) {
    this.#local = local;
    this.#connect = connect;
  }

  /** The log of a remote, where that is the truth. */
  async far(): Promise<RemoteLogStore | null> {
    const { moved } = (await this.#local.observe()).state.meta;
    if (moved === undefined) return this.#far = null;
    const { remote, ref } = this.#far?.arbiter.moved ?? {};
    return this.#far = this.#far !== null && remote === moved.remote && ref === moved.ref ? this.#far : this.#connect(moved);
  }

  #storeOf(seen: Observation): LogStore {
    return seen.arbiter === undefined || this.#far === null ? this.#local : this.#far;
  }

  async observe(notBefore?: number): Promise<Observation> {
    return await (await this.far())?.observe(notBefore) ?? this.#local.observe();
  }

  async foresee(): Promise<Observation> {
    return await (await this.far())?.foresee() ?? this.#local.observe();
  }

  async stands(seen: Observation, notBefore: number | null): Promise<boolean> {
    if (seen.arbiter === undefined) return true;
    const far = await this.far();
    return far !== null && await far.stands(seen, notBefore) && await this.far() === far;
  }

  swap(from: Observation, entry: Entry, state: State): Promise<Swap> {
    return this.#storeOf(from).swap(from, entry, state);
  }

  find(nonce: string, from: Observation, floor: Oid | null): Promise<Found | null> {
    return this.#storeOf(from).find(nonce, from, floor);
  }

  history(from: Observation, sinceSeq: number): Promise<readonly LoggedEntry[]> {
    return this.#storeOf(from).history(from, sinceSeq);
  }

  company(seen: Observation, actor: string, now: Now): ReadonlyMap<string, number> | undefined {
    return seen.arbiter === undefined ? undefined : this.#far?.company(seen, actor, now);
  }

  /** For whoever would rather see how it stood than nothing. */
  async glimpse(): Promise<Observation> {
    return await (await this.far())?.glimpse() ?? this.#local.observe();
  }

  async enter(demand: boolean): Promise<(() => void) | null> {
    return this.#far === null ? this.#local.enter(demand) : null;
  }

  settle(): Promise<Settled> {
    return (this.#far ?? this.#local).settle();
  }

  maintain(after: Observation): Promise<void> {
    return this.#storeOf(after).maintain(after);
  }
}
