/** What is counted while a simulation runs, and the figures that are made of it. */
import type { RemoteOptions } from './remote-options.ts';

export interface RemoteRun {
  readonly options: RemoteOptions;
  readonly requests: number;
  readonly granted: number;
  readonly refused: number;
  /** Without an answer when the time was up. */
  readonly unfinished: number;
  readonly grantsPerMinute: number;
  /** All attempts, also those that lost or were cut. */
  readonly pushesPerMinute: number;
  /** Of all pushes, those that found the log moved. */
  readonly lostPushesShare: number;
  readonly readsPerMinute: number;
  /** From a request to its answer. */
  readonly waitSeconds: { readonly median: number; readonly p95: number; readonly max: number };
  /** Jain's index over the agents' served shares. */
  readonly fairness: number;
  /** Of what an agent would have asked had every answer come at once, how much it was served. */
  readonly servedShare: { readonly least: number; readonly most: number };
  /** How much of the time at least one machine was pushing, or trying again to. */
  readonly utilisation: number;
  readonly unknownResolved: number;
  readonly deaths: number;
  /** Entries that the log has taken. */
  readonly operations: number;
  readonly lostOperations: number;
  /** Times that a file was granted while somebody else rightly believed to hold it. */
  readonly violations: number;
}

export class Tally {
  readonly waitsMs: number[] = [];
  asked = 0;
  granted = 0;
  refused = 0;
  pushes = 0;
  lostPushes = 0;
  reads = 0;
  unknownResolved = 0;
  deaths = 0;
  #pushing = 0;
  #pushingSinceMs = 0;
  #busyMs = 0;

  startsPushing(nowMs: number): void {
    if (this.#pushing === 0) this.#pushingSinceMs = nowMs;
    this.#pushing += 1;
  }

  stopsPushing(nowMs: number): void {
    this.#pushing -= 1;
    if (this.#pushing === 0) this.#busyMs += nowMs - this.#pushingSinceMs;
  }

  busyMs(nowMs: number): number {
    return this.#busyMs + (this.#pushing === 0 ? 0 : nowMs - this.#pushingSinceMs);
  }
}

interface Belief {
  readonly agent: number;
  untilMs: number;
}

/** Sees what no machine can: what each agent believes to hold. */
export class Judge {
  readonly #beliefs = new Map<number, Belief>();
  violations = 0;

  /** The holder goes on believing until its own lease has run out or it ends that itself. */
  begins(file: number, agent: number, untilMs: number, nowMs: number): void {
    const other = this.#beliefs.get(file);
    if (other !== undefined && other.agent !== agent && nowMs < other.untilMs) this.violations += 1;
    this.#beliefs.set(file, { agent, untilMs });
  }

  renews(file: number, agent: number, untilMs: number): void {
    const belief = this.#beliefs.get(file);
    if (belief?.agent === agent) belief.untilMs = untilMs;
  }

  ends(file: number, agent: number): void {
    if (this.#beliefs.get(file)?.agent === agent) this.#beliefs.delete(file);
  }
}

/** 1 where all have the same, 1/n where one has everything. */
export function jain(values: readonly number[]): number {
  const sum = values.reduce((all, value) => all + value, 0);
  const squares = values.reduce((all, value) => all + value * value, 0);
  return squares === 0 ? 1 : (sum * sum) / (values.length * squares);
}

function quantile(sorted: Float64Array, share: number): number {
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0;
}

function round(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}

export function figures(
  options: RemoteOptions,
  tally: Tally,
  judge: Judge,
  log: { readonly entries: number; readonly lostOperations: number },
  served: readonly number[],
): RemoteRun {
  const minutes = options.hours * 60;
  const waits = Float64Array.from(tally.waitsMs, (ms) => ms / 1_000).sort();
  return {
    options,
    requests: tally.asked,
    granted: tally.granted,
    refused: tally.refused,
    unfinished: tally.asked - tally.waitsMs.length,
    grantsPerMinute: round(tally.granted / minutes),
    pushesPerMinute: round(tally.pushes / minutes),
    lostPushesShare: tally.pushes === 0 ? 0 : round(tally.lostPushes / tally.pushes),
    readsPerMinute: round(tally.reads / minutes),
    waitSeconds: {
      median: round(quantile(waits, 0.5)),
      p95: round(quantile(waits, 0.95)),
      max: round(quantile(waits, 1)),
    },
    fairness: round(jain(served)),
    servedShare: {
      least: round(served.reduce((a, b) => Math.min(a, b), 1)),
      most: round(served.reduce((a, b) => Math.max(a, b), 0)),
    },
    utilisation: round(tally.busyMs(options.hours * 3_600_000) / (options.hours * 3_600_000)),
    unknownResolved: tally.unknownResolved,
    deaths: tally.deaths,
    operations: log.entries,
    lostOperations: log.lostOperations,
    violations: judge.violations,
  };
}
