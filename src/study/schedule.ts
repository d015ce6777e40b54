/**
 * Concurrency made choosable. Every port call of every agent is held and released one at a time, in
 * an order that a chooser picks: all orders, or one from a seed. Nothing else in the code under
 * test waits for anything, so the order of releases is the whole schedule, and the trace of it is
 * the counterexample.
 */
import { assert } from '../core/errors.ts';

export interface Chooser {
  /** A number from 0 up to `count`. */
  choose(count: number): number;
}

export function seededChooser(fraction: () => number): Chooser {
  return { choose: (count) => Math.min(count - 1, Math.floor(fraction() * count)) };
}

/** Every sequence of choices, depth first: `while (every.more()) run(every)`. */
export class EveryChoice implements Chooser {
  readonly #path: { chosen: number; readonly count: number }[] = [];
  #depth = 0;
  #begun = false;

  more(): boolean {
    if (!this.#begun) return (this.#begun = true);
    assert(this.#depth === this.#path.length, 'a run that is repeated comes to the same choices');
    this.#depth = 0;
    for (let last = this.#path.at(-1); last !== undefined; last = this.#path.at(-1)) {
      last.chosen += 1;
      if (last.chosen < last.count) return true;
      this.#path.pop();
    }
    return false;
  }

  choose(count: number): number {
    assert(count > 0, 'there is something to choose from');
    const known = this.#path[this.#depth];
    if (known === undefined) this.#path.push({ chosen: 0, count });
    else assert(known.count === count, 'a run that is repeated comes to the same choices');
    this.#depth += 1;
    return known?.chosen ?? 0;
  }
}

export interface Explored {
  /** Runs that came to their end. */
  readonly complete: number;
  /**
   * Runs that were given up because another one differs only in the order of steps that do not
   * meet.
   */
  readonly redundant: number;
}

/** Runs once for every sequence of choices that the run asks for. */
export async function explore(run: (choices: Chooser) => Promise<RunEnd>): Promise<Explored> {
  const every = new EveryChoice();
  const counts = { complete: 0, redundant: 0 };
  while (every.more()) counts[await run(every)] += 1;
  return counts;
}

export type RunEnd = 'complete' | 'redundant';

/**
 * What a held call does to the log, as far as others can tell: two that only read may change
 * places.
 */
export type Effect = 'none' | 'reads' | 'writes';

/** An agent's hold on the schedule: how its calls are held, and how it ends before its time. */
export interface Gate {
  readonly name: string;
  hold<T>(label: string, effect: () => Effect, call: () => Promise<T>): Promise<T>;
  /** Adds to the step in the trace. */
  note(text: string): void;
  /** The agent stops for ever: nothing that waits for it goes on. */
  die(): Promise<never>;
}

export interface ScheduleOptions {
  /** Leaves out runs that differ only in the order of steps that do not meet (sleep sets). */
  readonly reduce?: boolean;
  /** Called before each step is chosen, when every agent is held. */
  readonly between?: () => void;
}

export class Schedule {
  readonly #chooser: Chooser;
  readonly #options: ScheduleOptions;
  readonly #agents: Agent[] = [];
  readonly #steps: string[] = [];
  #ticks = 0;

  constructor(chooser: Chooser, options: ScheduleOptions = {}) {
    this.#chooser = chooser;
    this.#options = options;
  }

  /** Adds an agent; while the schedule runs, too. */
  start(name: string, script: (gate: Gate) => Promise<void>): void {
    this.#agents.push(new Agent(name, script, (text) => this.#amend(text)));
  }

  /**
   * A moment of its own, later than every moment before it: for the histories that a checker reads.
   */
  tick(): number {
    this.#ticks += 1;
    return this.#ticks;
  }

  /** The agent stops for ever where it is held. */
  kill(name: string): void {
    for (const agent of this.#agents.filter((other) => other.name === name)) agent.end();
    this.#steps.push(`${name} is killed`);
  }

  async run(): Promise<RunEnd> {
    for (;;) {
      for (const agent of this.#agents.filter((other) => !other.begun)) await agent.begin();
      this.#options.between?.();
      if (this.#agents.some((agent) => !agent.begun)) continue;
      const held = this.#agents.filter((agent) => agent.held !== null);
      if (held.length === 0) return 'complete';
      const awake = held.filter((agent) => !agent.asleep);
      if (awake.length === 0) return 'redundant';
      await this.#release(awake, held);
    }
  }

  async #release(awake: readonly Agent[], held: readonly Agent[]): Promise<void> {
    const chosen = awake.length === 1 ? 0 : this.#chooser.choose(awake.length);
    const agent = awake[chosen];
    assert(agent !== undefined && agent.held !== null, 'the chosen agent is held');
    if (this.#options.reduce === true) {
      // Whatever begins with one of the earlier choices has been run. It need not be run again
      // after
      // this step, unless this step is one that it meets.
      const effect = agent.held.effect();
      const earlier = new Set(awake.slice(0, chosen));
      for (const other of held)
        other.asleep =
          (other.asleep || earlier.has(other)) &&
          independent(effect, other.held?.effect() ?? 'writes');
      agent.asleep = false;
    }
    this.#steps.push(`${agent.name}: ${agent.held.label}`);
    await agent.release();
  }

  #amend(text: string): void {
    const last = this.#steps.pop();
    this.#steps.push(last === undefined ? text : `${last} (${text})`);
  }

  /** The order of all steps so far, one a line. */
  trace(): string {
    return this.#steps.map((step, i) => `${String(i + 1).padStart(4)}  ${step}`).join('\n');
  }
}

function independent(a: Effect, b: Effect): boolean {
  return a === 'none' || b === 'none' || (a === 'reads' && b === 'reads');
}

interface Held {
  readonly label: string;
  readonly effect: () => Effect;
  readonly release: () => void;
}

class Agent implements Gate {
  readonly name: string;
  readonly #script: (gate: Gate) => Promise<void>;
  readonly #amend: (text: string) => void;
  #stopped: (failure: unknown) => void = () => {};
  #ended = false;
  begun = false;
  asleep = false;
  held: Held | null = null;

  constructor(name: string, script: (gate: Gate) => Promise<void>, amend: (text: string) => void) {
    this.name = name;
    this.#script = script;
    this.#amend = amend;
  }

  /** Until it is held for the first time. */
  begin(): Promise<void> {
    this.begun = true;
    if (this.#ended) return Promise.resolve();
    return this.#untilStop(() => {
      this.#script(this).then(
        () => this.end(),
        (error: unknown) => this.#stopped(error),
      );
    });
  }

  /** Until it is held again, or has ended. */
  release(): Promise<void> {
    const { held } = this;
    assert(held !== null, 'only what is held is released');
    this.held = null;
    return this.#untilStop(held.release);
  }

  hold<T>(label: string, effect: () => Effect, call: () => Promise<T>): Promise<T> {
    if (this.#ended) return new Promise(() => {});
    return new Promise((resolve, reject) => {
      this.held = { label, effect, release: () => void call().then(resolve, reject) };
      this.#stopped(null);
    });
  }

  note(text: string): void {
    this.#amend(text);
  }

  die(): Promise<never> {
    this.end();
    return new Promise(() => {});
  }

  end(): void {
    this.#ended = true;
    this.held = null;
    this.#stopped(null);
  }

  #untilStop(go: () => void): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#stopped = (failure) => (failure === null ? resolve() : reject(failure));
      go();
    });
  }
}
