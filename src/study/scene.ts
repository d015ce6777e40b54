/**
 * A scene: some agents over one log in memory, each with one thing to do, played in an order that a
 * chooser picks, and judged at its end. The agents run what users run; only the store, the clocks
 * and chance are simulated.
 */

import { checkLog } from '../core/check-log.ts';
import type { Acquisition } from '../core/decide/acquisition.ts';
import { CoordError } from '../core/errors.ts';
import { holdOf } from '../core/lease.ts';
import { settingsFrom } from '../core/settings.ts';
import type { LogStore, Observation } from '../log/log-store.ts';
import { type MemoryLog, MemoryLogStore } from '../log/memory-log-store.ts';
import type { Granted } from '../loop/acquire.ts';
import type { Outcome } from '../loop/operation.ts';
import { type Clock, noTally, type Random, type World } from '../loop/world.ts';
import { type Faults, FaultyLogStore, noFaults } from './faulty-log-store.ts';
import { type Call, type Hold, linearize, type Op } from './linearize.ts';
import { type Chooser, type RunEnd, Schedule } from './schedule.ts';
import { ScheduledLogStore } from './scheduled-log-store.ts';
import { standsOf } from './stands.ts';
import { type Asked, untruths } from './verdict.ts';

/** What came of it, with what is needed to judge it. */
export type DeedOutcome =
  | {
      readonly kind: 'acquired';
      readonly request: Pick<Acquisition, 'want' | 'mode'>;
      readonly outcome: Outcome<Granted>;
    }
  | { readonly kind: 'answered'; readonly isDone: boolean; readonly word: string };

export interface Deed {
  /**
   * For the search for an order that explains all results; left out where the lease table has no
   * word for it.
   */
  readonly op?: Op;
  readonly act: (world: World) => Promise<DeedOutcome>;
}

export interface Role {
  /** Unique in the scene; several processes may act as one agent. */
  readonly process: string;
  readonly agent: string;
  readonly workTree?: string | undefined;
  /** One after the other. */
  readonly deeds: readonly Deed[];
}

export interface Scene {
  readonly roles: readonly Role[];
  /** The log that the scene begins with, made anew for each run. */
  readonly log: () => MemoryLog;
  /** One for all of a run, begun anew with it. */
  readonly clock: () => Clock;
  readonly random: (index: number) => Random;
  readonly faults?: (choices: Chooser) => Faults;
  readonly store?: (log: MemoryLog) => LogStore;
  /**
   * Plays every run, not only those that differ in more than the order of steps that do not meet.
   */
  readonly everyRun?: boolean;
}

export interface Played {
  readonly end: RunEnd;
  readonly log: MemoryLog;
  /** By process, a word for each deed: granted, refused:held, released, busy, killed. */
  readonly results: ReadonlyMap<string, readonly string[]>;
  readonly problems: readonly string[];
  readonly trace: string;
}

interface Surroundings {
  /** Settings that are not as usual. */
  readonly said?: ReadonlyMap<string, string>;
  readonly workTree?: string | undefined;
}

export function simulatedWorld(
  agent: string,
  store: LogStore,
  clock: Clock,
  random: Random,
  { said = new Map(), workTree }: Surroundings = {},
): World {
  return {
    store,
    clock,
    random,
    settings: settingsFrom(said),
    tally: noTally,
    caller: () => ({ name: agent, kind: 'agent', session: null, host: 'simulated' }),
    workTree: () => workTree,
  };
}

export async function play(scene: Scene, choices: Chooser): Promise<Played> {
  const log = scene.log();
  const faults = scene.faults?.(choices) ?? noFaults;
  const schedule = new Schedule(choices, { reduce: scene.everyRun !== true });
  const inner = scene.store?.(log) ?? new MemoryLogStore(log);
  const clock = scene.clock();
  const record = new Recorder(scene.roles, heldIn(log));
  // A swap on an old observation can never take effect; but it may be where a fault is put.
  const live = ({ tip }: Observation): boolean =>
    scene.store !== undefined || faults.left > 0 || log.tip === tip;
  for (const [i, role] of scene.roles.entries()) {
    schedule.start(role.process, async (gate) => {
      const store = new ScheduledLogStore(new FaultyLogStore(inner, faults, gate), gate, { live });
      const { agent, workTree } = role;
      const world = simulatedWorld(agent, store, clock, scene.random(i), { workTree });
      for (const deed of role.deeds) await record.perform(role, deed, world, () => schedule.tick());
    });
  }
  const end = await schedule.run();
  return {
    end,
    log,
    results: record.words,
    problems: end === 'redundant' ? [] : record.problems(log),
    trace: schedule.trace(),
  };
}

function heldIn(log: MemoryLog): readonly Hold[] {
  return [...(standsOf(log).at(-1)?.state.leases.values() ?? [])].flatMap(
    (lease): readonly Hold[] =>
      lease.kind === 'reservation'
        ? lease.patterns.map((pattern) => ({ agent: lease.agent.name, pattern, ...holdOf(lease) }))
        : [],
  );
}

/** Who was told what, and when. */
class Recorder {
  readonly words = new Map<string, string[]>();
  readonly #answers: { readonly asked: Asked; readonly outcome: Outcome<Granted> }[] = [];
  readonly #calls: Call[] = [];
  readonly #hasOrder: boolean;
  readonly #held: readonly Hold[];

  constructor(roles: readonly Role[], held: readonly Hold[]) {
    this.#held = held;
    for (const { process } of roles) this.words.set(process, []);
    this.#hasOrder = roles.every(({ deeds }) => deeds.every(({ op }) => op !== undefined));
  }

  async perform(
    { process, agent, workTree }: Role,
    { op, act }: Deed,
    world: World,
    tick: () => number,
  ): Promise<void> {
    const words = this.words.get(process) ?? [];
    const place = words.push('killed') - 1;
    const where = workTree === undefined ? {} : { workTree };
    const call: Call = {
      agent,
      ...where,
      op: op ?? { kind: 'release', patterns: [] },
      called: tick(),
      returned: Infinity,
      result: 'unknown',
    };
    const index = this.#calls.push(call) - 1;
    const { told, word } = await outcomeOf(act, world);
    words[place] = word;
    this.#calls[index] = { ...call, returned: tick(), result: resultOf(told, word) };
    if (told?.kind === 'acquired')
      this.#answers.push({ asked: { agent, ...where, ...told.request }, outcome: told.outcome });
  }

  problems(log: MemoryLog): readonly string[] {
    const stands = standsOf(log);
    const order = this.#hasOrder ? linearize(this.#calls, { held: this.#held }) : { kind: 'legal' };
    return [
      ...checkLog(stands),
      ...this.#answers.flatMap(({ asked, outcome }) => untruths(asked, outcome, stands)),
      ...(order.kind === 'legal'
        ? []
        : [`no order of the calls explains their results (${order.kind})`]),
    ];
  }
}

async function outcomeOf(
  act: Deed['act'],
  world: World,
): Promise<{ readonly told: DeedOutcome | null; readonly word: string }> {
  try {
    const told = await act(world);
    return { told, word: wordOf(told) };
  } catch (error) {
    return { told: null, word: error instanceof CoordError ? error.code : String(error) };
  }
}

/** The answer in a word, with the reason for a refusal. */
export function wordOf(told: DeedOutcome): string {
  if (told.kind === 'acquired')
    return told.outcome.kind === 'done' ? 'granted' : `refused:${told.outcome.refusal.kind}`;
  return told.word;
}

/** Whoever was told neither yes nor no may have had its way. */
function resultOf(told: DeedOutcome | null, word: string): Call['result'] {
  if (told === null) return word === 'busy' ? 'no' : 'unknown';
  return (told.kind === 'acquired' ? told.outcome.kind === 'done' : told.isDone) ? 'yes' : 'no';
}
