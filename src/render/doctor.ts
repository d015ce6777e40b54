/** What doctor found here, and what a probe found of a server. */
import { exits } from '../core/exits.ts';
import type { Finding, Setting } from '../doctor/findings.ts';
import { isNo, type Probed } from '../doctor/probe.ts';
import type { Report } from './report.ts';
import type { Table } from './table.ts';

/** Exit 1 only if something needs mending; what is merely not so here is a note. */
export function renderFindings(
  findings: readonly Finding[],
  fixed: readonly string[],
  settings: readonly Setting[],
): Report {
  const failed = findings.filter(({ standing }) => standing === 'fail');
  return {
    ok: failed.length === 0,
    exit: failed.length === 0 ? exits.done : exits.refused,
    result: failed.length === 0 ? 'healthy' : 'needs-mending',
    facts: { checks: findings, fixed, settings },
    says: [
      ...fixed.map((line) => `fixed: ${line}`),
      ...findingLines(findings),
      ...(settings.length === 0 ? [] : [settingsTable(settings)]),
    ],
  };
}

export function renderProbe({ at, there, tried, findings }: Probed): Report {
  const isUnfit = findings.some(({ standing }) => standing === 'fail');
  return {
    ok: !isUnfit,
    exit: isUnfit ? exits.unavailable : exits.done,
    result: isUnfit ? 'unfit' : 'fit',
    facts: {
      remote: at.remote,
      ref: at.ref,
      log: there,
      checks: findings,
      customRefs: tried.takes.kind === 'landed',
      atomic: tried.atomic?.kind === 'landed',
      rewindsRefused: isNo(tried.rewinds),
      deletesRefused: isNo(tried.deletes),
      roundTripMs: tried.roundTripMs,
      pushMs: tried.pushMs,
    },
    says: findingLines(findings),
  };
}

function settingsTable(settings: readonly Setting[]): Table {
  return {
    headings: ['', 'SETTING', 'VALUE', 'FROM'],
    rows: settings.map(({ key, value, origin }) => ['set', key, value, `(${origin})`]),
    paints: ['dim', 'plain', 'strong', 'dim'],
    giveWay: [3, 2],
  };
}

function findingLines(findings: readonly Finding[]): readonly string[] {
  const width = Math.max(...findings.map(({ check }) => check.length));
  return findings.flatMap(({ check, standing, says, next }) => [
    `${standing.padEnd(4)}  ${check.padEnd(width)}  ${says}`,
    ...(next === undefined ? [] : [`  next: ${next}`]),
  ]);
}
