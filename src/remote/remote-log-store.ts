/**
 * The log on a server. What is known of it here is a copy; an operation takes effect by one push
 * with an explicit lease on the value that was copied. The processes of this machine take turns
 * with the server, and whoever has the turn sends what all of them have written meanwhile, so that
 * machines contend for the log, not agents.
 */

import { join } from 'node:path';
import type { Entry } from '../core/entry.ts';
import { CoordError } from '../core/errors.ts';
import type { Oid } from '../core/ids.ts';
import type { Now } from '../core/instant.ts';
import { limits } from '../core/limits.ts';
import type { RemoteLocation } from '../core/record.ts';
import type { State } from '../core/state.ts';
import type { Repository } from '../git/repository.ts';
import { writeFailure } from '../git/write-failure.ts';
import { clearIfMuch } from '../log/dead-objects.ts';
import { chain, findNonce, historySince } from '../log/history.ts';
import type { Found, LoggedEntry, LogStore, Observation, Settled, Swap } from '../log/log-store.ts';
import { isEmpty, queueFolder, takeTurn } from '../log/queue.ts';
import { BatchPusher } from './batch-pusher.ts';
import { noteOurs, oursAmong } from './clone-agents.ts';
import { shortenCopy, sweepRemoteFolder } from './copy-repository.ts';
import { isDamage } from './damage.ts';
import { RemoteCopy } from './remote-copy.ts';
import type { PushedRef, RemoteRef } from './remote-ref.ts';
import type { RemoteWorld } from './remote-world.ts';
import { isShownLately, publishRemoteView } from './view.ts';
import { writeOperation } from './write-operation.ts';

export class RemoteLogStore implements LogStore {
  readonly #repository: Repository;
  readonly #world: RemoteWorld;
  readonly copy: RemoteCopy;
  /** Seen before it was sent. */
  readonly #unsent = new WeakSet<Observation>();
  /** On which tip of the log what was foreseen stood. */
  readonly #bases = new Map<Oid, Oid | null>();
  readonly #voice: BatchPusher;
  #leavePlace: (() => void) | null = null;

  constructor(repository: Repository, moved: RemoteLocation, world: RemoteWorld) {
    this.#repository = repository;
    this.#world = world;
    this.copy = new RemoteCopy(repository, moved, world);
    this.#voice = new BatchPusher(repository, world, this.copy);
  }

  get remoteRef(): RemoteRef {
    return this.copy.remoteRef;
  }

  async observePending(): Promise<Observation> {
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

  async glimpse(isPatient?: boolean): Promise<Observation> {
    const seen = await this.#glimpsed(isPatient);
    await this.#keepShort();
    return seen;
  }

  async #glimpsed(isPatient?: boolean): Promise<Observation> {
    try {
      return await this.copy.glimpse(isPatient);
    } catch (error) {
      if (!isDamage(error)) throw error;
      await this.copy.renew();
      return this.copy.known();
    }
  }

  peek(): Promise<Observation> {
    return this.glimpse(true);
  }

  /** What is known here, without a question to anybody. */
  async copied(): Promise<Observation> {
    return this.copy.known();
  }

  isBegun(): boolean {
    return this.copy.tip !== null;
  }

  cloneAgents(
    _seen: Observation,
    actor: string,
    { domain, uptimeMs }: Now,
  ): ReadonlyMap<string, number> {
    noteOurs(this.#repository.commonDir, actor, { domain, uptimeMs });
    return new Map(
      [...oursAmong(this.#repository.commonDir)]
        .filter(([, activity]) => activity.domain === domain)
        .map(([agent, activity]) => [agent, activity.uptimeMs]),
    );
  }

  async confirm(seen: Observation, notBefore: number | null): Promise<boolean> {
    if (this.#unsent.has(seen))
      return seen.tip !== null && (await this.#voice.send(seen.tip, seen.seq)) === 'landed';
    await this.copy.ask(notBefore ?? this.#world.uptimeMs() - this.copy.poll.asked().everyMs);
    return this.copy.tip === seen.tip;
  }

  async swap(from: Observation, entry: Entry, state: State): Promise<Swap> {
    const startedMs = this.#world.uptimeMs();
    const written = this.#unsentYet(() => {
      const oid = this.#write(from, entry, state);
      return { oid, isFirst: this.copy.underWay.append(entry.seq, oid, from.tip) };
    });
    this.#leavePlace?.();
    this.#leavePlace = null;
    if (written instanceof CoordError)
      return { oid: '', failure: written.message, hopeless: written };
    const { oid, isFirst } = written;
    if (!isFirst) {
      await this.#unblock(from);
      return { oid, failure: 'another process of this machine was first', isVoid: true };
    }
    const came = await this.#voice.send(oid, entry.seq);
    if (came instanceof CoordError) return { oid, failure: came.message, hopeless: came };
    if (came === 'landed') this.copy.heard(startedMs);
    return came === 'landed'
      ? { oid, failure: null }
      : { oid, failure: came.lost, ...(came.isVoid ? { isVoid: true } : {}) };
  }

  #write(from: Observation, entry: Entry, state: State): Oid {
    const oid = writeOperation(this.copy, from, entry, state);
    // Nobody would believe it, and everybody would stop at it.
    if (this.#world.sign === 'require') this.copy.checkSignatures(oid, from.tip);
    return oid;
  }

  /** Where this fails, nothing has been sent. */
  #unsentYet<T>(work: () => T): T | CoordError {
    try {
      return work();
    } catch (error) {
      const failure = writeFailure(error, this.copy.folder);
      if (failure instanceof CoordError) return failure;
      throw error;
    }
  }

  /** Together with a branch, by itself: both move or neither. */
  async swapWith(
    from: Observation,
    entry: Entry,
    state: State,
    branch: PushedRef,
    source: Repository,
  ): Promise<Swap> {
    const oid = this.#unsentYet(() => this.#write(from, entry, state));
    if (oid instanceof CoordError) return { oid: '', failure: oid.message, hopeless: oid };
    return { oid, ...(await this.#voice.land(from.tip, oid, branch, source)) };
  }

  /** What lies in the place may be of a log that is gone. */
  async #unblock(from: Observation): Promise<void> {
    if ((await this.observePending()).tip !== from.tip) return;
    const turn = await this.copy.takeTurn();
    try {
      if (turn?.alone === true) this.copy.underWay.tidy(this.copy.tip);
    } finally {
      turn?.leave();
    }
  }

  async find(nonce: string, from: Observation, floor: Oid | null): Promise<Found | null> {
    return findNonce(
      this.copy.repository,
      nonce,
      from.tip,
      floor === null ? null : (this.#bases.get(floor) ?? floor),
    );
  }

  mendView(): Promise<void> {
    return this.#voice.mendView();
  }

  async history(from: Observation, sinceSeq: number): Promise<readonly LoggedEntry[]> {
    return historySince(this.copy.repository, from, sinceSeq);
  }

  /** One after the other from looking to taking a place; then they go up together. */
  async enter(demand: boolean): Promise<(() => void) | null> {
    if (!demand && isEmpty(this.#places())) return null;
    const turn = await takeTurn(this.#places(), limits.queueStuckAfterMs);
    return (this.#leavePlace = turn === null ? null : turn.leave);
  }

  #places(): string {
    return queueFolder(join(this.copy.folder, 'places'));
  }

  async settle(): Promise<Settled> {
    await this.#world.sleep(50 + 100 * this.#world.random());
    return { kind: 'again' };
  }

  async maintain(): Promise<void> {
    // Where many want the log at once, whoever comes next shows this too.
    if (this.copy.pace.isCalm() || !isShownLately(this.#repository))
      await publishRemoteView(
        this.#repository,
        this.remoteRef.location.remote,
        () => this.copy.known(),
        this.#voice.picture,
      );
    clearIfMuch(this.#repository);
    await this.#keepShort();
  }

  /** Now and then, also where nobody does anything but look. */
  async #keepShort(): Promise<void> {
    // Nobody who only looks waits for those who push.
    if (!this.copy.takesStock() || !isEmpty(queueFolder(this.copy.folder))) return;
    // Whoever is about to take a place writes into the copy first.
    const places = await takeTurn(this.#places(), limits.queueStuckAfterMs);
    const turn = await this.copy.takeTurn();
    try {
      sweepRemoteFolder(this.#repository, this.#world.wallMs());
      const isQuiet =
        places?.alone === true &&
        turn?.alone === true &&
        this.copy.underWay.on(this.copy.tip).length === 0;
      if (
        isQuiet &&
        [...chain(this.copy.repository, this.copy.tip, null)].length > limits.copyEntries
      )
        shortenCopy(this.#repository, this.copy.repository, limits.copyDepth);
    } catch {
      // It is tried again after as many operations.
    } finally {
      turn?.leave();
      places?.leave();
    }
  }
}
