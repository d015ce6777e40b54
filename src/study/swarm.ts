/**
 * Long runs from a seed: several agents on several machines, whose clocks run at rates of their own
 * and are set back and forth, whose processes die and whose stores fail. Every run switches some
 * things off and gives the rest weights of its own, so that a thousand runs are not one run a
 * thousand times. The log is judged after each step, each answer when it is given.
 */

import type { Mode } from '../core/lease.ts';
import { limits } from '../core/limits.ts';
import type { LogStore, Swap } from '../log/log-store.ts';
import { MemoryLog, MemoryLogStore } from '../log/memory-log-store.ts';
import type { Clock, Random, World } from '../loop/world.ts';
import { type Fault, type Faults, FaultyLogStore } from './faulty-log-store.ts';
import { Machine, TrueTime } from './machine.ts';
import { simulatedWorld } from './scene.ts';
import { type Gate, Schedule, seededChooser } from './schedule.ts';
import { ScheduledLogStore } from './scheduled-log-store.ts';
import { chooseDeed, type SwarmDeed } from './swarm-deeds.ts';
import { SwarmJudge } from './swarm-judge.ts';
import { faultKinds, graceOf, names, type Plan, planFrom, year } from './swarm-plan.ts';

export interface SwarmOptions {
  readonly seed: number;
  /** Chance from a seed. */
  readonly chance: (seed: number) => () => number;
  readonly random: (seed: number) => Random;
  /** Deeds done in all, by all agents. */
  readonly deeds: number;
  readonly wallJumps: boolean;
  /** What is asked for; a mode that stands here twice is asked for twice as often. */
  readonly modes: readonly Mode[];
  /** Each agent has a grace of its own, as its settings say. */
  readonly ownGraces?: boolean;
  /** What is read and written through, for a planted bug. */
  readonly store?: (store: LogStore, workTree: string) => LogStore;
  /** Other machines, for a planted bug. */
  readonly machine?: (time: TrueTime, name: string, rate: number) => Machine;
}

export interface SwarmRun {
  /** What was switched on, and how much. */
  readonly plan: string;
  readonly problems: readonly string[];
  /** Every answer in the order it was given, without wall-clock times. */
  readonly decisions: readonly string[];
  readonly operations: number;
  readonly trace: string;
}

export async function swarm(options: SwarmOptions): Promise<SwarmRun> {
  return new Swarm(options).run();
}

interface Process {
  readonly agent: string;
  readonly machine: number;
  readonly world: World;
  readonly nonces: Set<string>;
}

class Swarm {
  readonly #options: SwarmOptions;
  readonly #plan: Plan;
  readonly #chance: () => number;
  readonly #wallChance: () => number;
  readonly #time = new TrueTime();
  readonly #machines: readonly Machine[];
  readonly #log = new MemoryLog();
  readonly #judge: SwarmJudge;
  readonly #schedule: Schedule;
  #left: number;
  #born = 0;

  constructor(options: SwarmOptions) {
    this.#options = options;
    this.#left = options.deeds;
    this.#chance = options.chance(options.seed);
    this.#wallChance = options.chance(options.seed + 1_000_003);
    this.#plan = planFrom(this.#chance);
    const make = options.machine ?? ((time, name, rate) => new Machine(time, name, rate));
    this.#machines = this.#plan.rates.map((rate, i) => make(this.#time, `m${i + 1}`, rate));
    this.#judge = new SwarmJudge(this.#log, this.#machines, options.ownGraces === true);
    this.#schedule = new Schedule(seededChooser(this.#chance), { between: () => this.#between() });
  }

  async run(): Promise<SwarmRun> {
    for (const { name, machine } of this.#plan.agents) this.#start(name, machine);
    await this.#schedule.run();
    const quiet = this.#judge.problems.length === 0 ? await this.#becomesFree() : [];
    return {
      plan: JSON.stringify(this.#plan),
      problems: [...this.#judge.problems, ...quiet],
      decisions: this.#judge.decisions,
      operations: this.#log.entries.length,
      trace: this.#schedule.trace().split('\n').slice(-120).join('\n'),
    };
  }

  #start(agent: string, machine: number): void {
    this.#schedule.start(agent, async (gate) => {
      const nonces = new Set<string>();
      const process: Process = {
        agent,
        machine,
        nonces,
        world: this.#world(agent, machine, gate, nonces),
      };
      while (this.#left > 0) await this.#deed(process);
    });
  }

  #world(agent: string, machine: number, gate: Gate, nonces: Set<string>): World {
    this.#born += 1;
    const random = this.#options.random(this.#options.seed * 1_000 + this.#born);
    const noting: Random = { ...random, nonce: () => noted(random.nonce(), nonces) };
    const faults: Faults = { left: Infinity, next: () => this.#fault() };
    const victim = {
      note: (text: string) => gate.note(text),
      die: () => this.#dies(agent, machine, gate),
    };
    const clock = this.#clock(machine, gate);
    const inner = new NotingStore(this.#log, (nonce) => this.#judge.decidedAt(nonce, clock.readMs));
    const workTree = `worktree${machine}`;
    const whole = this.#options.store?.(inner, workTree) ?? inner;
    const store = new ScheduledLogStore(new FaultyLogStore(whole, faults, victim), gate);
    const said = new Map(this.#options.ownGraces === true ? [['coord.grace', graceOf(agent)]] : []);
    return simulatedWorld(agent, store, clock, noting, { said, workTree });
  }

  /** Remembers when it was read last: that is what the next swap was decided on. */
  #clock(machine: number, gate: Gate): Clock & { readMs: number } {
    const time = this.#time;
    const here = this.#machine(machine);
    const clock = {
      readMs: 0,
      now: () => {
        clock.readMs = time.ms;
        return here.now();
      },
      sleep: (ms: number) => {
        const until = time.ms + here.trueMs(ms);
        return gate.hold(
          'sleep',
          () => 'none',
          async () => time.reach(until),
        );
      },
    };
    return clock;
  }

  #machine(index: number): Machine {
    return this.#machines[index] as Machine;
  }

  #fault(): Fault {
    let at = this.#chance();
    for (const kind of faultKinds) {
      at -= this.#plan.faults[kind] ?? 0;
      if (at < 0) return kind;
    }
    return 'none';
  }

  /** Most of the dead come back as a new process, which remembers nothing. */
  #dies(agent: string, machine: number, gate: Gate): Promise<never> {
    if (this.#chance() < 0.7) this.#start(agent, machine);
    return gate.die();
  }

  async #deed({ agent, world, nonces }: Process): Promise<void> {
    this.#left -= 1;
    nonces.clear();
    const deed: SwarmDeed = chooseDeed({
      weights: this.#plan.deeds,
      chance: this.#chance,
      ttlsMs: this.#plan.ttlsMs,
      modes: this.#options.modes,
      names,
      state: this.#judge.state(),
    });
    await this.#judge.perform(agent, deed, world, nonces);
  }

  /** Before each step time passes, walls are moved, machines fall, and the log is judged. */
  #between(): void {
    this.#judge.look();
    const { minutes, hours, reboots } = this.#plan;
    const kind = this.#chance();
    const amount = this.#chance();
    this.#time.ms +=
      kind < hours
        ? amount * 3 * 3_600_000
        : kind < hours + minutes
          ? amount * 20 * 60_000
          : kind < 0.1
            ? amount * 30_000
            : kind < 0.6
              ? amount * 200
              : 0;
    for (const machine of this.#machines) {
      if (this.#wallChance() < 0.03 && this.#options.wallJumps)
        machine.wallOffsetMs = (this.#wallChance() - 0.5) * 20 * year;
    }
    if (this.#chance() < 0.02) this.#reachAnEnd();
    if (this.#chance() < reboots) this.#reboot(Math.floor(this.#chance() * this.#machines.length));
  }

  /**
   * Chance alone would hardly ever come near to the end of a TTL or of a grace: to a little before
   * or after one of them.
   */
  #reachAnEnd(): void {
    const leases = [...this.#judge.state().leases.values()];
    const lease = leases[Math.floor(this.#chance() * leases.length)];
    const graceMs = this.#chance() < 0.7 ? limits.graceMs : 0;
    const aside = 0.7 + 0.5 * this.#chance();
    if (lease === undefined) return;
    const [passedMs] = this.#machines.flatMap(
      (machine) => machine.ownElapsedMs(lease.renewed, this.#time.ms) ?? [],
    );
    this.#time.reach(this.#time.ms + aside * (lease.ttlMs + graceMs) - (passedMs ?? 0));
  }

  #reboot(index: number): void {
    const here = this.#plan.agents.filter(({ machine }) => machine === index);
    for (const { name } of here) this.#schedule.kill(name);
    this.#machine(index).reboot();
    for (const { name, machine } of here) this.#start(name, machine);
  }

  /** Somebody on this machine whom nothing befalls. */
  #looker(agent: string, index: number): World {
    const machine = this.#machine(index);
    return simulatedWorld(
      agent,
      new MemoryLogStore(this.#log),
      { now: () => machine.now(), sleep: async () => {} },
      this.#options.random(this.#options.seed * 1_000 + 900 + index),
    );
  }

  /**
   * With nobody left to renew anything, everything is free after the longest TTL and grace,
   * wherever one looks from.
   */
  async #becomesFree(): Promise<readonly string[]> {
    const problems: string[] = [];
    for (const [i, machine] of this.#machines.entries()) {
      problems.push(
        ...(await this.#judge.takesAll(this.#looker(`zoe${i}`, i), () => {
          this.#time.ms +=
            machine.trueMs((1 + limits.clockRateError) * this.#judge.longestMs()) + 10;
        })),
      );
    }
    return problems;
  }
}

function noted(nonce: string, nonces: Set<string>): string {
  nonces.add(nonce);
  return nonce;
}

class NotingStore extends MemoryLogStore {
  readonly #note: (nonce: string) => void;

  constructor(log: MemoryLog, note: (nonce: string) => void) {
    super(log);
    this.#note = note;
  }

  override swap(...[from, entry, state]: Parameters<MemoryLogStore['swap']>): Promise<Swap> {
    this.#note(entry.nonce);
    return super.swap(from, entry, state);
  }
}
