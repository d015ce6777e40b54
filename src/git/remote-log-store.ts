/**
 * The log on a server. What is known of it here is a copy; an operation takes effect by one push with
 * an explicit lease on the value that was copied. The processes of this machine take turns with the
 * server, and whoever has the turn sends what all of them have written meanwhile, so that machines
 * contend for the log, not agents.
 */
import type { Entry } from '../core/event.ts';
import { CoordError } from '../core/errors.ts';
import type { Oid } from '../core/ids.ts';
import { limits } from '../core/limits.ts';
import type { Moved } from '../core/record.ts';
import { emptyState, type State } from '../core/state.ts';
import { Arbiter, type Pushed } from './arbiter.ts';
import { lastAsked, noteAsked } from './asked.ts';
import { checkContinuity, noteTip, rememberedTip } from './continuity.ts';
import { copyTip, farFolder, openCopy, setCopyTip, shortenCopy } from './copy.ts';
import { chain, findNonce, historySince } from './history.ts';
import type { Found, LogStore, LoggedEntry, Observation, Settled, Swap } from './log-store.ts';
import { hashObject, storeObjects } from './objects.ts';
import { noteOurs } from './ours.ts';
import { Operations } from './operations.ts';
import { cloneId, Pace } from './pace.ts';
import { queueFolder, takeTurn, type Turn } from './queue.ts';
import { publishFarView } from './far-view.ts';
import type { Repository } from './repository.ts';
import { append, tidy, underWay, withdraw } from './under-way.ts';

export interface FarWorld {
  wallMs(): number;
  uptimeMs(): number;
  /** Names the clock that `uptimeMs` reads. */
  readonly clock: string;
  random(): number;
  sleep(ms: number): Promise<void>;
  /** For what takes long. */
  tell(line: string): void;
  /** Whoever looks by itself, as hooks do, makes do with a copy of a moment ago. */
  readonly isPatient: boolean;
}

const mend = 'coord doctor --fix --remote';
const mostTries = 3;

export class RemoteLogStore implements LogStore {
  readonly #repository: Repository;
  readonly #world: FarWorld;
  readonly #far: string;
  readonly #pace: Pace;
  readonly arbiter: Arbiter;
  readonly operations: Operations;
  #last: Observation | null = null;
  /** Seen before it was sent. */
  readonly #unsent = new WeakSet<Observation>();

  constructor(repository: Repository, moved: Moved, world: FarWorld) {
    this.#repository = repository;
    this.#world = world;
    this.#far = farFolder(repository);
    this.arbiter = new Arbiter(repository, openCopy(repository), moved, (line) => world.tell(line));
    const id = cloneId(repository.commonDir);
    this.operations = new Operations(this.copy, { name: 'coord', email: `${id}@clone.coord.invalid` });
    this.#pace = new Pace(repository.commonDir, id, world);
  }

  get copy(): Repository {
    return this.arbiter.copy;
  }

  /** What is known here. Read from the copy alone. */
  #known(): Observation {
    const tip = copyTip(this.copy);
    if (this.#last === null || this.#last.tip !== tip) this.#last = this.#load(tip);
    return this.#last;
  }

  #load(tip: Oid | null): Observation {
    const arbiter = this.arbiter.moved.remote;
    return tip === null ? { tip, seq: 0, state: emptyState(this.#world.wallMs()), arbiter } : { ...this.operations.read(tip), arbiter };
  }

  async foresee(): Promise<Observation> {
    if (this.#isNew()) await this.#ask(this.#world.uptimeMs());
    const known = this.#known();
    const last = underWay(this.#far, known.tip).at(-1);
    if (last === undefined) return known;
    const foreseen = this.#load(last.oid);
    this.#unsent.add(foreseen);
    return foreseen;
  }

  #isNew(): boolean {
    return copyTip(this.copy) === null && !Number.isFinite(this.#asked().atMs);
  }

  #asked(): ReturnType<typeof lastAsked> {
    return lastAsked(this.#repository.commonDir, this.#world.clock, this.#world.uptimeMs());
  }

  async observe(notBefore?: number): Promise<Observation> {
    await this.#ask(notBefore ?? this.#lookedEnough());
    return this.#known();
  }

  /** As of when a look without any demand has to be. */
  #lookedEnough(): number {
    const nowMs = this.#world.uptimeMs();
    return this.#world.isPatient ? nowMs - this.#asked().everyMs : nowMs;
  }

  /** What is known here, without a question to anybody. */
  async copied(): Promise<Observation> {
    return this.#known();
  }

  isBegun(): boolean {
    return copyTip(this.copy) !== null;
  }

  async stands(seen: Observation, notBefore: number | null): Promise<boolean> {
    if (this.#unsent.has(seen)) return seen.tip !== null && await this.#send(seen.tip, seen.seq) === 'landed';
    await this.#ask(notBefore ?? this.#world.uptimeMs() - this.#asked().everyMs);
    return copyTip(this.copy) === seen.tip;
  }

  /** Makes the copy as new as `notBefore`, by one question for all who wait for one. */
  async #ask(notBefore: number): Promise<void> {
    if (this.#asked().atMs > notBefore) return;
    const turn = await this.#takeTurn();
    try {
      if (this.#asked().atMs > notBefore) return;
      await this.#refresh();
    } finally {
      turn?.leave();
    }
  }

  #takeTurn(): Promise<Turn | null> {
    return takeTurn(queueFolder(this.#far), limits.voicePatienceMs);
  }

  /** Asks, and brings in what is new. */
  async #refresh(isMoved = false): Promise<void> {
    const known = rememberedTip(this.copy);
    const last = this.#asked();
    const startedMs = this.#world.uptimeMs();
    const here = copyTip(this.copy);
    const there = here === null || isMoved ? undefined : await this.arbiter.ask();
    const tip = there === undefined || (there !== null && there !== here) ? await this.arbiter.fetch(here === null ? limits.copyDepth : null) : there;
    const seen = this.#load(tip);
    if (tip !== here || known?.tip !== tip) {
      checkContinuity(this.copy, seen, known, mend);
      if (tip !== null) setCopyTip(this.copy, tip);
      noteTip(this.copy, seen);
      if (here !== null) this.#pace.sawOthers(this.copy, tip, here);
    }
    noteAsked(this.#repository.commonDir, this.#world.clock, startedMs, last, tip !== here);
  }

  async swap(from: Observation, entry: Entry, state: State): Promise<Swap> {
    const objects = new Map<Oid, Buffer>();
    const writer = { write: (kind: 'blob' | 'tree' | 'commit', body: Buffer): Oid => {
      const { oid, store } = hashObject(this.copy, kind, body);
      objects.set(oid, store);
      return oid;
    } };
    const oid = this.operations.write(writer, from, entry, state);
    await storeObjects(this.copy, [...objects], false);
    if (!append(this.#far, entry.seq, oid, from.tip)) {
      await this.#unblock(from);
      return { oid, failure: 'another process of this machine was first' };
    }
    noteOurs(this.#repository.commonDir, entry.agent.id);
    const came = await this.#send(oid, entry.seq);
    if (came instanceof CoordError) return { oid, failure: came.message, hopeless: came };
    return { oid, failure: came === 'landed' ? null : came };
  }

  /** What lies in the place may be of a log that is gone. */
  async #unblock(from: Observation): Promise<void> {
    if ((await this.foresee()).tip !== from.tip) return;
    const turn = await this.#takeTurn();
    try {
      if (turn?.alone === true) tidy(this.#far, copyTip(this.copy));
    } finally {
      turn?.leave();
    }
  }

  /** Sends all that is under way if this is among it. 'lost' where it is not, and never can be, in the log. */
  async #send(mine: Oid, seq: number): Promise<'landed' | 'lost' | CoordError> {
    const turn = await this.#takeTurn();
    try {
      for (let attempt = 0; ; attempt += 1) {
        const tip = copyTip(this.copy);
        if (isIn(this.copy, mine, seq, tip)) return 'landed';
        const waiting = underWay(this.#far, tip);
        if (!waiting.some(({ oid }) => oid === mine)) return 'lost';
        if (attempt === 0) await this.#pace.giveWay();
        // Read after the wait: what came meanwhile goes along.
        const last = underWay(this.#far, tip).at(-1)?.oid ?? mine;
        const pushed = await this.#push(tip, last);
        if (pushed.kind === 'refused') return this.#giveUp(turn, pushed.error);
        if (pushed.kind === 'unknown' && attempt >= mostTries) throw new CoordError('unknown_outcome', `remote '${this.arbiter.moved.remote}' was cut off while the operation was on its way: ${pushed.said}`, 'coord sync, then coord status, show whether it took effect');
        if (pushed.kind === 'lost' && attempt >= mostTries) return this.#giveUp(turn, 'lost');
      }
    } finally {
      turn?.leave();
    }
  }

  async #push(tip: Oid | null, last: Oid): Promise<Pushed> {
    const startedMs = this.#world.uptimeMs();
    const pushed = await this.arbiter.push([{ ref: this.arbiter.moved.ref, value: last, expected: tip }]);
    if (pushed.kind === 'landed') {
      const asked = this.#asked();
      setCopyTip(this.copy, last);
      noteTip(this.copy, this.#load(last));
      noteAsked(this.#repository.commonDir, this.#world.clock, startedMs, asked, true);
      tidy(this.#far, last);
      this.#pace.won(startedMs);
    } else if (pushed.kind !== 'refused') {
      await this.#refresh(pushed.kind === 'lost');
      tidy(this.#far, copyTip(this.copy));
    }
    return pushed;
  }

  /** Nothing was sent, and nothing shall be later: what is under way is taken back, which only whoever is alone can do. */
  #giveUp<T extends CoordError | 'lost'>(turn: Turn | null, why: T): T {
    if (turn?.alone !== true) throw new CoordError('unknown_outcome', `${why === 'lost' ? 'the log could not be moved' : why.message}; another process of this machine may still send it`, 'coord sync, then coord status, show whether it took effect');
    withdraw(this.#far);
    return why;
  }

  async find(nonce: string, from: Observation, floor: Oid | null): Promise<Found | null> {
    return findNonce(this.copy, nonce, from.tip, floor);
  }

  async history(from: Observation, sinceSeq: number): Promise<readonly LoggedEntry[]> {
    return historySince(this.copy, from, sinceSeq);
  }

  /** Places are taken by writing, turns by sending. */
  async enter(): Promise<null> {
    return null;
  }

  async settle(): Promise<Settled> {
    await this.#world.sleep(50 + 100 * this.#world.random());
    return { kind: 'again' };
  }

  async maintain(after: Observation): Promise<void> {
    await publishFarView(this.#repository, this.arbiter.moved.remote, after);
    if (after.seq % limits.copyDepth !== 0) return;
    const turn = await this.#takeTurn();
    try {
      if (turn?.alone === true && [...chain(this.copy, after.tip, null)].length > limits.copyEntries) shortenCopy(this.#repository, this.copy, limits.copyDepth);
    } finally {
      turn?.leave();
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
