/**
 * The log on a server. What is known of it here is a copy; an operation takes effect by one push with
 * an explicit lease on the value that was copied. The processes of this machine take turns with the
 * server, and whoever has the turn sends what all of them have written meanwhile, so that machines
 * contend for the log, not agents.
 */
import { join } from 'node:path';
import type { Entry } from '../core/event.ts';
import { CoordError } from '../core/errors.ts';
import type { Oid } from '../core/ids.ts';
import type { Now } from '../core/instant.ts';
import { limits } from '../core/limits.ts';
import type { Moved } from '../core/record.ts';
import type { State } from '../core/state.ts';
import type { Arbiter, Pushed, PushedRef } from './arbiter.ts';
import { shortenCopy } from './copy.ts';
import { FarCopy, type FarWorld } from './far-copy.ts';
import { drawFarView, isShownLately, publishFarView, shownBy, viewRefs, type Picture } from './far-view.ts';
import { chain, findNonce, historySince } from './history.ts';
import type { Found, LogStore, LoggedEntry, Observation, Settled, Swap } from './log-store.ts';
import { clearIfMuch } from './maintain.ts';
import { noteOurs, oursAmong } from './ours.ts';
import { isEmpty, queueFolder, takeTurn } from './queue.ts';
import type { Repository } from './repository.ts';
import { logRef } from './view.ts';

const mostTries = 3;

/** Why it did not come about, and whether it cannot any more: the log stands elsewhere, without it. */
interface Lost {
  readonly lost: string;
  readonly isVoid: boolean;
}

export class RemoteLogStore implements LogStore {
  readonly #repository: Repository;
  readonly #world: FarWorld;
  readonly copy: FarCopy;
  /** Seen before it was sent. */
  readonly #unsent = new WeakSet<Observation>();
  /** On which tip of the log what was foreseen stood. */
  readonly #bases = new Map<Oid, Oid | null>();
  /** What is to be shown if the push that is under way lands. */
  #picture: Picture | null = null;
  #leavePlace: (() => void) | null = null;

  constructor(repository: Repository, moved: Moved, world: FarWorld) {
    this.#repository = repository;
    this.#world = world;
    this.copy = new FarCopy(repository, moved, world);
  }

  get arbiter(): Arbiter {
    return this.copy.arbiter;
  }

  async foresee(): Promise<Observation> {
    await this.copy.mend();
    if (this.copy.isNew()) await this.copy.ask(this.#world.uptimeMs());
    const known = this.copy.known();
    const last = this.copy.underWay.on(known.tip).at(-1);
    if (last === undefined) return known;
    const foreseen = this.copy.load(last);
    this.#unsent.add(foreseen);
    this.#bases.set(last, known.tip);
    return foreseen;
  }

  async observe(notBefore?: number): Promise<Observation> {
    await this.copy.mend();
    if (notBefore === undefined && this.#world.isPatient) return this.glimpse();
    await this.copy.ask(notBefore ?? this.#world.uptimeMs());
    return this.copy.known();
  }

  glimpse(): Promise<Observation> {
    return this.copy.glimpse();
  }

  peek(): Promise<Observation> {
    return this.copy.glimpse(true);
  }

  /** What is known here, without a question to anybody. */
  async copied(): Promise<Observation> {
    return this.copy.known();
  }

  isBegun(): boolean {
    return this.copy.tip !== null;
  }

  company(_seen: Observation, actor: string, { domain, uptimeMs }: Now): ReadonlyMap<string, number> {
    noteOurs(this.#repository.commonDir, actor, { domain, uptimeMs });
    return new Map([...oursAmong(this.#repository.commonDir)].filter(([, activity]) => activity.domain === domain).map(([agent, activity]) => [agent, activity.uptimeMs]));
  }

  async stands(seen: Observation, notBefore: number | null): Promise<boolean> {
    if (this.#unsent.has(seen)) return seen.tip !== null && await this.#send(seen.tip, seen.seq) === 'landed';
    await this.copy.ask(notBefore ?? this.#world.uptimeMs() - this.copy.asked().everyMs);
    return this.copy.tip === seen.tip;
  }

  async swap(from: Observation, entry: Entry, state: State): Promise<Swap> {
    const oid = this.copy.write(from, entry, state);
    const isFirst = this.copy.underWay.append(entry.seq, oid, from.tip);
    this.#leavePlace?.();
    this.#leavePlace = null;
    if (!isFirst) {
      await this.#unblock(from);
      return { oid, failure: 'another process of this machine was first', isVoid: true };
    }
    const came = await this.#send(oid, entry.seq);
    if (came instanceof CoordError) return { oid, failure: came.message, hopeless: came };
    return came === 'landed' ? { oid, failure: null } : { oid, failure: came.lost, ...(came.isVoid ? { isVoid: true } : {}) };
  }

  /** Together with a branch, by itself: both move or neither. */
  async swapWith(from: Observation, entry: Entry, state: State, branch: PushedRef, source: Repository): Promise<Swap> {
    const oid = this.copy.write(from, entry, state);
    const turn = await this.copy.takeTurn();
    try {
      if (this.copy.tip !== from.tip) return { oid, failure: 'the log has moved' };
      let pushed = await this.#push(from.tip, oid, { branch, source });
      for (let again = 0; pushed.kind === 'unknown' && this.copy.tip === from.tip; again += 1) {
        if (again === mostTries) throw new CoordError('unknown_outcome', `remote '${this.arbiter.moved.remote}' was cut off while the branch was on its way: ${pushed.said}`, 'coord push, again, shows whether it has arrived');
        pushed = await this.#push(from.tip, oid, { branch, source });
      }
      if (pushed.kind === 'refused') return { oid, failure: pushed.error.message, hopeless: pushed.error };
      if (pushed.kind === 'landed') return { oid, failure: null };
      // The log stands where it stood, so it was the branch: nothing here can mend that.
      const isBranch = pushed.kind === 'lost' && this.copy.tip === from.tip;
      return { oid, failure: pushed.said, ...(isBranch ? { hopeless: new CoordError('busy', `the branch could not be moved: ${pushed.said}`, 'git fetch, then try again') } : {}) };
    } finally {
      turn?.leave();
    }
  }

  /** What lies in the place may be of a log that is gone. */
  async #unblock(from: Observation): Promise<void> {
    if ((await this.foresee()).tip !== from.tip) return;
    const turn = await this.copy.takeTurn();
    try {
      if (turn?.alone === true) this.copy.underWay.tidy(this.copy.tip);
    } finally {
      turn?.leave();
    }
  }

  /** Sends all that is under way if this is among it. Lost where it is not, and never can be, in the log. */
  async #send(mine: Oid, seq: number): Promise<'landed' | Lost | CoordError> {
    const began = this.copy.tip;
    let wasSent = false;
    const turn = await this.copy.takeTurn();
    try {
      for (let attempt = 0; ; attempt += 1) {
        const tip = this.copy.tip;
        if (isIn(this.copy.repository, mine, seq, tip)) return 'landed';
        if (!this.copy.underWay.on(tip).includes(mine)) return { lost: 'the log has moved', isVoid: tip !== began };
        if (attempt === 0 && await this.copy.pace.giveWay()) {
          const failure = await this.#lookAgain();
          if (failure !== null) return this.#giveUp(mine, wasSent, failure);
          continue;
        }
        await this.copy.pace.gather(() => this.copy.underWay.on(tip).length);
        // Read after the wait: what came meanwhile goes along.
        const known = this.copy.underWay.beginSending();
        const waiting = this.copy.underWay.on(tip);
        const last = waiting.at(-1);
        if (last === undefined || !waiting.includes(mine)) {
          known();
          continue;
        }
        const pushed = await this.#push(tip, last);
        // What was cut off may arrive yet, whatever becomes of it since; until the log has moved past it.
        wasSent = pushed.kind === 'unknown' || (wasSent && this.copy.tip === tip);
        if (!wasSent) known();
        if (pushed.kind === 'refused') return this.#giveUp(mine, wasSent, pushed.error);
        if (pushed.kind === 'unknown' && attempt >= mostTries) throw new CoordError('unknown_outcome', `remote '${this.arbiter.moved.remote}' was cut off while the operation was on its way: ${pushed.said}`, 'coord sync, then coord status, show whether it took effect');
        if (pushed.kind === 'lost' && attempt >= mostTries) return this.#giveUp(mine, wasSent, { lost: pushed.said, isVoid: false });
      }
    } finally {
      turn?.leave();
    }
  }

  /** Whoever waited may have been overtaken, and what stands on an old log need not be sent to find out. */
  async #lookAgain(): Promise<CoordError | null> {
    try {
      await this.copy.refresh(true);
      this.copy.pace.overtook(this.copy.underWay.tidy(this.copy.tip));
      return null;
    } catch (error) {
      this.copy.noteFailure(error);
      if (error instanceof CoordError) return error;
      throw error;
    }
  }

  async #push(tip: Oid | null, last: Oid, along?: { readonly branch: PushedRef; readonly source: Repository }): Promise<Pushed> {
    const startedMs = this.#world.uptimeMs();
    const log = { ref: this.arbiter.moved.ref, value: last, expected: tip };
    const pushing = along === undefined ? this.#pushWithView(log) : this.arbiter.push([log, along.branch], { from: along.source, mostMs: limits.uploadMs });
    // While the server is at work; where others want the log too it may all be in vain.
    this.#picture = this.copy.pace.isCalm() ? await this.#draw(last) : null;
    const pushed = await pushing;
    if (pushed.kind === 'refused') this.copy.noteFailure(pushed.error);
    else if (pushed.kind === 'landed') {
      this.copy.sent(last, startedMs);
      this.copy.underWay.tidy(last);
    } else {
      try {
        await this.copy.refresh(pushed.kind === 'lost');
      } catch (error) {
        // It did not arrive, and what is there now nobody can build on.
        if (pushed.kind === 'lost' && error instanceof CoordError) return { kind: 'refused', error };
        throw new CoordError('unknown_outcome', `remote '${this.arbiter.moved.remote}' was cut off while the operation was on its way, and cannot be asked: ${error instanceof Error ? error.message : String(error)}`, 'coord sync, then coord status, show whether it took effect', error);
      }
      this.copy.pace.overtook(this.copy.underWay.tidy(this.copy.tip));
    }
    return pushed;
  }

  async #draw(tip: Oid): Promise<Picture | null> {
    try {
      return await drawFarView(this.#repository, this.arbiter.moved.remote, this.copy.load(tip));
    } catch {
      // It is drawn again when it is to be shown, and what is wrong shows then.
      return null;
    }
  }

  /** With the refs for plain git over there, where they are wanted; where they cannot be written, alone. */
  async #pushWithView(log: PushedRef): Promise<Pushed> {
    const view = log.value === null || !this.#world.pushesView || this.arbiter.moved.ref !== logRef ? []
      : await viewRefs(this.copy.repository, shownBy(this.copy.repository, this.copy.known().state), this.copy.load(log.value).state);
    const pushed = view.length === 0 ? null : await this.arbiter.push([log, ...view]);
    return pushed === null || pushed.kind === 'lost' || pushed.kind === 'refused' ? this.arbiter.push([log]) : pushed;
  }

  /** The view over there as the log has it; for when it was torn. */
  async mendView(): Promise<void> {
    if (!this.#world.pushesView || this.arbiter.moved.ref !== logRef) return;
    const stale = await viewRefs(this.copy.repository, await this.arbiter.list('refs/coord/'), this.copy.known().state);
    if (stale.length > 0) await this.arbiter.push(stale);
  }

  /** It was not sent, and shall not be later: it is taken back, unless another process has it on its way. */
  #giveUp<T extends CoordError | Lost>(mine: Oid, wasSent: boolean, why: T): T {
    if (!this.copy.underWay.withdraw(mine) || wasSent) throw new CoordError('unknown_outcome', `${'lost' in why ? 'the log could not be moved' : why.message}; ${wasSent ? 'what was sent before may still arrive' : 'another process of this machine may still send it'}`, 'coord sync, then coord status, show whether it took effect');
    return why;
  }

  async find(nonce: string, from: Observation, floor: Oid | null): Promise<Found | null> {
    return findNonce(this.copy.repository, nonce, from.tip, floor === null ? null : this.#bases.get(floor) ?? floor);
  }

  async history(from: Observation, sinceSeq: number): Promise<readonly LoggedEntry[]> {
    return historySince(this.copy.repository, from, sinceSeq);
  }

  /** One after the other from looking to taking a place; then they go up together. */
  async enter(demand: boolean): Promise<(() => void) | null> {
    const folder = queueFolder(join(this.copy.folder, 'places'));
    if (!demand && isEmpty(folder)) return null;
    const turn = await takeTurn(folder, limits.queuePatienceMs);
    return this.#leavePlace = turn === null ? null : turn.leave;
  }

  async settle(): Promise<Settled> {
    await this.#world.sleep(50 + 100 * this.#world.random());
    return { kind: 'again' };
  }

  async maintain(after: Observation): Promise<void> {
    // Where many want the log at once, whoever comes next shows this too.
    if (this.copy.pace.isCalm() || !isShownLately(this.#repository)) await publishFarView(this.#repository, this.arbiter.moved.remote, () => this.copy.known(), this.#picture);
    clearIfMuch(this.#repository);
    if (after.seq % limits.copyDepth !== 0) return;
    // Whoever is about to take a place writes into the copy first.
    const leavePlaces = await this.enter(true);
    const turn = await this.copy.takeTurn();
    try {
      const isQuiet = leavePlaces !== null && turn?.alone === true && this.copy.underWay.on(this.copy.tip).length === 0;
      if (isQuiet && [...chain(this.copy.repository, after.tip, null)].length > limits.copyEntries) shortenCopy(this.#repository, this.copy.repository, limits.copyDepth);
    } finally {
      turn?.leave();
      leavePlaces?.();
      this.#leavePlace = null;
    }
  }
}

/** In the log an operation stands at its own number or nowhere. */
function isIn(copy: Repository, oid: Oid, seq: number, tip: Oid | null): boolean {
  for (const link of chain(copy, tip, null)) {
    if (link.oid === oid) return true;
    if (link.seq <= seq) return false;
  }
  return false;
}
