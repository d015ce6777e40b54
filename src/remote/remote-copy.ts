/**
 * What this clone knows of a remote log: the copy, when it was last made new, and the turn that the
 * processes of this machine take with the server, so that one question serves all who wait for an
 * answer.
 */

import { CoordError } from '../core/errors.ts';
import type { Oid } from '../core/ids.ts';
import { limits } from '../core/limits.ts';
import type { RemoteLocation } from '../core/record.ts';
import { emptyState } from '../core/state.ts';
import type { Repository } from '../git/repository.ts';
import { Signing } from '../git/signature.ts';
import { checkContinuity, noteTip, type Remembered, rememberedTip } from '../log/continuity.ts';
import { chain } from '../log/history.ts';
import type { Observation } from '../log/log-store.ts';
import { Operations } from '../log/operations.ts';
import { queueFolder, type Turn, takeTurn } from '../log/queue.ts';
import {
  copyTip,
  draftCopy,
  openCopy,
  remoteCopyFolder,
  replaceCopy,
  setCopyTip,
} from './copy-repository.ts';
import { isDamage } from './damage.ts';
import { UnderWay } from './pending.ts';
import { PollState } from './poll-state.ts';
import { cloneId, PushFairness } from './push-fairness.ts';
import { RemoteRef } from './remote-ref.ts';
import type { RemoteWorld } from './remote-world.ts';

const mend = 'coord doctor --fix --remote';

export class RemoteCopy {
  readonly #repository: Repository;
  readonly #world: RemoteWorld;
  readonly folder: string;
  readonly pace: PushFairness;
  readonly poll: PollState;
  readonly underWay: UnderWay;
  readonly remoteRef: RemoteRef;
  readonly operations: Operations;
  readonly #signing: Signing;
  /** What was seen last is remembered beside the copy, which may go. */
  readonly #memory: Repository;
  #last: Observation | null = null;
  /** As of then the server has told what this process has put there. */
  #ownWordMs = Number.NEGATIVE_INFINITY;
  #isDue = false;

  constructor(repository: Repository, moved: RemoteLocation, world: RemoteWorld) {
    this.#repository = repository;
    this.#world = world;
    this.folder = remoteCopyFolder(repository);
    this.poll = new PollState(repository.commonDir, world);
    this.#memory = { ...repository, commonDir: this.folder };
    this.remoteRef = new RemoteRef(repository, openCopy(repository), moved, (line) =>
      world.tell(line),
    );
    const id = cloneId(repository.commonDir);
    this.#signing = new Signing(repository, world.sign);
    this.operations = new Operations(
      this.repository,
      { name: 'coord', email: `${id}@clone.coord.invalid` },
      (payload) => this.#signing.sign(payload),
    );
    this.underWay = new UnderWay(this.folder, world.watch);
    this.pace = new PushFairness(repository.commonDir, id, world);
  }

  /** A repository like any other to whoever reads objects. */
  get repository(): Repository {
    return this.remoteRef.copy;
  }

  get tip(): Oid | null {
    return copyTip(this.repository);
  }

  /** Read from the copy alone. */
  known(): Observation {
    const { tip } = this;
    if (this.#last === null || this.#last.tip !== tip) this.#last = this.load(tip);
    return this.#last;
  }

  load(tip: Oid | null, operations: Operations = this.operations): Observation {
    const remoteRef = this.remoteRef.location.remote;
    if (tip === null)
      return { tip, seq: 0, state: emptyState(this.#world.wallMs()), remote: remoteRef };
    try {
      return { ...operations.read(tip), remote: remoteRef };
    } catch (error) {
      if (!(error instanceof CoordError) || error.code === 'log_newer') throw error;
      throw new CoordError(error.code, `${error.message} (of remote '${remoteRef}')`, mend, error);
    }
  }

  /** A machine that lost its power may have lost some of it: then it is fetched anew. */
  async mend(): Promise<void> {
    if (this.isDamaged()) await this.renew();
  }

  isDamaged(): boolean {
    try {
      this.known();
      return false;
    } catch (error) {
      if (isDamage(error)) return true;
      throw error;
    }
  }

  /**
   * Fetched anew. It has to be as far as what is remembered, so that a log that was put back goes
   * by nobody.
   */
  async renew(): Promise<void> {
    const turn = await this.takeTurn();
    try {
      await this.#beginAnew();
    } finally {
      turn?.leave();
    }
  }

  /** As far back as a newcomer gets it. The caller has the turn. */
  async #beginAnew(): Promise<Oid | null> {
    const known = rememberedTip(this.#memory);
    const draft = draftCopy(this.#repository);
    const tip = await this.remoteRef.fetch(limits.copyDepth, draft);
    const seen = this.load(tip, new Operations(draft));
    if (known !== null && seen.seq < known.seq)
      throw new CoordError(
        'log_rewound',
        `the log on '${this.remoteRef.location.remote}' is at operation ${seen.seq}, and this clone has seen ${known.seq}`,
        `${mend}, in a clone that has seen more`,
      );
    this.checkSignatures(tip, null, draft);
    // What was written on the old one goes with it.
    this.underWay.tidy(null);
    replaceCopy(this.repository, draft);
    this.#last = null;
    this.adopt(seen);
    return tip;
  }

  /** Nobody has asked yet. */
  isNew(): boolean {
    return this.tip === null && !Number.isFinite(this.poll.asked().atMs);
  }

  takeTurn(patienceMs: number = limits.pushStuckAfterMs): Promise<Turn | null> {
    return takeTurn(queueFolder(this.folder), patienceMs);
  }

  /** Makes the copy as new as `notBefore`, by one question for all who wait for one. */
  async ask(notBefore: number, patienceMs?: number): Promise<void> {
    // What this process itself has put there it knows, to the moment.
    if (!this.#isLost() && (this.#ownWordMs >= notBefore || this.poll.asked().atMs > notBefore))
      return;
    const turn = await this.takeTurn(patienceMs);
    try {
      if (this.#isLost() || this.poll.asked().atMs <= notBefore) await this.refresh();
    } catch (error) {
      this.poll.noteFailure(error);
      throw error;
    } finally {
      turn?.leave();
    }
  }

  /**
   * The copy is gone, of a log that there was: however lately somebody asked, what they heard is
   * not here.
   */
  #isLost(): boolean {
    return this.tip === null && rememberedTip(this.#memory) !== null;
  }

  /** As new as it can be had: where the server is silent, as it was when it last spoke. */
  async glimpse(isPatient: boolean = this.#world.isPatient): Promise<Observation> {
    const nowMs = this.#world.uptimeMs();
    const asked = this.poll.asked();
    const isSilent = isPatient && this.poll.isSilent();
    try {
      if (!isSilent || this.tip === null)
        await this.ask(isPatient ? nowMs - asked.everyMs : nowMs, limits.lookStuckAfterMs);
      return isSilent && this.tip !== null
        ? { ...this.known(), ageMs: this.poll.ageMs() }
        : this.known();
    } catch (error) {
      if (
        !(error instanceof CoordError) ||
        error.code !== 'arbiter_unreachable' ||
        this.tip === null
      )
        throw error;
      return { ...this.known(), ageMs: this.poll.ageMs() };
    }
  }

  /**
   * Asks, and brings in what is new. The caller has the turn, and knows that it has moved where
   * `hasMoved`.
   */
  async refresh(hasMoved = false): Promise<void> {
    const known = rememberedTip(this.#memory);
    const last = this.poll.asked();
    const startedMs = this.#world.uptimeMs();
    const before = this.tip;
    const there = hasMoved ? undefined : await this.remoteRef.ask();
    const isNews = there === undefined || (there !== null && there !== before);
    const { tip, here } = isNews ? await this.#bring(before) : { tip: there, here: before };
    if (tip !== here || known?.tip !== tip) {
      const seen = this.load(tip);
      this.#checkContinuity(seen, known, here);
      this.checkSignatures(tip, here);
      this.adopt(seen);
      if (here !== null) this.pace.sawOthers(this.repository, tip, here, startedMs);
    }
    this.poll.noteAsked(startedMs, last, tip !== before);
  }

  /**
   * What is new since `here`. Where that is more than the server can send in the time, as after
   * months away, the newest alone, on nothing.
   */
  async #bring(here: Oid | null): Promise<{ readonly tip: Oid | null; readonly here: Oid | null }> {
    const startedMs = this.#world.uptimeMs();
    try {
      return { tip: await this.remoteRef.fetch(here === null ? limits.copyDepth : null), here };
    } catch (error) {
      const isLate =
        error instanceof CoordError &&
        error.code === 'arbiter_unreachable' &&
        this.#world.uptimeMs() - startedMs >= limits.gitTimeoutMs;
      if (here === null || !isLate) throw error;
      return { tip: await this.#beginAnew(), here: null };
    }
  }

  /**
   * A copy that has just been begun has not all that the log stands on: then it has to be as far at
   * least.
   */
  #checkContinuity(seen: Observation, known: Remembered | null, here: Oid | null): void {
    const isFurther = known !== null && here === null && seen.tip !== null && seen.seq > known.seq;
    if (!isFurther) checkContinuity(this.repository, seen, known, mend);
  }

  /**
   * Whoever signed the newest of what is seen for the first time has vouched for all it stands on.
   */
  checkSignatures(
    tip: Oid | null,
    here: Oid | null,
    repository: Repository = this.repository,
  ): void {
    const where = `the log on '${this.remoteRef.location.remote}'`;
    const news = [...chain(repository, tip, here)];
    for (const { oid, agent, seq } of here === null ? news.slice(0, 1) : news)
      this.#signing.check(repository, oid, agent.name, seq, where);
  }

  /** What was sent stands. */
  sent(tip: Oid, startedMs: number): void {
    const last = this.poll.asked();
    const seen = this.load(tip);
    this.adopt(seen);
    this.heard(startedMs);
    this.poll.noteAsked(startedMs, last, true);
    this.pace.won(seen.seq, startedMs);
  }

  /** What was put there since is in the log, by whomever it was sent: nobody need ask. */
  heard(sinceMs: number): void {
    this.#ownWordMs = Math.max(this.#ownWordMs, sinceMs);
  }

  /** From now on this is what is known. */
  adopt(seen: Observation): void {
    const mark = (seq: number): number => Math.floor(seq / limits.copyDepth);
    this.#isDue ||= mark(seen.seq) !== mark(rememberedTip(this.#memory)?.seq ?? seen.seq);
    if (seen.tip !== null) setCopyTip(this.repository, seen.tip);
    noteTip(this.#memory, seen);
  }

  /**
   * True once whenever the log has come so much further: then it is looked at how long the copy is
   * by now.
   */
  takesStock(): boolean {
    const isDue = this.#isDue;
    this.#isDue = false;
    return isDue;
  }
}
