/**
 * The same load at many sizes and distances: where one log stops being enough, and how many would
 * be.
 */
import type { RemoteRun } from './remote-figures.ts';
import { simulateRemote } from './remote-model.ts';
import type { RemoteOptions } from './remote-options.ts';

export const sweepAgents: readonly number[] = [5, 10, 20, 50, 100, 200, 500];

/** Loopback, a hosted forge, a bad line. */
export const sweepLatenciesMs: readonly number[] = [50, 300, 1_500];
const agentsPerMachine = 4;

/** Beyond one of these a log is not enough. */
export const enough = { p95Seconds: 10, utilisation: 0.8 } as const;

/** What a large forge advises for one repository. */
export const advisedPushesPerMinute = 6;

/** More logs than this are not looked for. */
export const mostLogs = 64;

export interface SweepLimit {
  readonly latencyMs: number;
  /** The first row that one log is not enough for. */
  readonly agents: number;
  /** So many logs would be, each with its share of the load; null if even the most are not. */
  readonly logs: number | null;
}

export interface Sweep {
  readonly runs: readonly RemoteRun[];
  readonly limits: readonly SweepLimit[];
}

export function isEnough({ waitSeconds, utilisation }: RemoteRun): boolean {
  return waitSeconds.p95 <= enough.p95Seconds && utilisation <= enough.utilisation;
}

export function sweepRemote(
  asked: Partial<RemoteOptions>,
  latenciesMs: readonly number[] = sweepLatenciesMs,
): Sweep {
  const runs = latenciesMs.flatMap((latencyMs) =>
    sweepAgents.map((agents) =>
      simulateRemote({
        ...asked,
        latencyMs,
        agents,
        machines: Math.max(1, Math.floor(agents / agentsPerMachine)),
      }),
    ),
  );
  const limits = latenciesMs.flatMap((latencyMs) => {
    const first = runs.find((run) => run.options.latencyMs === latencyMs && !isEnough(run));
    return first === undefined
      ? []
      : [{ latencyMs, agents: first.options.agents, logs: logsNeeded(first.options) }];
  });
  return { runs, limits };
}

/** Split by path, each log has all machines and an equal part of the files and the requests. */
function logsNeeded(options: RemoteOptions): number | null {
  for (let logs = 2; logs <= mostLogs; logs += 1) {
    if (
      isEnough(
        simulateRemote({
          ...options,
          ratePerHour: options.ratePerHour / logs,
          files: Math.ceil(options.files / logs),
        }),
      )
    )
      return logs;
  }
  return null;
}
