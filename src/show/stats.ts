/**
 * Figures from the log alone, so that anybody can count them again: `coord log --json` has every
 * event they are made of. A threshold counts on enough data only; what helps stands in the order in
 * which to try it.
 */

import { counted as plural } from '../core/counted.ts';
import type { Event } from '../core/event.ts';
import { targetOf } from '../core/event-words.ts';
import { exits } from '../core/exits.ts';
import { formatDuration, formatTime } from '../core/instant.ts';
import type { LoggedEntry } from '../log/log-store.ts';
import type { Report } from '../render/report.ts';
import type { Table } from '../render/table.ts';

const dayMs = 86_400_000;

const thresholds = {
  waitRate: 0.05,
  waitsPerDay: 20,
  mutexWaitMs: 600_000,
  sharedStateFailures: 0,
  activeAgents: 3,
  stableRuns: 5,
  stablePassRate: 0.9,
  leastTries: 20,
} as const;

interface Counted {
  readonly tries: number;
  readonly waits: number;
  readonly waitRate: number;
  readonly holderChecks: number;
  readonly lockWaits: readonly number[];
  readonly agents: number;
  readonly runs: number;
  readonly passed: number;
  readonly failures: number;
  readonly sharedState: number;
  readonly byHour: ReadonlyMap<string, number>;
  readonly byTarget: ReadonlyMap<string, number>;
}

function number(event: Event, fact: string): number {
  const value = event[fact];
  return typeof value === 'number' ? value : 0;
}

function tallied<T>(items: readonly T[], key: (item: T) => string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const item of items) counts.set(key(item), (counts.get(key(item)) ?? 0) + 1);
  return new Map([...counts].sort(([, a], [, b]) => b - a));
}

/** A try is a request for something; it waits if it is refused or has to stand in line. */
function count(entries: readonly LoggedEntry[], persons: ReadonlySet<string> = new Set()): Counted {
  const events = entries.flatMap((entry) =>
    entry.events.map((event) => ({
      event,
      at: typeof event['at'] === 'string' ? event['at'] : formatTime(entry.at),
    })),
  );
  const of = (name: Event['event']): typeof events =>
    events.filter(({ event }) => event.event === name);
  const tallies = of('tally').map(({ event }) => event);
  const unlisted = tallies.reduce((sum, event) => sum + number(event, 'refusals'), 0);
  const refusals = of('conflict').filter(
    ({ event }) => event['why'] !== 'timeout' && event['why'] !== 'cap',
  );
  const waits = [...refusals, ...of('waiting')];
  const acquired = of('acquired');
  const timedOut = of('conflict').filter(({ event }) => event['why'] === 'timeout');
  const tries = acquired.length + refusals.length + timedOut.length + unlisted;
  const runs = of('released').filter(({ event }) => typeof event['exit'] === 'number');
  const failed = of('failed');
  return {
    tries,
    waits: waits.length + unlisted,
    waitRate: tries === 0 ? 0 : (waits.length + unlisted) / tries,
    holderChecks: tallies.reduce((sum, event) => sum + number(event, 'checks'), 0),
    lockWaits: acquired
      .filter(({ event }) => event['kind'] === 'lock')
      .map(({ event }) => number(event, 'waitedMs'))
      .sort((a, b) => a - b),
    agents: new Set(
      events
        .map(({ event }) => event)
        .filter(({ event, agent }) => event !== 'compacted' && !persons.has(agent.id))
        .map(({ agent }) => agent.id),
    ).size,
    runs: runs.length,
    passed: runs.filter(({ event }) => event['exit'] === 0).length,
    failures: failed.length,
    sharedState: failed.filter(({ event }) => event['cause'] === 'shared-state').length,
    byHour: new Map(
      [...tallied(waits, ({ at }) => at.slice(0, 13))].sort(([a], [b]) => (a < b ? -1 : 1)),
    ),
    byTarget: tallied(waits, ({ event }) => targetOf(event)),
  };
}

interface Warning {
  readonly name: string;
  readonly exceeded: boolean;
  readonly says: string;
}

function warningsOf(counted: Counted, windowMs: number): readonly Warning[] {
  const days = Math.max(windowMs / dayMs, 1 / 24);
  const slow = counted.lockWaits.filter((ms) => ms > thresholds.mutexWaitMs).length;
  const passRate = counted.runs === 0 ? 0 : counted.passed / counted.runs;
  const isMuch =
    counted.waitRate > thresholds.waitRate ||
    counted.waits > thresholds.waitsPerDay * Math.max(1, days);
  return [
    {
      name: 'waits',
      exceeded: counted.tries >= thresholds.leastTries && isMuch,
      says: `${counted.waits} of ${counted.tries} tries waited (${percent(counted.waitRate)}; warns above 5% or 20 a day, from ${thresholds.leastTries} tries on)`,
    },
    {
      name: 'mutex-waits',
      exceeded: slow > 0,
      says: `${plural(slow, 'wait')} for a lock took over 10m`,
    },
    {
      name: 'shared-state',
      exceeded: counted.sharedState > thresholds.sharedStateFailures,
      says: `${counted.sharedState} of ${plural(counted.failures, 'failure')} were caused by shared state`,
    },
    {
      name: 'agents',
      exceeded:
        counted.agents > thresholds.activeAgents &&
        counted.runs >= thresholds.stableRuns &&
        passRate < thresholds.stablePassRate,
      says: `${counted.agents} agents were active, and ${counted.passed} of ${plural(counted.runs, 'run')} passed (warns above 3 agents where fewer than 90% of at least 5 runs passed)`,
    },
  ];
}

/** One after the other, as long as a warning stays. */
const mitigations: readonly (readonly [name: string, says: string])[] = [
  ['sequential', 'one claim at a time: git config coord.mode sequential'],
  ['strict-gate', 'a clean status and another run before a bead is done: coord gate --strict'],
  ['work-trees', 'a work tree for each agent: git worktree add ../<name> -b <name>'],
  [
    'validation-worker',
    'one agent that does nothing but verify what the others finish: coord verify -- <command>',
  ],
];

function percent(rate: number): string {
  return `${Math.round(rate * 1_000) / 10}%`;
}

interface StatsOf {
  readonly windowMs: number;
  readonly nowMs: number;
  readonly isSequential: boolean;
  /** Ids of those who are no agents. */
  readonly persons: ReadonlySet<string>;
}

function figuresTable(counted: Counted): Table {
  const { tries, waits, waitRate, holderChecks, lockWaits, runs, passed } = counted;
  return {
    headings: ['', ''],
    rows: [
      ['tries', `${tries}, of which ${waits} waited (${percent(waitRate)})`],
      ['holder checks', String(holderChecks)],
      [
        'lock waits',
        `${lockWaits.length}, median ${formatDuration(middleOf(lockWaits))}, longest ${formatDuration(lockWaits.at(-1) ?? 0)}`,
      ],
      ['runs', `${passed} of ${runs} passed`],
      ...[...counted.byTarget]
        .slice(0, 8)
        .map(([target, times]) => ['waited for', `${target}: ${times}`]),
      ...[...counted.byHour]
        .slice(-8)
        .map(([hour, times]) => ['waited at', `${hour.replace('T', ' ')}:00Z: ${times}`]),
    ],
    paints: ['dim', 'plain'],
  };
}

function middleOf(sorted: readonly number[]): number {
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

export function statsReport(
  entries: readonly LoggedEntry[],
  { windowMs, nowMs, isSequential, persons }: StatsOf,
): Report {
  const within = entries.filter(({ at }) => at >= nowMs - windowMs);
  const counted = count(within, persons);
  const warnings = warningsOf(counted, windowMs);
  const exceeded = warnings.filter((warning) => warning.exceeded);
  const helps = exceeded.length === 0 ? [] : mitigations.slice(isSequential ? 1 : 0);
  const oldest = entries[0]?.at;
  return {
    ok: true,
    exit: exits.done,
    result: exceeded.length > 0 ? 'warnings' : 'fine',
    facts: {
      since: formatTime(nowMs - windowMs),
      logReachesBackTo: oldest === undefined ? null : formatTime(oldest),
      operations: within.length,
      tries: counted.tries,
      waits: counted.waits,
      waitRate: counted.waitRate,
      holderChecks: counted.holderChecks,
      lockWaits: {
        count: counted.lockWaits.length,
        medianMs: middleOf(counted.lockWaits),
        maxMs: counted.lockWaits.at(-1) ?? 0,
      },
      activeAgents: counted.agents,
      runs: { count: counted.runs, passed: counted.passed },
      failures: { count: counted.failures, sharedState: counted.sharedState },
      waitsByHour: Object.fromEntries(counted.byHour),
      waitsByTarget: Object.fromEntries(counted.byTarget),
      warnings,
      mitigations: helps.map(([name, says]) => ({ name, says })),
    },
    says: [
      `the last ${formatDuration(windowMs)}: ${plural(within.length, 'operation')} of ${plural(counted.agents, 'agent')}`,
      figuresTable(counted),
      ...exceeded.map(({ says }) => `warning: ${says}`),
      ...helps.map(([, says], i) => `  ${i === 0 ? 'next' : 'then'}: ${says}`),
    ],
  };
}
