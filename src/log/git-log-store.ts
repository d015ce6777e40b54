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
import { dropLocal, readLocal, writeLocal } from '../git/local.ts';
import { missingObjects } from '../git/read-objects.ts';
import { listRefs, type RefUpdate, readRef, updateRefs, zeroOid } from '../git/refs.ts';
import type { Repository } from '../git/repository.ts';
import { checkContinuity, noteTip, rememberedTip } from './continuity.ts';
import { Draft } from './draft.ts';
import { findNonce, historySince } from './history.ts';
import { Settler } from './lock-recovery.ts';
import type { Found, LogStore, Observation, Settled, StoreWorld, Swap } from './log-store.ts';
import { maintainLog } from './maintain.ts';
import { Operations } from './operations.ts';
import { isOvertaken, mayHaveMoved, tipOrNull } from './overtaken.ts';
import { enterQueue } from './queue.ts';
import { heldLocks } from './ref-lock.ts';
import {
  hashRecord,
  logRef,
  recordOf,
  type ViewChange,
  viewChanges,
  viewFolders,
  viewOf,
  writeRecord,
} from './view.ts';

/** Says that some view ref does not show what it should. */
const viewMark = 'view-stale';

/** What could not be judged is judged again after this. */
const judgedForMs = 15_000;
const mostMendings = 3;

export class GitLogStore implements LogStore {
  readonly #repository: Repository;
  readonly #world: StoreWorld;
  readonly #settler: Settler;
  readonly #operations: Operations;
  #last: Observation | null = null;
  #written: Observation | null = null;
  /**
   * Known to this process: the mark that tells the others may have been cleared by one that mended
   * an earlier state.
   */
  #viewIsStale = false;

  constructor(repository: Repository, world: StoreWorld) {
    this.#repository = repository;
    this.#world = world;
    this.#settler = new Settler(repository, world);
    this.#operations = new Operations(repository);
  }

  async observePending(): Promise<Observation> {
    return this.observe();
  }

  /** Read where it is decided, so it was so when it was read. */
  async confirm(): Promise<boolean> {
    return true;
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
    const draft = new Draft(this.#repository);
    const oid = this.#operations.write(draft, from, entry, state);
    // Known from here on, even if another process mends an earlier state and takes the mark away.
    this.#viewIsStale = this.#knowsStaleView();
    const view = this.#viewIsStale ? [] : this.#viewUpdates(draft, viewChanges(from.state, state));
    await draft.store();
    const { nonces: _, ...meta } = state.meta;
    this.#written = {
      tip: oid,
      seq: entry.seq,
      state: state.meta.nonces === undefined ? state : { ...state, meta },
    };
    const log: RefUpdate = {
      ref: logRef,
      value: oid,
      expected: from.tip ?? zeroOid(this.#repository),
    };
    if (isOvertaken(this.#repository, from)) return { oid, failure: 'the log has moved' };
    const answer = updateRefs(this.#repository, [log, ...view]);
    const alone = answer.code !== 0 && view.length > 0 && this.#viewIsInTheWay(from);
    // Noted before the log moves, so that it is known however this process ends.
    if (alone) this.noteStaleView();
    const failure = alone ? this.#swapLogAlone(log) : answer.code === 0 ? null : answer.stderr;
    const now = failure === null ? oid : tipOrNull(this.#repository);
    if (now === oid) draft.keep();
    // A git that ended between the log and the view; or somebody has built on what it did already.
    if (
      answer.code !== 0 &&
      !alone &&
      view.length > 0 &&
      mayHaveMoved(this.#repository, from, entry, now)
    )
      this.noteStaleView();
    return { oid, failure };
  }

  #viewUpdates(draft: Draft, changes: readonly ViewChange[]): readonly RefUpdate[] {
    return changes.map(({ ref, record }) => ({
      ref,
      value: record === null ? null : writeRecord(draft, record),
      expected: null,
    }));
  }

  #knowsStaleView(): boolean {
    return this.#viewIsStale || readLocal(this.#repository.commonDir, viewMark) !== null;
  }

  /** The next operation mends it. */
  noteStaleView(): void {
    this.#viewIsStale = true;
    writeLocal(this.#repository.commonDir, viewMark, '');
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

  /** Every difference between the view as it is and as the state would have it. */
  staleView(state: State): readonly ViewChange[] {
    const wanted = viewOf(state);
    const present = listRefs(this.#repository, 'refs/coord');
    const gone = [...present.keys()].filter(
      (ref) =>
        viewFolders.some((folder) => ref.startsWith(`refs/coord/${folder}/`)) && !wanted.has(ref),
    );
    const hashed = [...wanted]
      .map(([ref, shown]) => ({ ref, record: recordOf(shown) }))
      .map((change) => ({ ...change, oid: hashRecord(this.#repository, change.record) }));
    const missing = missingObjects(
      this.#repository,
      hashed.map(({ oid }) => oid),
    );
    const written = hashed
      .filter(({ ref, oid }) => present.get(ref) !== oid || missing.has(oid))
      .map(({ ref, record }) => ({ ref, record }));
    // What goes comes first: it may stand where another should be.
    return [...gone.map((ref) => ({ ref, record: null })), ...written];
  }

  async find(nonce: string, from: Observation, floor: Oid | null): Promise<Found | null> {
    return findNonce(this.#repository, nonce, from.tip, floor);
  }

  async history(from: Observation, sinceSeq: number): ReturnType<LogStore['history']> {
    return historySince(this.#repository, from, sinceSeq);
  }

  async enter(demand: boolean): Promise<(() => void) | null> {
    // Where the log has moved since it was read, others are at it now.
    const isCrowded = this.#last !== null && isOvertaken(this.#repository, this.#last);
    return enterQueue(this.#repository.commonDir, demand || isCrowded);
  }

  async settle(): Promise<Settled> {
    return this.#settler.settle();
  }

  async maintain(after: Observation): Promise<void> {
    const isBehind =
      this.#knowsStaleView() || existsSync(`${this.#repository.commonDir}/packed-refs.lock`);
    if (isBehind && !this.#isStillBlocked()) await this.mendView(after);
    await maintainLog(this, this.#repository, after, this.#world.wallMs());
  }

  /**
   * Makes the view show the state again and clears away dead locks that keep it, or a user's git,
   * from writing refs. Each write holds only while the log stands where it was observed. Returns
   * what could not be written.
   */
  async mendView(from: Observation): Promise<readonly string[]> {
    const settled = heldLocks(this.#repository).length === 0 ? null : await this.settle();
    let at = from;
    let stale = this.staleView(at.state);
    for (let round = 0; round < mostMendings && !(await this.#show(at, stale)); round += 1) {
      const now = await this.observe();
      if (now.tip === at.tip) break;
      at = now;
      stale = this.staleView(at.state);
    }
    // Where all cannot be written at once, one that cannot be written spoils no other.
    const failed = await this.#showEach(at, this.staleView(at.state));
    this.#viewIsStale = failed.length > 0;
    if (failed.length === 0 && settled?.kind !== 'locked')
      dropLocal(this.#repository.commonDir, viewMark);
    else
      writeLocal(
        this.#repository.commonDir,
        viewMark,
        settled?.kind === 'locked' ? `${this.#world.wallMs()}\n${this.#locks()}` : '',
      );
    return failed.map(({ ref }) => ref);
  }

  async #showEach(at: Observation, stale: readonly ViewChange[]): Promise<readonly ViewChange[]> {
    const failed: ViewChange[] = [];
    for (const change of stale) if (!(await this.#show(at, [change]))) failed.push(change);
    return failed;
  }

  async #show({ tip }: Observation, changes: readonly ViewChange[]): Promise<boolean> {
    if (changes.length === 0) return true;
    const draft = new Draft(this.#repository);
    const view = this.#viewUpdates(draft, changes);
    await draft.store();
    const log: readonly RefUpdate[] =
      tip === null ? [] : [{ ref: logRef, value: tip, expected: tip }];
    return updateRefs(this.#repository, [...log, ...view]).code === 0;
  }

  /**
   * The very locks that could not be judged last time are there still: trying again would only take
   * time.
   */
  #isStillBlocked(): boolean {
    const [, since, locks] =
      /^(\d+)\n(.+)$/s.exec(readLocal(this.#repository.commonDir, viewMark) ?? '') ?? [];
    return (
      locks !== undefined &&
      locks === this.#locks() &&
      Math.abs(this.#world.wallMs() - Number(since)) < judgedForMs
    );
  }

  #locks(): string {
    return heldLocks(this.#repository)
      .map(({ file, inode }) => `${inode} ${file}\n`)
      .join('');
  }
}
