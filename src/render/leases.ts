/** What came of leases: granted, renewed, freed, handed over, checked, swept. */

import { nameOf, showAgent } from '../core/agent.ts';
import { few } from '../core/counted.ts';
import type { DecisionContext } from '../core/decide/decision.ts';
import type { Checked } from '../core/decide/look.ts';
import type { Released } from '../core/decide/release.ts';
import { exits } from '../core/exits.ts';
import { formatDuration } from '../core/instant.ts';
import { describe, describeHeld, type Lease } from '../core/lease.ts';
import { afterCheck } from '../core/next.ts';
import type { State } from '../core/state.ts';
import type { CheckedPaths, Swept, Transferred } from '../loop/hold.ts';
import type { Outcome, Seen } from '../loop/outcome.ts';
import type { Taken } from '../loop/take.ts';
import { type Facts, isAdvice, leaseFacts } from './facts.ts';
import { leaseLine } from './lines.ts';
import { renderRefused } from './refusal.ts';
import type { Report } from './report.ts';

interface LeaseWords {
  /** Behind each lease. */
  readonly suffix?: string;
  /** Before all of them. */
  readonly first?: readonly string[];
  readonly facts?: Facts;
  readonly notes?: readonly string[];
}

/** Leases with what became of them, each on its line. */
export function renderLeases(
  result: string,
  { at, ctx }: Seen,
  leases: readonly Lease[],
  { suffix = '', first = [], facts = {}, notes = [] }: LeaseWords = {},
): Report {
  const advice = adviceOf(
    at,
    'this is advice (coord.offline=advisory): nobody elsewhere knows of it',
  );
  return {
    ok: true,
    exit: exits.done,
    result,
    facts: {
      leases: leases.map((lease) => leaseFacts(lease, at.state, ctx)),
      ...facts,
      ...advice.facts,
    },
    notes: [...advice.notes, ...notes],
    says: [
      ...first,
      ...leases.map((lease) => `${result} ${toldOf(lease, result, suffix, isAdvice(lease, ctx))}`),
    ],
  };
}

function toldOf(lease: Lease, result: string, suffix: string, isAdvised: boolean): string {
  const local = isAdvised ? ' locally only (offline)' : '';
  const isKept = result === 'granted' || result === 'renewed';
  const rest = isKept
    ? `${showAgent(lease.agent)} for ${formatDuration(lease.ttlMs)}, lease ${lease.id}, token ${lease.token}`
    : `lease ${lease.id}`;
  return `${describeHeld(lease)}${suffix}${local}: ${rest}`;
}

/** What was said without the server, where that was chosen, is marked as that. */
export function adviceOf(
  { advisorySince, remote }: { readonly advisorySince?: number; readonly remote?: string },
  what: string,
): { readonly facts: Readonly<Record<string, unknown>>; readonly notes: readonly string[] } {
  return advisorySince === undefined
    ? { facts: {}, notes: [] }
    : {
        facts: { advisory: true },
        notes: [`note: remote '${remote ?? ''}' cannot be reached; ${what}`],
      };
}

export function renderTaken(outcome: Outcome<Taken>, more: LeaseWords = {}): Report {
  if (outcome.kind === 'refused') return renderRefused(outcome);
  const { leases, waitedMs, alone } = outcome.result;
  const after = waitedMs === 0 ? '' : ` after ${formatDuration(waitedMs)}`;
  const why = alone === undefined ? [] : [whyAlone[alone]];
  return renderLeases('granted', outcome, leases, {
    suffix: after,
    ...more,
    facts: { ...(alone === undefined ? {} : { alone }), ...more.facts },
    notes: [...why, ...(more.notes ?? [])],
  });
}

/** Lines were asked for, and more is held. */
const whyAlone: Readonly<Record<NonNullable<Taken['alone']>, string>> = {
  place: 'note: held for you alone: coord could not keep an id of this work tree',
  before: 'note: still held for you alone, as it was before',
};

export function renderRenewed(outcome: Outcome<readonly Lease[]>): Report {
  if (outcome.kind === 'refused') return renderRefused(outcome);
  return renderLeases('renewed', outcome, outcome.result);
}

export function renderReleased(outcome: Outcome<Released>): Report {
  if (outcome.kind === 'refused') return renderRefused(outcome);
  const { leases, notReleased, kept } = outcome.result;
  const words = notReleased.map(({ named: what, heldBy }) => {
    const why = heldBy === null ? 'which you do not hold' : `held by ${showAgent(heldBy)}`;
    return `note: not released: ${what}, ${why}`;
  });
  const held = kept.length === 0 ? [] : [`note: kept what has uncommitted changes: ${few(kept)}`];
  return renderLeases('released', outcome, leases, {
    facts: {
      ...(notReleased.length === 0 ? {} : { notReleased }),
      ...(kept.length === 0 ? {} : { kept }),
    },
    notes: [...words, ...held],
  });
}

export function renderTransferred(outcome: Outcome<Transferred>): Report {
  if (outcome.kind === 'refused') return renderRefused(outcome);
  const { leases, to } = outcome.result;
  return renderLeases('transferred', outcome, leases, {
    suffix: ` to ${showAgent(to)}`,
    facts: { to },
  });
}

export function renderBroken(outcome: Outcome<Lease>): Report {
  if (outcome.kind === 'refused') return renderRefused(outcome);
  return renderLeases('broken', outcome, [outcome.result]);
}

export function renderChecked(
  { at, ctx, checked, paths, retry }: CheckedPaths,
  linesOf: LinesOf = () => [],
): Report {
  const blockers = checked.kind === 'held' ? checked.blockers : [];
  const shared = sharersOf(checked, at.state, ctx, linesOf);
  const advice = adviceOf(at, 'this goes by what it said last, and by advice to this clone alone');
  const next = afterCheck(checked.kind, retry);
  const isLocal = checked.kind === 'mine' && checked.leases.some((lease) => isAdvice(lease, ctx));
  return {
    ok: blockers.length === 0,
    exit: blockers.length > 0 ? exits.refused : exits.done,
    result: checked.kind,
    ...(checked.kind === 'held' ? { refusal: 'held', next } : {}),
    facts: {
      paths,
      blockers: blockers.map((lease) => leaseFacts(lease, at.state, ctx)),
      ...shared.facts,
      ...(checked.kind === 'mine' ? {} : { next }),
      ...advice.facts,
    },
    notes: advice.notes,
    says: [
      ...paths.map(
        ({ path, result }) => `${result} ${path}${isLocal ? ' locally only (offline)' : ''}`,
      ),
      ...blockers.map((lease) => `  ${leaseLine(lease, at.state, ctx)}`),
      ...shared.says,
      ...(blockers.length > 0 ? [`  next: ${next}`] : []),
    ],
  };
}

/** What an agent has changed and not committed of each file that was asked for. */
type LinesOf = (
  agentId: string,
) => readonly {
  readonly path: string;
  readonly ranges: readonly (readonly [first: number, last: number])[];
}[];

/** Who else has lines of it in this work tree, and which. */
function sharersOf(
  checked: Checked,
  state: State,
  c: DecisionContext,
  linesOf: LinesOf,
): { readonly facts: Facts; readonly says: readonly string[] } {
  const sharers = 'sharers' in checked ? checked.sharers : [];
  if (sharers.length === 0) return { facts: {}, says: [] };
  const inFiles = new Map(sharers.map(({ agent }) => [agent.id, linesOf(agent.id)] as const));
  return {
    facts: {
      sharers: sharers.map((lease) => {
        const files = inFiles.get(lease.agent.id) ?? [];
        return {
          ...leaseFacts(lease, state, c),
          lines: files.length === 1 ? files[0]?.ranges : [],
          ...(files.length > 1
            ? { files: files.map(({ path, ranges }) => ({ path, lines: ranges })) }
            : {}),
        };
      }),
    },
    says: [
      ...sharers.map((lease) => `  ${leaseLine(lease, state, c)}`),
      ...sharers
        .filter(({ agent }, i) => sharers.findIndex((one) => one.agent.id === agent.id) === i)
        .flatMap(({ agent }) =>
          (inFiles.get(agent.id) ?? []).map(
            ({ path, ranges }) =>
              `  ${showAgent(agent)} has ${linesWords(ranges)} of ${path}, not committed`,
          ),
        ),
    ],
  };
}

const mostRanges = 8;

/** `line 3`, `lines 3-9, 12`. */
function linesWords(ranges: readonly (readonly [number, number])[]): string {
  const some = ranges
    .slice(0, mostRanges)
    .map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`));
  const isOne = ranges.length === 1 && ranges[0]?.[0] === ranges[0]?.[1];
  const rest = ranges.length - some.length;
  return `${isOne ? 'line' : 'lines'} ${some.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}

/** `notes` tells of what went along with it. */
export function renderSwept(outcome: Outcome<Swept>, notes: readonly string[] = []): Report {
  if (outcome.kind === 'refused') return renderRefused(outcome);
  const { leases, waits, agents, dryRun, before } = outcome.result;
  const { ctx } = outcome;
  const count = leases.length + waits.length + agents.length;
  const verb = dryRun ? 'would sweep' : 'swept';
  const lines = [
    ...leases.map((lease) => `${describe(lease)} of ${showAgent(lease.agent)}, lease ${lease.id}`),
    ...waits.map((wait) => `the wait of ${showAgent(wait.agent)} for ${describe(wait)}`),
    ...agents.map(
      (agent) =>
        `${showAgent(agent)}, not seen since ${formatDuration(ctx.now.at - agent.active.at)}`,
    ),
  ];
  return {
    ok: true,
    exit: exits.done,
    result: count === 0 ? 'nothing' : dryRun ? 'would-sweep' : 'swept',
    facts: {
      dryRun,
      count,
      leases: leases.map((lease) => leaseFacts(lease, before, ctx)),
      waits: waits.map(({ id, agent }) => ({ id, agent })),
      agents: agents.map(nameOf),
    },
    says: count === 0 ? ['nothing to sweep'] : lines.map((line) => `${verb} ${line}`),
    notes,
  };
}
