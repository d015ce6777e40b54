/**
 * One clone and its one voice: requests wait for its turn, go up in one push, and are decided again
 * when that lost.
 */
import type { Agenda } from './remote-agenda.ts';
import type { Chance } from './remote-chance.ts';
import { type Decided, type Decider, decide, isTakable, type Request } from './remote-decide.ts';
import type { Judge, Tally } from './remote-figures.ts';
import { contains, type RemoteLog, type Tip, writersSince } from './remote-log.ts';
import { type RemoteOptions, remoteRules } from './remote-options.ts';

export interface Network {
  readonly options: RemoteOptions;
  readonly agenda: Agenda;
  readonly chance: Chance;
  readonly log: RemoteLog;
  readonly tally: Tally;
  readonly judge: Judge;
}

export class RemoteMachine {
  readonly living: Set<number> = new Set();
  /** When the leases of its agents were last renewed. */
  renewedMs = 0;
  readonly #index: number;
  readonly #net: Network;
  #pending: Request[] = [];
  /** In line for a file, with nothing to do until it is free. */
  #standing: Request[] = [];
  #view: Tip;
  /** What a poll has fetched and is still on its way. */
  #coming: { readonly tip: Tip; readonly atMs: number } | null = null;
  #polled: Tip;
  #pollMs: number = remoteRules.pollMinMs;
  #hasTurn = false;
  #pushes = false;
  #renewalDue = false;
  #notBeforeMs = 0;
  #alarmSet = false;

  constructor(index: number, net: Network) {
    this.#index = index;
    this.#net = net;
    this.#view = net.log.tip;
    this.#polled = net.log.tip;
    net.agenda.after(net.chance.fraction() * this.#pollMs, () => this.#poll());
    net.agenda.after(net.options.ttlMs / 3, () => this.#considerRenewal());
  }

  ask(request: Request): void {
    this.#pending.push(request);
    this.#wake();
  }

  #roundTripMs(): number {
    return this.#net.chance.around(this.#net.options.latencyMs, remoteRules.jitter);
  }

  #decider(): Decider {
    const {
      agenda: { nowMs },
      options: { ttlMs, graceMs },
    } = this.#net;
    return { machine: this.#index, living: this.living, nowMs, ttlMs, graceMs };
  }

  /** Begins a turn if there is something to do, now or when its courtesy ends. */
  #wake(): void {
    const { agenda } = this.#net;
    if (this.#hasTurn || (this.#pending.length === 0 && !this.#renewalDue)) return;
    if (agenda.nowMs >= this.#notBeforeMs) {
      this.#hasTurn = true;
      this.#arrive();
      this.#attempt(false);
    } else if (!this.#alarmSet) {
      this.#alarmSet = true;
      agenda.after(this.#notBeforeMs - agenda.nowMs, () => {
        this.#alarmSet = false;
        this.#wake();
      });
    }
  }

  #attempt(isFresh: boolean): void {
    const decided = decide(this.#pending, this.#view.places, this.#decider(), this.#renewalDue);
    if (decided.places !== null) this.#push(decided);
    else if (decided.held.length > 0 && !isFresh) this.#fetch(() => this.#attempt(true));
    else {
      this.#settle(decided);
      this.#endTurn();
    }
  }

  #push(decided: Decided): void {
    const { agenda, chance, log, tally, options } = this.#net;
    const [seen, places, tripMs, decidedMs] = [
      this.#view,
      decided.places ?? this.#view.places,
      this.#roundTripMs(),
      agenda.nowMs,
    ];
    const cut = !chance.happens(options.failures) ? 'no' : chance.happens(0.5) ? 'before' : 'after';
    let landed: Tip | null = null;
    if (!this.#pushes) tally.startsPushing(agenda.nowMs);
    this.#pushes = true;
    tally.pushes += 1;
    agenda.after(tripMs / 2, () => {
      if (cut !== 'before') landed = log.push(seen, this.#index, places, agenda.nowMs);
    });
    agenda.after(tripMs, () => {
      if (cut === 'no' && landed !== null) return this.#win(decided, landed, decidedMs);
      if (cut === 'no') tally.lostPushes += 1;
      this.#fetch(() => {
        if (cut !== 'no') tally.unknownResolved += 1;
        if (landed !== null && contains(this.#view.entry, landed.entry))
          this.#win(decided, this.#view, decidedMs);
        else this.#attempt(true);
      });
    });
  }

  #fetch(then: () => void): void {
    const { agenda, log, tally } = this.#net;
    const tripMs = this.#roundTripMs();
    tally.reads += 1;
    agenda.after(tripMs / 2, () => {
      const fetched = log.tip;
      agenda.after(tripMs / 2, () => {
        this.#view = fetched;
        then();
      });
    });
  }

  #win(decided: Decided, tip: Tip, decidedMs: number): void {
    const {
      agenda,
      chance,
      judge,
      options: { latencyMs, ttlMs },
    } = this.#net;
    this.#view = tip;
    this.renewedMs = decidedMs;
    this.#renewalDue = false;
    for (const [file, { holder }] of decided.places ?? [])
      if (holder?.machine === this.#index && this.living.has(holder.agent))
        judge.renews(file, holder.agent, decidedMs + ttlMs);
    const others = writersSince(
      tip.entry,
      agenda.nowMs - remoteRules.latelyRoundTrips * latencyMs,
      this.#index,
    );
    this.#notBeforeMs = agenda.nowMs + chance.around(others * latencyMs, remoteRules.jitter);
    this.#settle(decided);
    this.#endTurn();
  }

  #settle({ granted, standing, held }: Decided): void {
    const done = new Set([...granted, ...standing, ...held]);
    this.#pending = this.#pending.filter((request) => !done.has(request));
    for (const request of standing) this.#stand(request);
    for (const request of granted) request.answer('granted');
    for (const request of held) request.answer('refused');
  }

  #stand(request: Request): void {
    const { agenda } = this.#net;
    this.#standing.push(request);
    agenda.after(Math.max(0, request.untilMs - agenda.nowMs), () => {
      if (!this.#standing.includes(request)) return;
      this.#standing = this.#standing.filter((other) => other !== request);
      request.answer('refused');
    });
  }

  #endTurn(): void {
    if (this.#pushes) this.#net.tally.stopsPushing(this.#net.agenda.nowMs);
    this.#pushes = false;
    this.#hasTurn = false;
    this.#look();
    this.#wake();
  }

  /** Whoever stands in line and may have what it waits for asks for it. */
  #look(): void {
    if (this.#standing.length === 0) return;
    const by = this.#decider();
    const isNext = ({ file, agent }: Request): boolean =>
      isTakable(this.#view.places.get(file), agent, by);
    this.#pending.push(...this.#standing.filter(isNext));
    this.#standing = this.#standing.filter((request) => !isNext(request));
  }

  /** During a turn there is nothing to poll for: the push tells. */
  #poll(): void {
    const { agenda, chance, log, tally } = this.#net;
    const hasMoved = log.tip !== this.#polled;
    this.#polled = log.tip;
    this.#pollMs = hasMoved
      ? remoteRules.pollMinMs
      : Math.min(remoteRules.pollMaxMs, 2 * this.#pollMs);
    agenda.after(chance.around(this.#pollMs, remoteRules.jitter), () => this.#poll());
    if (this.#hasTurn) return;
    tally.reads += 1;
    if (log.tip !== this.#view) {
      tally.reads += 1;
      this.#coming = { tip: log.tip, atMs: agenda.nowMs + 1.5 * this.#roundTripMs() };
    }
    if (this.#standing.length > 0) agenda.after(2 * this.#roundTripMs(), () => this.#lookAgain());
  }

  #lookAgain(): void {
    if (this.#hasTurn) return;
    this.#arrive();
    this.#look();
    this.#wake();
  }

  #arrive(): void {
    if (this.#coming === null || this.#coming.atMs > this.#net.agenda.nowMs) return;
    if (this.#coming.tip.entry.atMs > this.#view.entry.atMs) this.#view = this.#coming.tip;
    this.#coming = null;
  }

  #considerRenewal(): void {
    const {
      agenda,
      options: { ttlMs },
    } = this.#net;
    const restMs = this.renewedMs + ttlMs / 3 - agenda.nowMs;
    agenda.after(restMs > 1 ? restMs : ttlMs / 3, () => this.#considerRenewal());
    this.#arrive();
    if (
      restMs > 1 ||
      ![...this.#view.places.values()].some(
        ({ holder }) => holder?.machine === this.#index && this.living.has(holder.agent),
      )
    )
      return;
    this.#renewalDue = true;
    this.#wake();
  }
}
