/** A log store that passes everything on to another one, for those that do one thing otherwise. */
import type { Entry } from '../core/entry.ts';
import type { Oid } from '../core/ids.ts';
import type { State } from '../core/state.ts';
import type { Found, LoggedEntry, LogStore, Observation, Settled, Swap } from './log-store.ts';

export class PassingLogStore implements LogStore {
  protected readonly inner: LogStore;

  constructor(inner: LogStore) {
    this.inner = inner;
  }

  observe(notBefore?: number): Promise<Observation> {
    return this.inner.observe(notBefore);
  }

  observePending(): Promise<Observation> {
    return this.observe();
  }

  confirm(seen: Observation, notBefore: number | null): Promise<boolean> {
    return this.inner.confirm(seen, notBefore);
  }

  swap(from: Observation, entry: Entry, state: State): Promise<Swap> {
    return this.inner.swap(from, entry, state);
  }

  find(nonce: string, from: Observation, floor: Oid | null): Promise<Found | null> {
    return this.inner.find(nonce, from, floor);
  }

  history(from: Observation, sinceSeq: number): Promise<readonly LoggedEntry[]> {
    return this.inner.history(from, sinceSeq);
  }

  enter(demand: boolean): Promise<(() => void) | null> {
    return this.inner.enter(demand);
  }

  settle(): Promise<Settled> {
    return this.inner.settle();
  }

  maintain(after: Observation): Promise<void> {
    return this.inner.maintain(after);
  }
}
