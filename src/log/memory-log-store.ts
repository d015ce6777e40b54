/** The log in memory, for study and tests: the same port, the same meaning, nothing that lasts. */
import { createHash } from 'node:crypto';
import type { Entry } from '../core/entry.ts';
import type { Oid } from '../core/ids.ts';
import { decodeState, emptyState, encodeState, type State } from '../core/state.ts';
import type { Found, LoggedEntry, LogStore, Observation, Settled, Swap } from './log-store.ts';

export class MemoryLog {
  readonly entries: {
    readonly logged: LoggedEntry;
    readonly files: ReturnType<typeof encodeState>;
    readonly parent: Oid | null;
  }[] = [];

  get tip(): Oid | null {
    return this.entries.at(-1)?.logged.oid ?? null;
  }
}

/** Several stores over one log are several processes. */
export class MemoryLogStore implements LogStore {
  readonly #log: MemoryLog;

  constructor(log: MemoryLog) {
    this.#log = log;
  }

  async observe(): Promise<Observation> {
    const last = this.#log.entries.at(-1);
    if (last === undefined) return { tip: null, seq: 0, state: emptyState(0) };
    return {
      tip: last.logged.oid,
      seq: last.logged.seq,
      state: decodeState(last.files, last.logged.oid),
    };
  }

  async observePending(): Promise<Observation> {
    return this.observe();
  }

  async confirm(): Promise<boolean> {
    return true;
  }

  async swap(from: Observation, entry: Entry, state: State): Promise<Swap> {
    const files = encodeState(state);
    const oid = createHash('sha256')
      .update(JSON.stringify([entry, files]))
      .digest('hex');
    if (this.#log.tip !== from.tip)
      return {
        oid,
        failure: `is at ${this.#log.tip ?? 'nothing'} but expected ${from.tip ?? 'nothing'}`,
      };
    this.#log.entries.push({ logged: { ...entry, oid }, files, parent: from.tip });
    return { oid, failure: null };
  }

  async find(nonce: string, from: Observation, floor: Oid | null): Promise<Found | null> {
    for (const { logged } of this.#log.entries.slice(0, from.seq).toReversed()) {
      if (logged.oid === floor) return null;
      if (logged.nonce === nonce) return { oid: logged.oid, entry: logged };
    }
    return null;
  }

  async history(from: Observation, sinceSeq: number): Promise<readonly LoggedEntry[]> {
    return this.#log.entries
      .slice(0, from.seq)
      .map(({ logged }) => logged)
      .filter(({ seq }) => seq > sinceSeq);
  }

  async enter(): Promise<null> {
    return null;
  }

  async settle(): Promise<Settled> {
    return { kind: 'again' };
  }

  async maintain(): Promise<void> {
    // A log that ends with its process needs no upkeep.
  }
}
