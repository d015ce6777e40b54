/** The figures of simulated runs as lines for people. */
import { counted } from '../core/counted.ts';
import type { RemoteRun } from './remote-figures.ts';
import {
  advisedPushesPerMinute,
  enough,
  mostLogs,
  type Sweep,
  type SweepLimit,
} from './remote-sweep.ts';

export function shortTime(ms: number): string {
  return ms < 1_000 ? `${ms}ms` : `${ms / 1_000}s`;
}

function seconds(value: number): string {
  return `${value < 10 ? value.toFixed(2) : value.toFixed(value < 100 ? 1 : 0)}s`;
}

function rate(value: number): string {
  return value.toFixed(value < 100 ? 1 : 0);
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)}%`;
}

/** Numbers end where their heading ends. */
function aligned(rows: readonly (readonly string[])[]): readonly string[] {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  );
  return rows.map((row) =>
    row.map((cell, column) => cell.padStart(widths[column] ?? 0)).join('  '),
  );
}

export function runLines(run: RemoteRun): readonly string[] {
  const { agents, machines, latencyMs, hours, seed, ratePerHour, lease } = run.options;
  const rows: readonly (readonly [string, string])[] = [
    [
      'requests',
      `${run.requests}: ${run.granted} granted, ${run.refused} refused, ${run.unfinished} unfinished`,
    ],
    ['grants', `${rate(run.grantsPerMinute)} a minute`],
    [
      'pushes',
      `${rate(run.pushesPerMinute)} a minute, ${percent(run.lostPushesShare)} of them lost to another machine (a large forge advises at most ${advisedPushesPerMinute})`,
    ],
    ['reads', `${rate(run.readsPerMinute)} a minute`],
    [
      'wait',
      `median ${seconds(run.waitSeconds.median)}, p95 ${seconds(run.waitSeconds.p95)}, longest ${seconds(run.waitSeconds.max)}`,
    ],
    [
      'fairness',
      `${run.fairness.toFixed(3)} (Jain); served from ${percent(run.servedShare.least)} to ${percent(run.servedShare.most)} of what was asked`,
    ],
    ['log in use', `${percent(run.utilisation)} of the time`],
    [
      'failures',
      `${counted(run.unknownResolved, 'unknown outcome')} resolved, ${counted(run.deaths, 'agent')} died holding a file`,
    ],
    [
      'safety',
      `${counted(run.violations, 'time')} two held one file, ${counted(run.lostOperations, 'operation')} lost${lease ? '' : ' (without compare-and-swap)'}`,
    ],
  ];
  return [
    `${counted(agents, 'agent')} on ${counted(machines, 'machine')}, ${ratePerHour} requests an agent-hour, round trip ${shortTime(latencyMs)}, ${hours}h, seed ${seed}`,
    ...rows.map(([name, says]) => `${name.padEnd(12)}${says}`),
  ];
}

const headings = [
  'round trip',
  'agents',
  'machines',
  'grants/min',
  'refused',
  'pushes/min',
  'lost',
  'reads/min',
  'median',
  'p95',
  'longest',
  'fairness',
  'least served',
  'in use',
];

function cells({
  options,
  requests,
  refused,
  waitSeconds,
  servedShare,
  ...run
}: RemoteRun): readonly string[] {
  return [
    shortTime(options.latencyMs),
    String(options.agents),
    String(options.machines),
    rate(run.grantsPerMinute),
    percent(requests === 0 ? 0 : refused / requests),
    rate(run.pushesPerMinute),
    percent(run.lostPushesShare),
    rate(run.readsPerMinute),
    seconds(waitSeconds.median),
    seconds(waitSeconds.p95),
    seconds(waitSeconds.max),
    run.fairness.toFixed(3),
    percent(servedShare.least),
    percent(run.utilisation),
  ];
}

export function sweepLines({ runs, limits }: Sweep): readonly string[] {
  const latencies = [...new Set(runs.map(({ options }) => options.latencyMs))];
  return [
    ...aligned([headings, ...runs.map(cells)]),
    '',
    ...latencies.map((latencyMs) =>
      limitLine(
        latencyMs,
        runs,
        limits.find((limit) => limit.latencyMs === latencyMs),
      ),
    ),
  ];
}

function limitLine(
  latencyMs: number,
  runs: readonly RemoteRun[],
  limit: SweepLimit | undefined,
): string {
  const here = runs.filter(({ options }) => options.latencyMs === latencyMs);
  const advised = here
    .filter(({ pushesPerMinute }) => pushesPerMinute <= advisedPushesPerMinute)
    .at(-1)?.options.agents;
  const start = `round trip ${shortTime(latencyMs)}: at most ${advisedPushesPerMinute} pushes a minute ${advised === undefined ? 'at none of these sizes' : `up to ${advised} agents`};`;
  if (limit === undefined)
    return `${start} one log is enough up to ${here.at(-1)?.options.agents ?? 0} agents`;
  const cure =
    limit.logs === null
      ? `and ${mostLogs} logs are not enough there`
      : `${limit.logs} logs, split by path, would be enough there`;
  return `${start} one log stops being enough at ${limit.agents} agents (p95 over ${enough.p95Seconds}s, or in use over ${percent(enough.utilisation)}); ${cure}`;
}
