/**
 * Figures from the log alone, so that anybody can count them again: `coord log --json` has every event
 * they are made of. Each threshold that is passed names the next thing to do about it.
 */
import type { Event } from '../core/event.ts';
import { targetOf } from '../core/event.ts';
import { formatDuration, formatTime } from '../core/instant.ts';
import type { LoggedEntry } from '../git/log-store.ts';
import { exits, type Report } from '../report.ts';

const dayMs = 86_400_000;

export const thresholds = { waitRate: 0.05, waitsPerDay: 20, mutexWaitMs: 600_000, sharedStateFailures: 0, activeAgents: 3, stableRuns: 5, stablePassRate: 0.9 } as const;

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
export function count(entries: readonly LoggedEntry[]): Counted {
  const events = entries.flatMap((entry) => entry.events.map((event) => ({ event, at: typeof event['at'] === 'string' ? event['at'] : formatTime(entry.at) })));
  const of = (name: Event['event']): typeof events => events.filter(({ event }) => event.event === name);
  const tallies = of('tally').map(({ event }) => event);
  const unlisted = tallies.reduce((sum, event) => sum + number(event, 'refusals'), 0);
  const refusals = of('conflict').filter(({ event }) => event['why'] !== 'timeout' && event['why'] !== 'cap');
  const waits = [...refusals, ...of('waiting')];
  const acquired = of('acquired');
  const timedOut = of('conflict').filter(({ event }) => event['why'] === 'timeout');
  const tries = acquired.length + refusals.length + timedOut.length + unlisted;
  const runs = of('released').filter(({ event }) => typeof event['exit'] === 'number');
  const failed = of('failed');
  return {
    tries, waits: waits.length + unlisted, waitRate: tries === 0 ? 0 : (waits.length + unlisted) / tries,
    holderChecks: tallies.reduce((sum, event) => sum + number(event, 'checks'), 0),
    lockWaits: acquired.filter(({ event }) => event['kind'] === 'lock').map(({ event }) => number(event, 'waitedMs')).sort((a, b) => a - b),
    agents: new Set(events.filter(({ event }) => event.event !== 'compacted').map(({ event }) => event.agent.id)).size,
    runs: runs.length, passed: runs.filter(({ event }) => event['exit'] === 0).length,
    failures: failed.length, sharedState: failed.filter(({ event }) => event['cause'] === 'shared-state').length,
    byHour: new Map([...tallied(waits, ({ at }) => at.slice(0, 13))].sort(([a], [b]) => (a < b ? -1 : 1))),
    byTarget: tallied(waits, ({ event }) => targetOf(event)),
  };
}

interface Warning {
  readonly name: string;
  readonly exceeded: boolean;
  readonly says: string;
  readonly mitigation: string;
}

export function warningsOf(counted: Counted, windowMs: number): readonly Warning[] {
  const days = Math.max(windowMs / dayMs, 1 / 24);
  const slow = counted.lockWaits.filter((ms) => ms > thresholds.mutexWaitMs).length;
  const passRate = counted.runs === 0 ? 0 : counted.passed / counted.runs;
  const stable = counted.runs >= thresholds.stableRuns && passRate >= thresholds.stablePassRate;
  return [
    {
      name: 'waits', exceeded: counted.waitRate > thresholds.waitRate || counted.waits > thresholds.waitsPerDay * Math.max(1, days),
      says: `${counted.waits} of ${counted.tries} tries waited (${percent(counted.waitRate)}; warns above 5% or 20 a day)`,
      mitigation: 'split the work by directory, reserve single files instead of patterns, or give each agent a work tree of its own',
    },
    {
      name: 'mutex-waits', exceeded: slow > 0,
      says: `${slow} waits for a lock took over 10m`,
      mitigation: 'make the command under the lock shorter, or give each work tree a lock of its own name',
    },
    {
      name: 'shared-state', exceeded: counted.sharedState > thresholds.sharedStateFailures,
      says: `${counted.sharedState} of ${counted.failures} failures were caused by shared state`,
      mitigation: 'put the command that failed under a lock: coord run --lock <name> -- <command>',
    },
    {
      name: 'agents', exceeded: counted.agents > thresholds.activeAgents && !stable,
      says: `${counted.agents} agents were active, and ${counted.passed} of ${counted.runs} runs passed (warns above 3 agents unless at least 5 runs, 90% of them, passed)`,
      mitigation: 'run fewer agents until coord run shows a stable pass rate',
    },
  ];
}

function percent(rate: number): string {
  return `${Math.round(rate * 1_000) / 10}%`;
}

export function statsReport(entries: readonly LoggedEntry[], windowMs: number, nowMs: number): Report {
  const within = entries.filter(({ at }) => at >= nowMs - windowMs);
  const counted = count(within);
  const warnings = warningsOf(counted, windowMs);
  const middle = counted.lockWaits[Math.floor(counted.lockWaits.length / 2)] ?? 0;
  const longest = counted.lockWaits.at(-1) ?? 0;
  const oldest = entries[0]?.at;
  return {
    ok: true, exit: exits.done, result: warnings.some(({ exceeded }) => exceeded) ? 'warnings' : 'fine',
    facts: {
      since: formatTime(nowMs - windowMs), logReachesBackTo: oldest === undefined ? null : formatTime(oldest), operations: within.length,
      tries: counted.tries, waits: counted.waits, waitRate: counted.waitRate, holderChecks: counted.holderChecks,
      lockWaits: { count: counted.lockWaits.length, medianMs: middle, maxMs: longest }, activeAgents: counted.agents,
      runs: { count: counted.runs, passed: counted.passed }, failures: { count: counted.failures, sharedState: counted.sharedState },
      waitsByHour: Object.fromEntries(counted.byHour), waitsByTarget: Object.fromEntries(counted.byTarget), warnings,
    },
    says: [
      `the last ${formatDuration(windowMs)}: ${within.length} operations of ${counted.agents} agents`,
      `tries          ${counted.tries}, of which ${counted.waits} waited (${percent(counted.waitRate)})`,
      `holder checks  ${counted.holderChecks}`,
      `lock waits     ${counted.lockWaits.length}, median ${formatDuration(middle)}, longest ${formatDuration(longest)}`,
      `runs           ${counted.passed} of ${counted.runs} passed`,
      ...[...counted.byTarget].slice(0, 8).map(([target, times]) => `waited for     ${target}: ${times}`),
      ...[...counted.byHour].slice(-8).map(([hour, times]) => `waited at      ${hour.replace('T', ' ')}:00Z: ${times}`),
      ...warnings.filter(({ exceeded }) => exceeded).flatMap(({ says, mitigation }) => [`warning: ${says}`, `  next: ${mitigation}`]),
    ],
  };
}
