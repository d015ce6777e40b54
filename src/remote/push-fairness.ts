/**
 * Manners towards other machines. A bare compare-and-swap favours whoever has just won, because it
 * knows the log already, and all the others find out only by losing. So machines that want the log
 * at the same time take turns: whoever has written least lately goes first, which all of them read
 * from the log alike; whoever is behind waits for as long as a turn takes, and looks before it
 * sends. For fairness and against wasted pushes alone; nothing rests on it.
 */
import type { Oid } from '../core/ids.ts';
import { limits } from '../core/limits.ts';
import { builtin } from '../git/builtin.ts';
import { readLocal, writeLocal } from '../git/local.ts';
import { readObject } from '../git/read-objects.ts';
import type { Repository } from '../git/repository.ts';
import { chain } from '../log/history.ts';

const file = 'remote/pace';

const gatherStepMs = 3;

interface Noted {
  /** Number of this clone's own last operation. */
  readonly mine: number;
  /** When the log last moved, as far as is known here. */
  readonly movedMs: number;
  readonly pushMs: number;
  readonly fetchMs: number;
  /** Other clones, with the number of their last operation, and when that was seen. */
  readonly rivals: Readonly<Record<string, readonly [number, number]>>;
  /** So many operations of this clone were overtaken then, and are being decided again. */
  readonly overtaken: number;
  readonly overtakenMs: number;
}

const nothing: Noted = {
  mine: 0,
  movedMs: 0,
  pushMs: 0,
  fetchMs: 0,
  rivals: {},
  overtaken: 0,
  overtakenMs: 0,
};

interface PaceWorld {
  uptimeMs(): number;
  random(): number;
  sleep(ms: number): Promise<void>;
}

/**
 * Tells this clone from others in what it sends: drawn once, and drawn anew where the note is lost.
 */
export function cloneId(commonDir: string): string {
  const known = readLocal(commonDir, 'remote/clone')?.trim() ?? '';
  if (/^[0-9a-f]{16}$/.test(known)) return known;
  const drawn = builtin.crypto.randomBytes(8).toString('hex');
  writeLocal(commonDir, 'remote/clone', `${drawn}\n`);
  return readLocal(commonDir, 'remote/clone')?.trim() ?? drawn;
}

function smoothed(before: number, tookMs: number): number {
  const took = Math.min(limits.rivalMs, Math.max(10, tookMs));
  return before === 0 ? took : Math.round(before * 0.7 + took * 0.3);
}

export class PushFairness {
  readonly #commonDir: string;
  readonly #id: string;
  readonly #world: PaceWorld;

  constructor(commonDir: string, id: string, world: PaceWorld) {
    this.#commonDir = commonDir;
    this.#id = id;
    this.#world = world;
  }

  #read(): Noted {
    try {
      const noted = JSON.parse(readLocal(this.#commonDir, file) ?? '') as Partial<Noted>;
      if (
        typeof noted.rivals === 'object' &&
        [
          noted.mine,
          noted.movedMs,
          noted.pushMs,
          noted.fetchMs,
          noted.overtaken,
          noted.overtakenMs,
        ].every((value) => typeof value === 'number')
      )
        return { ...nothing, ...noted };
    } catch {
      // Nothing noted yet.
    }
    return nothing;
  }

  #write(noted: Noted): void {
    writeLocal(this.#commonDir, file, JSON.stringify(noted));
  }

  won(seq: number, startedMs: number): void {
    const noted = this.#read();
    const now = this.#world.uptimeMs();
    this.#write({
      ...noted,
      mine: seq,
      movedMs: now,
      overtaken: 0,
      pushMs: smoothed(noted.pushMs, now - startedMs),
    });
  }

  /** Which other clones have put something between these two. */
  sawOthers(copy: Repository, tip: Oid | null, floor: Oid, startedMs: number): void {
    const noted = this.#read();
    const now = this.#world.uptimeMs();
    const rivals = new Map(
      Object.entries(noted.rivals).filter(([, [, at]]) => at <= now && now - at < limits.rivalMs),
    );
    let read = 0;
    for (const { oid, seq } of chain(copy, tip, floor)) {
      const [, clone] =
        /^committer coord <([0-9a-f]{16})@clone\.coord\.invalid>/m.exec(
          readObject(copy, oid, 'commit').toString('utf8'),
        ) ?? [];
      if (clone !== undefined && clone !== this.#id && (rivals.get(clone)?.[0] ?? 0) < seq)
        rivals.set(clone, [seq, now]);
      if ((read += 1) >= limits.copyDepth) break;
    }
    this.#write({
      ...noted,
      movedMs: now,
      fetchMs: smoothed(noted.fetchMs, now - startedMs),
      rivals: Object.fromEntries(rivals),
    });
  }

  /** Nobody else has moved the log lately. */
  isCalm(): boolean {
    const now = this.#world.uptimeMs();
    return Object.values(this.#read().rivals).every(
      ([, at]) => at > now || now - at >= limits.rivalMs,
    );
  }

  /** So many were overtaken now, or earlier and are told of it only now. */
  overtook(count: number): void {
    const noted = this.#read();
    const overtaken = Math.max(count, noted.overtaken);
    if (overtaken > 1) this.#write({ ...noted, overtaken, overtakenMs: this.#world.uptimeMs() });
  }

  /**
   * Those that were overtaken together go together again: waits a little until all of them are
   * there.
   */
  async gather(countHere: () => number): Promise<void> {
    const { overtaken, overtakenMs } = this.#read();
    const now = this.#world.uptimeMs();
    const leftMs = overtaken > 1 && overtakenMs <= now ? overtakenMs + limits.gatherMs - now : 0;
    for (let waitedMs = 0; waitedMs < leftMs && countHere() < overtaken; waitedMs += gatherStepMs)
      await this.#world.sleep(gatherStepMs);
  }

  /**
   * Lets those go first who have waited longer: until half a turn before they should be through,
   * and then from look to look. Says how long it waited, so that the log may have moved: nothing
   * once nobody is ahead, or whoever is has not taken their turn. `waitedMs` is how long it did so
   * since the log moved, also where the clock stands still.
   */
  async giveWay(waitedMs: number): Promise<number> {
    const { mine, movedMs, pushMs, fetchMs, rivals } = this.#read();
    const now = this.#world.uptimeMs();
    // They look, decide again, come together, and send.
    const turnMs = fetchMs + limits.gatherMs / 2 + pushMs;
    const withinMs = Math.min(
      limits.rivalMs,
      Math.max(limits.rivalMinMs, 4 * Object.keys(rivals).length * turnMs),
    );
    const ahead = Object.values(rivals).filter(
      ([seq, at]) => seq < mine && at <= now && now - at < withinMs,
    ).length;
    const dueMs = Math.min(limits.rivalMs, ahead * turnMs) - Math.max(waitedMs, now - movedMs);
    if (ahead === 0 || movedMs > now || dueMs <= -turnMs / 2) return 0;
    const waitMs = Math.max(turnMs / 4, dueMs - turnMs / 2) * (0.95 + 0.1 * this.#world.random());
    await this.#world.sleep(waitMs);
    return waitMs;
  }
}
