/**
 * The refs that show the log to plain git. They are written with the log, and mended where they
 * could not be; no decision reads them.
 */
import { existsSync } from 'node:fs';
import type { State } from '../core/state.ts';
import { dropLocal, readLocal, writeLocal } from '../git/local.ts';
import { missingObjects } from '../git/read-objects.ts';
import { listRefs, type RefUpdate, updateRefs } from '../git/refs.ts';
import type { Repository } from '../git/repository.ts';
import { Draft } from './draft.ts';
import type { LogStore, Observation } from './log-store.ts';
import { heldLocks } from './ref-lock.ts';
import {
  hashRecord,
  logRef,
  recordOf,
  type ViewChange,
  viewFolders,
  viewOf,
  writeRecord,
} from './view.ts';

/** Says that some view ref does not show what it should. */
const mark = 'view-stale';

/** What could not be judged is judged again after this. */
const judgedForMs = 15_000;
const mostMendings = 3;

type Log = Pick<LogStore, 'observe' | 'settle'>;

export class LogView {
  readonly #repository: Repository;
  readonly #wallMs: () => number;
  readonly #log: Log;
  /**
   * Known to this process: the mark that tells the others may have been cleared by one that mended
   * an earlier state.
   */
  #isStale = false;

  constructor(repository: Repository, wallMs: () => number, log: Log) {
    this.#repository = repository;
    this.#wallMs = wallMs;
    this.#log = log;
  }

  updates(draft: Draft, changes: readonly ViewChange[]): readonly RefUpdate[] {
    return changes.map(({ ref, record }) => ({
      ref,
      value: record === null ? null : writeRecord(draft, record),
      expected: null,
    }));
  }

  /** From here on also if another process mends an earlier state and takes the mark away. */
  isStale(): boolean {
    return (this.#isStale ||= readLocal(this.#repository.commonDir, mark) !== null);
  }

  /** The next operation mends it. */
  noteStale(): void {
    this.#isStale = true;
    writeLocal(this.#repository.commonDir, mark, '');
  }

  /** Where it is known to be stale, or where a lock may keep a user's git from writing refs. */
  async mendIfDue(after: Observation): Promise<void> {
    const isDue = this.isStale() || existsSync(`${this.#repository.commonDir}/packed-refs.lock`);
    if (isDue && !this.#isStillBlocked()) await this.mend(after);
  }

  /** Every difference between the view as it is and as the state would have it. */
  differences(state: State): readonly ViewChange[] {
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

  /**
   * Makes the view show the state again and clears away dead locks that keep it, or a user's git,
   * from writing refs. Each write holds only while the log stands where it was observed. Returns
   * what could not be written.
   */
  async mend(from: Observation): Promise<readonly string[]> {
    const settled = heldLocks(this.#repository).length === 0 ? null : await this.#log.settle();
    let at = from;
    let stale = this.differences(at.state);
    for (let round = 0; round < mostMendings && !(await this.#show(at, stale)); round += 1) {
      const now = await this.#log.observe();
      if (now.tip === at.tip) break;
      at = now;
      stale = this.differences(at.state);
    }
    // Where all cannot be written at once, one that cannot be written spoils no other.
    const failed = await this.#showEach(at, this.differences(at.state));
    this.#isStale = failed.length > 0;
    if (failed.length === 0 && settled?.kind !== 'locked')
      dropLocal(this.#repository.commonDir, mark);
    else
      writeLocal(
        this.#repository.commonDir,
        mark,
        settled?.kind === 'locked' ? `${this.#wallMs()}\n${this.#locks()}` : '',
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
    const view = this.updates(draft, changes);
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
      /^(\d+)\n(.+)$/s.exec(readLocal(this.#repository.commonDir, mark) ?? '') ?? [];
    return (
      locks !== undefined &&
      locks === this.#locks() &&
      Math.abs(this.#wallMs() - Number(since)) < judgedForMs
    );
  }

  #locks(): string {
    return heldLocks(this.#repository)
      .map(({ file, inode }) => `${inode} ${file}\n`)
      .join('');
  }
}
