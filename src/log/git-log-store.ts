/**
 * The log in a git repository. One commit is one operation, its tree the state after it. An
 * operation takes effect by one compare-and-swap of `refs/coord/log`, the first line of a
 * transaction that publishes the view too; where the view cannot be written, the log alone is
 * swapped and the view is mended later.
 */
import { existsSync } from 'node:fs';
import type { Entry } from '../core/entry.ts';
import type { Oid } from '../core/ids.ts';
import { emptyState, type State } from '../core/state.ts';
import { type RefUpdate, readRef, updateRefs, zeroOid } from '../git/refs.ts';
import type { Repository } from '../git/repository.ts';
import { Batch } from './batch.ts';
import { checkContinuity, noteTip, rememberedTip } from './continuity.ts';
import { Draft } from './draft.ts';
import { findNonce, historySince } from './history.ts';
import { Settler } from './lock-recovery.ts';
import type { Found, LogStore, Observation, Settled, StoreWorld, Swap } from './log-store.ts';
import { LogView } from './log-view.ts';
import { maintainLog } from './maintain.ts';
import { Operations } from './operations.ts';
import { enterQueue } from './queue.ts';
import { logRef, viewChanges } from './view.ts';

const overtaken = { failure: 'another process was first', isVoid: true } as const;

/** An operation that is stored, and what stands before and after it. */
interface Step {
  readonly from: Observation;
  readonly to: Oid;
  readonly state: State;
}

export class GitLogStore implements LogStore {
  readonly #repository: Repository;
  readonly #world: StoreWorld;
  readonly #settler: Settler;
  readonly #operations: Operations;
  readonly #batch: Batch;
  readonly view: LogView;
  #last: Observation | null = null;
  #written: Observation | null = null;
  /** What was foreseen, and on which tip of the log it stood. */
  readonly #foreseen = new Map<Oid, Oid | null>();
  #leavePlace: (() => void) | null = null;
  /** Whoever moved the log for others too sees to its upkeep. */
  #wasCarried = false;

  constructor(repository: Repository, world: StoreWorld) {
    this.#repository = repository;
    this.#world = world;
    this.#settler = new Settler(repository, world);
    this.#operations = new Operations(repository);
    this.view = new LogView(repository, world.wallMs, this);
    this.#batch = new Batch(repository, world, {
      tip: () => readRef(repository, logRef),
      move: (from, waiting) => this.#moveFor(from, waiting.at(-1) ?? ''),
    });
  }

  /** With what others have written and not put into the log yet. */
  async observePending(): Promise<Observation> {
    const seen = await this.observe();
    const last = this.#batch.last(seen.tip);
    const foreseen = last === null ? null : this.#readable(last);
    if (last === null || foreseen === null) return seen;
    // Whoever takes the log elsewhere leaves nothing to build on.
    if (foreseen.state.meta.moved !== undefined) {
      await this.#batch.send(last, foreseen.seq);
      return this.observe();
    }
    this.#foreseen.set(last, seen.tip);
    return foreseen;
  }

  /** Null for what is gone or damaged: nobody is to wait for it. */
  #readable(oid: Oid): Observation | null {
    try {
      return this.read(oid);
    } catch {
      this.#batch.withdraw(oid);
      return null;
    }
  }

  /** What was read was so when it was read; what was foreseen has to come about. */
  async confirm(seen: Observation): Promise<boolean> {
    return (
      !this.#isForeseen(seen) || (await this.#batch.send(seen.tip ?? '', seen.seq)) === 'landed'
    );
  }

  async observe(): Promise<Observation> {
    for (let attempt = 0; ; attempt += 1) {
      const now = readRef(this.#repository, logRef);
      if (now !== null && now === this.#last?.tip) return this.#last;
      // Remembered before the ref is read, so that whatever it holds has to stand on that.
      const known = rememberedTip(this.#repository);
      const tip = readRef(this.#repository, logRef);
      try {
        const seen = this.#load(tip);
        checkContinuity(this.#repository, seen, known);
        return seen.tip === known?.tip ? (this.#last = seen) : this.#note(seen);
      } catch (error) {
        // A new root may have cleared away what an old tip stood on while it was being read.
        if (attempt >= 3 || readRef(this.#repository, logRef) === tip) throw error;
      }
    }
  }

  #note(seen: Observation): Observation {
    noteTip(this.#repository, seen);
    this.#last = seen;
    return seen;
  }

  #load(tip: Oid | null): Observation {
    if (tip !== null && tip === this.#written?.tip) return this.#written;
    return tip === null ? { tip, seq: 0, state: emptyState(this.#world.wallMs()) } : this.read(tip);
  }

  /** One operation with the state after it, wherever in the log it stands. */
  read(tip: Oid): Observation & { readonly tip: Oid } {
    return this.#operations.read(tip);
  }

  async swap(from: Observation, entry: Entry, state: State): Promise<Swap> {
    this.#wasCarried = false;
    const draft = new Draft(this.#repository);
    const oid = this.#operations.write(draft, from, entry, state);
    const { nonces: _, ...meta } = state.meta;
    this.#written = {
      tip: oid,
      seq: entry.seq,
      state: state.meta.nonces === undefined ? state : { ...state, meta },
    };
    const step = { from, to: oid, state };
    return this.#isForeseen(from) || this.#leavePlace !== null
      ? this.#swapWithOthers(step, entry, draft)
      : this.#swapAtOnce(step, entry, draft);
  }

  #isForeseen({ tip }: Observation): boolean {
    return tip !== null && this.#foreseen.has(tip);
  }

  /** Whoever comes meanwhile sees it on its way, and builds on it. */
  async #swapAtOnce(step: Step, { seq }: Entry, draft: Draft): Promise<Swap> {
    const { from, to: oid } = step;
    const view = this.#viewOf(step, draft);
    await draft.store();
    if ((await this.#batch.append(seq, oid, from.tip)) === 'late') return { oid, ...overtaken };
    const failure = this.#move(step, view, draft);
    this.#batch.withdraw(oid);
    return { oid, failure };
  }

  /** Leaves the line as soon as the next one can build on it. */
  async #swapWithOthers(step: Step, entry: Entry, draft: Draft): Promise<Swap> {
    const { from, to: oid } = step;
    const { seq } = entry;
    await draft.store();
    const came = await this.#batch.append(seq, oid, from.tip);
    if (came === 'unseen' && !this.#isForeseen(from)) return this.#swapAtOnce(step, entry, draft);
    this.#leavePlace?.();
    this.#leavePlace = null;
    if (came !== 'first') return { oid, ...overtaken };
    this.#wasCarried = true;
    const sent = await this.#batch.send(oid, seq);
    if (sent === 'landed') draft.keep();
    else this.#wasCarried = false;
    if (sent === 'landed') return { oid, failure: null };
    return { oid, failure: sent.failure, ...(sent.isVoid ? { isVoid: true } : {}) };
  }

  /** Over all that has been written on top of this tip. */
  async #moveFor(tip: Oid | null, to: Oid): Promise<string | null> {
    this.#wasCarried = false;
    const from = await this.observe();
    if (from.tip !== tip) return 'the log has moved';
    const step = { from, to, state: this.read(to).state };
    const draft = new Draft(this.#repository);
    const view = this.#viewOf(step, draft);
    await draft.store();
    return this.#move(step, view, draft);
  }

  #viewOf({ from, state }: Step, draft: Draft): readonly RefUpdate[] {
    return this.view.isStale() ? [] : this.view.updates(draft, viewChanges(from.state, state));
  }

  /** Null where the log is there now, else why it is not. */
  #move({ from, to }: Step, view: readonly RefUpdate[], draft: Draft): string | null {
    const log: RefUpdate = {
      ref: logRef,
      value: to,
      expected: from.tip ?? zeroOid(this.#repository),
    };
    const answer = updateRefs(this.#repository, [log, ...view]);
    const alone = answer.code !== 0 && view.length > 0 && this.#viewIsInTheWay(from);
    // Noted before the log moves, so that it is known however this process ends.
    if (alone) this.view.noteStale();
    const failure = alone ? this.#swapLogAlone(log) : answer.code === 0 ? null : answer.stderr;
    const now = failure === null ? to : readRefOrNull(this.#repository, logRef);
    if (now === to) draft.keep();
    // A git that ended between the log and the view; or somebody has built on what it did already.
    if (answer.code !== 0 && !alone && view.length > 0 && now !== from.tip) this.view.noteStale();
    return failure;
  }

  /** The log has neither moved nor is it locked: it must be the view that could not be written. */
  #viewIsInTheWay(from: Observation): boolean {
    return (
      !existsSync(`${this.#repository.commonDir}/${logRef}.lock`) &&
      readRef(this.#repository, logRef) === from.tip
    );
  }

  #swapLogAlone(log: RefUpdate): string | null {
    const answer = updateRefs(this.#repository, [log]);
    return answer.code === 0 ? null : answer.stderr;
  }

  /** The commit of an operation without the swap: only a repair puts it in place by itself. */
  async writeAlone(from: Observation, entry: Entry, state: State): Promise<Oid> {
    const draft = new Draft(this.#repository, true);
    const oid = this.#operations.write(draft, from, entry, state);
    await draft.store();
    return oid;
  }

  async find(nonce: string, from: Observation, floor: Oid | null): Promise<Found | null> {
    const stands = floor === null ? null : (this.#foreseen.get(floor) ?? floor);
    return findNonce(this.#repository, nonce, from.tip, stands);
  }

  async history(from: Observation, sinceSeq: number): ReturnType<LogStore['history']> {
    return historySince(this.#repository, from, sinceSeq);
  }

  async enter(demand: boolean): Promise<(() => void) | null> {
    return (this.#leavePlace = await enterQueue(this.#repository.commonDir, demand));
  }

  async settle(): Promise<Settled> {
    return this.#settler.settle();
  }

  async maintain(after: Observation): Promise<void> {
    if (this.#wasCarried) return;
    await this.view.mendIfDue(after);
    await maintainLog(this, this.#repository, after, this.#world.wallMs());
  }
}

function readRefOrNull(repository: Repository, ref: string): Oid | null {
  try {
    return readRef(repository, ref);
  } catch {
    return null;
  }
}
