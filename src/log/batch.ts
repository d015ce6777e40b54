/**
 * Operations of processes that stand in line together go into the log together. Each is decided on
 * what will be once all before it are in, and written on top of them; whoever has the turn moves the
 * log over all of them with one compare-and-swap. Who is told what, each reads from the log for
 * itself.
 */
import { join } from 'node:path';
import type { Oid } from '../core/ids.ts';
import { limits } from '../core/limits.ts';
import { localPath } from '../git/local.ts';
import type { Repository } from '../git/repository.ts';
import { chain, readLink } from './history.ts';
import type { StoreWorld } from './log-store.ts';
import { isEmpty, queueFolder, takeTurn } from './queue.ts';
import { UnderWay } from './under-way.ts';

/** Why it did not come about, and whether it cannot any more. */
interface Lost {
  readonly failure: string;
  readonly isVoid: boolean;
}

interface Log {
  tip(): Oid | null;
  /** Over these, oldest first. Null where it has moved, else why not. */
  move(from: Oid | null, waiting: readonly Oid[]): Promise<string | null>;
}

export class Batch {
  readonly #repository: Repository;
  readonly #world: Pick<StoreWorld, 'watch' | 'sleep'>;
  readonly #log: Log;
  readonly #underWay: UnderWay;

  constructor(repository: Repository, world: Pick<StoreWorld, 'watch' | 'sleep'>, log: Log) {
    this.#repository = repository;
    this.#world = world;
    this.#log = log;
    const folder = localPath(repository.commonDir, '.');
    this.#underWay = new UnderWay(folder, world.watch, limits.batchMs);
  }

  /** The newest that is on its way into the log, or null. */
  last(tip: Oid | null): Oid | null {
    return this.#underWay.on(tip).at(-1) ?? null;
  }

  /** Unseen where nobody can be told: then it goes into the log by itself or not at all. */
  async append(seq: number, oid: Oid, parent: Oid | null): Promise<'first' | 'late' | 'unseen'> {
    try {
      if (this.#underWay.append(seq, oid, parent)) return 'first';
    } catch {
      return 'unseen';
    }
    // What lies in the place may have been overtaken long ago.
    await this.#inTurn(async () => this.#underWay.tidy(this.#log.tip()));
    return 'late';
  }

  /** It is in the log, or nobody is to put it there any more. */
  withdraw(oid: Oid): void {
    this.#underWay.withdraw(oid);
  }

  /** Moves the log over this one and all that wait with it, or finds that somebody has. */
  async send(mine: Oid, seq: number): Promise<'landed' | Lost> {
    return this.#inTurn(async () => {
      for (let tries = 0; ; tries += 1) {
        const tip = this.#log.tip();
        const isThere = isIn(this.#repository, mine, seq, tip);
        if (isThere === true) return 'landed';
        if (isThere === null) return { failure: 'the log has a new root', isVoid: false };
        await this.#gather();
        const waiting = this.#underWay.on(tip);
        if (!waiting.includes(mine)) return { failure: 'the log has moved', isVoid: true };
        // Nothing is built on what cannot be read: whoever wrote it writes it anew.
        const lost = waiting.find((oid) => !isReadable(this.#repository, oid));
        if (lost !== undefined) {
          this.withdraw(lost);
          continue;
        }
        const failure = await this.#log.move(tip, waiting);
        if (failure === null) this.#underWay.tidy(waiting.at(-1) ?? null);
        else if (this.#log.tip() === tip || tries >= mostTries) {
          this.withdraw(mine);
          return { failure, isVoid: false };
        }
      }
    });
  }

  /** Whoever stands in line right now is waited for, but not for longer than a swap takes. */
  async #gather(): Promise<void> {
    const line = queueFolder(this.#repository.commonDir);
    for (let ms = 0; ms < limits.batchGatherMs && !isEmpty(line); ms += gatherStepMs)
      await this.#world.sleep(gatherStepMs);
  }

  async #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const folder = queueFolder(join(this.#repository.commonDir, 'coord', 'batch'));
    const turn = await takeTurn(folder, limits.queueStuckAfterMs);
    try {
      return await work();
    } finally {
      turn?.leave();
    }
  }
}

const mostTries = 4;
const gatherStepMs = 4;

/**
 * In the log an operation stands at its own number or nowhere; null where only a new root knows what
 * came before it.
 */
function isIn(repository: Repository, oid: Oid, seq: number, tip: Oid | null): boolean | null {
  for (const link of chain(repository, tip, null)) {
    if (link.oid === oid) return true;
    if (link.seq <= seq) return false;
  }
  return tip === null ? false : null;
}

function isReadable(repository: Repository, oid: Oid): boolean {
  try {
    return readLink(repository, oid).oid === oid;
  } catch {
    return false;
  }
}
