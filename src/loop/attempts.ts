/** The attempts of one operation at the swap: one nonce, one place in the queue, one outcome. */

import { nameOf } from '../core/agent.ts';
import type { Decision, DecisionContext } from '../core/decide/decision.ts';
import { complete } from '../core/decide/operation.ts';
import type { Entry } from '../core/entry.ts';
import { CoordError } from '../core/errors.ts';
import type { Oid } from '../core/ids.ts';
import { limits } from '../core/limits.ts';
import type { Found, Observation } from '../log/log-store.ts';
import type { OperateOptions, Outcome } from './operation.ts';
import type { World } from './world.ts';

/** The attempts of one operation at the swap: one nonce, one place in the queue, one outcome. */
export class Attempts<R> {
  readonly #world: World;
  readonly #options: OperateOptions<R>;
  #nonce: string | null;
  /** What each commit that was sent would mean if it is the one that stands. */
  readonly #sent = new Map<Oid, R>();
  readonly #nameless: R[] = [];
  #floor: Oid | null = null;
  #leave: (() => void) | null = null;
  #busySinceMs: number | null = null;
  #isRemote = false;
  #putBack: () => void = () => {};
  #isCarried: () => void = () => {};

  constructor(world: World, options: OperateOptions<R>) {
    this.#world = world;
    this.#options = options;
    this.#nonce = checkNonce(options.nonce) ?? null;
  }

  /** Has an earlier sending of this very request, here or in another process, taken effect? */
  async alreadyDone(seen: Observation): Promise<Outcome<R> | null> {
    if (this.#nonce === null) return null;
    const found = await this.#world.store.find(
      this.#nonce,
      seen,
      this.#sent.size === 0 ? null : this.#floor,
    );
    if (found === null || !(await this.#world.store.confirm(seen, null))) return null;
    return this.#outcomeOf(found, seen);
  }

  /**
   * What stands in the log under this nonce: sent by this process, or by an earlier or a rival one.
   */
  #outcomeOf(found: Found, at: Observation): Outcome<R> {
    const sent = [...this.#sent.values()];
    const drawnHere = this.#options.nonce === undefined;
    const known = found.oid === null && drawnHere ? sent.at(-1) : this.#sent.get(found.oid ?? '');
    // Sent without a reply that told its name: where it was the only one, it must be this.
    const mine =
      known ?? (drawnHere && this.#nameless.length === 1 ? this.#nameless[0] : undefined);
    if (mine !== undefined) return { kind: 'done', result: mine, at };
    if (this.#options.replay === undefined)
      throw new CoordError(
        'unknown_outcome',
        'the operation took effect, but what came of it was lost',
        'coord log shows it',
      );
    const replayed = this.#options.replay(found, at);
    return replayed.kind === 'replayed'
      ? { kind: 'done', result: replayed.result, at }
      : { kind: 'refused', refusal: replayed, at };
  }

  /** False where it had to queue, so that what was observed before may be old. */
  async hasTurn(demand: boolean): Promise<boolean> {
    if (this.#leave !== null) return true;
    this.#leave = await this.#world.store.enter(demand);
    return this.#leave === null;
  }

  async swap(
    seen: Observation,
    c: DecisionContext,
    decision: Extract<Decision<R>, { kind: 'change' }>,
  ): Promise<Outcome<R> | null> {
    const cloneAgents = this.#world.store.cloneAgents?.(seen, decision.actor.id, c.now);
    const { state, events } = complete(decision, cloneAgents ?? new Map(), c);
    // Drawn only now: most commands change nothing, and chance takes a while to load.
    const nonce = (this.#nonce ??= this.#world.random.nonce());
    await this.#settleAbandoned(seen);
    const carried = this.#world.tally.take(
      [decision.actor, ...state.agents.values()].map(nameOf),
      nonce,
    );
    this.#putBack = () => carried.putBack();
    this.#isCarried = () => carried.drop();
    const entry: Entry = {
      seq: c.seq,
      at: c.now.at,
      agent: decision.actor,
      nonce,
      events: [...carried.events, ...events],
    };
    let failure: Error | string | null = null;
    let hopeless: CoordError | null = null;
    let isVoid = false;
    const sentMs = c.now.uptimeMs;
    try {
      const swap = await this.#world.store.swap(seen, entry, state);
      this.#sent.set(swap.oid, decision.result);
      if (swap.hopeless !== undefined) hopeless = swap.hopeless;
      isVoid = swap.isVoid === true;
      failure = swap.failure;
    } catch (error) {
      failure = error instanceof Error ? error : String(error);
      this.#nameless.push(decision.result);
    }
    if (hopeless !== null) throw hopeless;
    if (isVoid) {
      this.#leave?.();
      this.#leave = null;
      this.#dropCarried();
      return null;
    }
    this.#floor ??= seen.tip;
    this.#isRemote = seen.remote !== undefined;
    const outcome = await this.#look(seen, nonce, failure, sentMs);
    if (outcome === null) this.#dropCarried();
    return outcome;
  }

  /** Reads the log again: what stands there is the outcome, whatever git said. */
  async #look(
    seen: Observation,
    nonce: string,
    failure: Error | string | null,
    sentMs: number,
  ): Promise<Outcome<R> | null> {
    const { store } = this.#world;
    let after: Observation;
    let found: Found | null;
    try {
      after = await store.observe(sentMs);
      found = await store.find(nonce, after, seen.tip);
    } catch (error) {
      // Notes that it carried stay aside until the next writer knows whether it is in the log.
      this.#putBack = () => {};
      throw new CoordError(
        'unknown_outcome',
        'the operation was sent, but the log could not be read again',
        'coord status shows whether it took effect',
        error,
      );
    }
    if (found !== null) {
      this.#putBack = () => {};
      this.#isCarried();
      await this.#upkeep(after);
      return this.#outcomeOf(found, after);
    }
    if (failure instanceof Error) throw failure;
    if (after.tip !== seen.tip) this.#busySinceMs = null;
    if (after.tip === seen.tip)
      await this.#waitForLock(failure ?? 'git reported success but refs/coord/log did not change');
    return null;
  }

  /**
   * Notes that a writer took and did not live to carry; those that it did carry are in the log
   * under its nonce.
   */
  async #settleAbandoned(seen: Observation): Promise<void> {
    for (const left of this.#world.tally.abandoned()) {
      const { store } = this.#world;
      if ((await store.find(left.nonce, seen, null)) === null) left.putBack();
      // What is on its way may come about or not: whoever writes next knows.
      else if ((await store.find(left.nonce, await store.observe(), null)) !== null) left.drop();
    }
  }

  async #upkeep(after: Observation): Promise<void> {
    try {
      await this.#world.store.maintain(after);
    } catch {
      // The operation stands. A log that could not be shortened is tried again by the next one, and
      // doctor names it.
    }
  }

  async #waitForLock(said: string): Promise<void> {
    const nowMs = this.#world.clock.now().uptimeMs;
    this.#busySinceMs ??= nowMs;
    const settled = await this.#world.store.settle();
    if (settled.kind === 'locked') {
      throw new CoordError(
        'locked',
        `git's lock '${settled.file}' is in the way: ${settled.why}`,
        'if no git is at work here: coord doctor --fix',
      );
    }
    if (nowMs - this.#busySinceMs > limits.busyMs)
      throw new CoordError(
        'busy',
        `git could not move the log: ${said.split('\n')[0] ?? ''}`,
        this.#isRemote
          ? 'try again; where a lock is in the way over there, its keeper takes it away once no git is at work'
          : 'try again; coord doctor says what is in the way',
      );
  }

  #dropCarried(): void {
    this.#putBack();
    this.#putBack = () => {};
  }

  end(): void {
    this.#putBack();
    this.#leave?.();
  }
}

function checkNonce(nonce: string | undefined): string | undefined {
  if (nonce === undefined || /^[0-9a-f]{32}$/.test(nonce)) return nonce;
  throw new CoordError('usage', 'the nonce is not 32 hexadecimal digits');
}
