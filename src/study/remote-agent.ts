/**
 * One agent's cycle: it claims a unit of work, reserves a file, releases both, and thinks before
 * each.
 */
import type { Request } from './remote-decide.ts';
import type { Network, RemoteMachine } from './remote-machine.ts';

export interface Scene extends Network {
  readonly wantedFile: () => number;
  /** Never given twice. */
  readonly newAgent: () => number;
}

export class RemoteAgent {
  readonly #scene: Scene;
  readonly #machine: RemoteMachine;
  readonly #holdMs: number;
  readonly #thinkMs: number;
  #id: number;
  #file = -1;
  #askedMs: number | null = null;
  #waitedMs = 0;

  constructor(scene: Scene, machine: RemoteMachine) {
    this.#scene = scene;
    this.#machine = machine;
    const eachMs = 3_600_000 / scene.options.ratePerHour;
    this.#holdMs = Math.min(scene.options.holdMs, eachMs);
    this.#thinkMs = (3 * eachMs - this.#holdMs) / 2;
    this.#id = scene.newAgent();
    machine.living.add(this.#id);
    this.#then('claim', this.#thinkMs);
  }

  /**
   * The share of its time in which it did not wait for an answer: as many of its requests it was
   * served.
   */
  servedShare(endMs: number): number {
    const openMs = this.#askedMs === null ? 0 : endMs - this.#askedMs;
    return 1 - (this.#waitedMs + openMs) / endMs;
  }

  #then(kind: Request['kind'], meanMs: number): void {
    this.#scene.agenda.after(this.#scene.chance.exponential(meanMs), () => this.#ask(kind));
  }

  #ask(kind: Request['kind']): void {
    const { agenda, judge, tally, options, wantedFile } = this.#scene;
    if (kind === 'reserve') this.#file = wantedFile();
    if (kind === 'release') judge.ends(this.#file, this.#id);
    this.#askedMs = agenda.nowMs;
    tally.asked += 1;
    const waitMs = kind === 'reserve' ? options.waitMs : 0;
    this.#machine.ask({
      agent: this.#id,
      kind,
      file: this.#file,
      untilMs: agenda.nowMs + waitMs,
      answer: (outcome) => this.#answered(kind, outcome),
    });
  }

  #answered(kind: Request['kind'], outcome: 'granted' | 'refused'): void {
    const { agenda, tally } = this.#scene;
    const waitedMs = agenda.nowMs - (this.#askedMs ?? agenda.nowMs);
    this.#askedMs = null;
    this.#waitedMs += waitedMs;
    tally.waitsMs.push(waitedMs);
    tally[outcome] += 1;
    if (kind === 'release') this.#then('claim', this.#thinkMs);
    else if (kind === 'claim' || outcome === 'refused') this.#then('reserve', this.#thinkMs);
    else this.#hold();
  }

  #hold(): void {
    const {
      agenda,
      chance,
      judge,
      options: { failures, ttlMs },
    } = this.#scene;
    judge.begins(this.#file, this.#id, this.#machine.renewedMs + ttlMs, agenda.nowMs);
    if (chance.happens(failures)) agenda.after(chance.exponential(this.#holdMs), () => this.#die());
    else this.#then('release', this.#holdMs);
  }

  /** Another one begins in its place, which knows nothing of what this one held. */
  #die(): void {
    const { judge, tally, newAgent } = this.#scene;
    tally.deaths += 1;
    judge.ends(this.#file, this.#id);
    this.#machine.living.delete(this.#id);
    this.#id = newAgent();
    this.#machine.living.add(this.#id);
    this.#then('claim', this.#thinkMs);
  }
}
