/**
 * One voice for all processes of a machine: whoever has the turn with the server sends what all of
 * them have written, and says what became of it. Nothing is said to be undone that may still come
 * about.
 */
import { CoordError } from '../core/errors.ts';
import type { Oid } from '../core/ids.ts';
import { limits } from '../core/limits.ts';
import type { Repository } from '../git/repository.ts';
import { chain } from '../log/history.ts';
import type { Swap } from '../log/log-store.ts';
import { logRef } from '../log/view.ts';
import type { Sending } from './pending.ts';
import type { RemoteCopy } from './remote-copy.ts';
import type { Pushed, PushedRef } from './remote-ref.ts';
import type { RemoteWorld } from './remote-world.ts';
import { type Picture, shownBy, viewRefs, writeRemoteView } from './view.ts';

const mostPushes = 4;

/**
 * Why it did not come about, and whether it cannot any more: the log stands elsewhere, without it.
 */
interface Lost {
  readonly lost: string;
  readonly isVoid: boolean;
}

export class BatchPusher {
  readonly #repository: Repository;
  readonly #world: RemoteWorld;
  readonly #copy: RemoteCopy;
  /** What is to be shown if the push that is under way lands. */
  picture: Picture | null = null;

  constructor(repository: Repository, world: RemoteWorld, copy: RemoteCopy) {
    this.#repository = repository;
    this.#world = world;
    this.#copy = copy;
  }

  /**
   * Sends all that is under way if this is among it. Lost where it is not, and never can be, in the
   * log.
   */
  async send(mine: Oid, seq: number): Promise<'landed' | Lost | CoordError> {
    const began = this.#copy.tip;
    let waitedMs = 0;
    let pushes = 0;
    let wasSent = false;
    let sentOn: Oid | null = null;
    let sending: Sending | null = null;
    const turn = await this.#copy.takeTurn();
    try {
      for (;;) {
        const tip = this.#copy.tip;
        // What was cut off may arrive yet, until the log has moved past it.
        if (wasSent && tip !== sentOn) {
          wasSent = false;
          sending?.known();
        }
        const isThere = isIn(this.#copy.repository, mine, seq, tip);
        if (isThere === true) return 'landed';
        if (isThere === null)
          throw this.#cutOff('the log has gone on further than the copy goes back');
        // Also if it has been overtaken: it is decided again when it is this machine's turn, and
        // not before.
        const gaveWayMs = wasSent ? 0 : await this.#copy.pace.giveWay(waitedMs);
        if (gaveWayMs > 0) {
          const failure = await this.#lookAgain();
          if (failure !== null) return this.#giveUp(mine, wasSent, failure);
          waitedMs = this.#copy.tip === tip ? waitedMs + gaveWayMs : 0;
          continue;
        }
        if (!this.#copy.underWay.on(tip).includes(mine)) {
          if (wasSent) throw this.#cutOff('it took too long');
          return { lost: 'the log has moved', isVoid: tip !== began };
        }
        await this.#copy.pace.gather(() => this.#copy.underWay.on(tip).length);
        // Read after the wait: what came meanwhile goes along.
        sending = this.#copy.underWay.beginSending();
        const waiting = this.#copy.underWay.on(tip);
        const last = waiting.at(-1);
        if (last === undefined || !waiting.includes(mine)) {
          if (!wasSent) sending.known();
          continue;
        }
        sending.sends(waiting);
        const pushed = await this.#push(tip, last);
        pushes += 1;
        wasSent ||= pushed.kind === 'unknown';
        sentOn = tip;
        if (!wasSent) sending.known();
        if (pushed.kind === 'refused') return this.#giveUp(mine, wasSent, pushed.error);
        if (pushed.kind === 'unknown' && pushes >= mostPushes) throw this.#cutOff(pushed.said);
        if (pushed.kind === 'lost' && pushes >= mostPushes)
          return this.#giveUp(mine, wasSent, { lost: pushed.said, isVoid: false });
      }
    } finally {
      turn?.leave();
    }
  }

  /** One operation by itself, together with a branch: both move or neither. */
  async land(
    tip: Oid | null,
    oid: Oid,
    branch: PushedRef,
    source: Repository,
  ): Promise<Omit<Swap, 'oid'>> {
    const turn = await this.#copy.takeTurn();
    try {
      if (this.#copy.tip !== tip) return { failure: 'the log has moved' };
      let pushed = await this.#push(tip, oid, { branch, source });
      for (let pushes = 1; pushed.kind === 'unknown' && this.#copy.tip === tip; pushes += 1) {
        if (pushes === mostPushes) throw this.#cutOff(pushed.said);
        pushed = await this.#push(tip, oid, { branch, source });
      }
      if (pushed.kind === 'refused')
        return { failure: pushed.error.message, hopeless: pushed.error };
      if (pushed.kind === 'landed') return { failure: null };
      // The log stands where it stood, so it was the branch: nothing here can mend that.
      const isBranch = pushed.kind === 'lost' && this.#copy.tip === tip;
      return {
        failure: pushed.said,
        ...(isBranch
          ? {
              hopeless: new CoordError(
                'busy',
                `the branch could not be moved: ${pushed.said}`,
                'git fetch, then try again',
              ),
            }
          : {}),
      };
    } finally {
      turn?.leave();
    }
  }

  #cutOff(said: string, cause?: unknown): CoordError {
    return new CoordError(
      'unknown_outcome',
      `remote '${this.#copy.remoteRef.location.remote}' was cut off while the operation was on its way: ${said}`,
      'coord sync, then coord status, show whether it took effect',
      cause,
    );
  }

  /**
   * Whoever waited may have been overtaken, and what stands on an old log need not be sent to find
   * out.
   */
  async #lookAgain(): Promise<CoordError | null> {
    try {
      await this.#copy.refresh(true);
      this.#copy.pace.overtook(this.#copy.underWay.tidy(this.#copy.tip));
      return null;
    } catch (error) {
      this.#copy.poll.noteFailure(error);
      if (error instanceof CoordError) return error;
      throw error;
    }
  }

  async #push(
    tip: Oid | null,
    last: Oid,
    along?: { readonly branch: PushedRef; readonly source: Repository },
  ): Promise<Pushed> {
    const startedMs = this.#world.uptimeMs();
    const log = { ref: this.#copy.remoteRef.location.ref, value: last, expected: tip };
    const pushing =
      along === undefined
        ? this.#pushWithView(log)
        : this.#copy.remoteRef.push([log, along.branch], {
            from: along.source,
            mostMs: limits.uploadMs,
          });
    // While the server is at work; where others want the log too it may all be in vain.
    this.picture = this.#copy.pace.isCalm() ? await this.#draw(last) : null;
    const pushed = await pushing;
    if (pushed.kind === 'refused') this.#copy.poll.noteFailure(pushed.error);
    else if (pushed.kind === 'landed') {
      this.#copy.sent(last, startedMs);
      this.#copy.underWay.tidy(last);
    } else {
      try {
        await this.#copy.refresh(pushed.kind === 'lost');
      } catch (error) {
        // It did not arrive, and what is there now nobody can build on.
        if (pushed.kind === 'lost' && error instanceof CoordError)
          return { kind: 'refused', error };
        throw this.#cutOff(error instanceof Error ? error.message : String(error), error);
      }
      this.#copy.pace.overtook(this.#copy.underWay.tidy(this.#copy.tip));
    }
    return pushed;
  }

  async #draw(tip: Oid): Promise<Picture | null> {
    try {
      return await writeRemoteView(
        this.#repository,
        this.#copy.remoteRef.location.remote,
        this.#copy.load(tip),
      );
    } catch {
      // It is drawn again when it is to be shown, and what is wrong shows then.
      return null;
    }
  }

  /**
   * With the refs for plain git over there, where they are wanted; where they cannot be written,
   * alone.
   */
  async #pushWithView(log: PushedRef): Promise<Pushed> {
    const view =
      log.value === null || !this.#world.pushesView || this.#copy.remoteRef.location.ref !== logRef
        ? []
        : await viewRefs(
            this.#copy.repository,
            shownBy(this.#copy.repository, this.#copy.known().state),
            this.#copy.load(log.value).state,
          );
    const pushed = view.length === 0 ? null : await this.#copy.remoteRef.push([log, ...view]);
    return pushed === null || pushed.kind === 'lost' || pushed.kind === 'refused'
      ? this.#copy.remoteRef.push([log])
      : pushed;
  }

  /** The view over there as the log has it; for when it was torn. */
  async mendView(): Promise<void> {
    if (!this.#world.pushesView || this.#copy.remoteRef.location.ref !== logRef) return;
    const stale = await viewRefs(
      this.#copy.repository,
      await this.#copy.remoteRef.list('refs/coord/'),
      this.#copy.known().state,
    );
    if (stale.length > 0) await this.#copy.remoteRef.push(stale);
  }

  /**
   * It was not sent, and shall not be later: it is taken back, unless another process has it on its
   * way.
   */
  #giveUp<T extends CoordError | Lost>(mine: Oid, wasSent: boolean, why: T): T {
    if (!this.#copy.underWay.withdraw(mine) || wasSent)
      throw new CoordError(
        'unknown_outcome',
        `${'lost' in why ? 'the log could not be moved' : why.message}; ${wasSent ? 'what was sent before may still arrive' : 'another process of this machine may still send it'}`,
        'coord sync, then coord status, show whether it took effect',
      );
    return why;
  }
}

/**
 * In the log an operation stands at its own number or nowhere; null where the copy does not go back
 * as far.
 */
function isIn(copy: Repository, oid: Oid, seq: number, tip: Oid | null): boolean | null {
  let earliest = 0;
  for (const link of chain(copy, tip, null)) {
    if (link.oid === oid) return true;
    if (link.seq <= seq) return false;
    earliest = link.seq;
  }
  return earliest > seq ? null : false;
}
