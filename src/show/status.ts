/** Who is here, who holds what and who waits: as a picture, by agent, and on one line. */

import { type Agent, nameOf, showAgent } from '../core/agent.ts';
import { counted } from '../core/counted.ts';
import type { DecisionContext } from '../core/decide/decision.ts';
import { isInGrace, type Overview, overview } from '../core/decide/look.ts';
import { isStalled } from '../core/decide/renew.ts';
import { exits } from '../core/exits.ts';
import { formatDuration } from '../core/instant.ts';
import { describe, type Lease } from '../core/lease.ts';
import { limits } from '../core/limits.ts';
import { collide } from '../core/overlap.ts';
import { pauseIn, pauseReason } from '../core/pause.ts';
import type { State } from '../core/state.ts';
import type { Observation } from '../log/log-store.ts';
import { agentFacts, isUntouched, leaseFacts, requestFacts, waitFacts } from '../render/facts.ts';
import { adviceOf } from '../render/leases.ts';
import { ago, named, timeLeft } from '../render/lines.ts';
import type { Report } from '../render/report.ts';
import { plainLines, type Said, type Table } from '../render/table.ts';

const notShared = 'what was granted since is advice to this clone alone';

export function statusReport(
  at: Observation,
  c: DecisionContext,
  limit: number | undefined,
): Report {
  const all = overview(at.state, c);
  const leases = all.leases.slice(0, limit ?? all.leases.length);
  const advice = adviceOf(at, notShared);
  return {
    ok: true,
    exit: exits.done,
    result: all.leases.length === 0 && all.waits.length === 0 ? 'quiet' : 'busy',
    facts: {
      seq: at.seq,
      ...(at.remote === undefined ? {} : { remote: at.remote }),
      ...(at.ageMs === undefined ? {} : { ageMs: at.ageMs }),
      ...advice.facts,
      agents: all.agents.map(agentFacts),
      leases: leases.map((lease) => leaseFacts(lease, at.state, c)),
      waits: all.waits.map(waitFacts),
      requests: [...at.state.requests.values()].map(requestFacts),
      ...(leases.length < all.leases.length ? { total: all.leases.length } : {}),
    },
    notes: [
      ...pausedNotes(at.state, c),
      ...advice.notes,
      ...(at.ageMs === undefined
        ? []
        : [
            `note: remote '${at.remote ?? ''}' cannot be reached; this is how it stood ${formatDuration(at.ageMs)} ago`,
          ]),
    ],
    says: [
      ...(leases.length === 0 ? ['no leases'] : [leaseTable(leases, at.state, c)]),
      ...[...at.state.requests.values()].map(
        (request) =>
          `asked    ${request.id}  ${describe(request.what)}  ${showAgent(request.from)} asks ${showAgent(request.to)}${request.deferred === null ? '' : ', who needs more time'}: ${request.reason}`,
      ),
      ...all.waits.map(
        (wait) =>
          `waiting  ${describe(wait)}  ${showAgent(wait.agent)} since ${ago(wait.started.at, c)}`,
      ),
      ...(all.leases.length > leases.length
        ? [`... and ${all.leases.length - leases.length} more`]
        : []),
      ...agentsSaid(all, c),
    ],
  };
}

function pausedNotes(state: State, c: DecisionContext): readonly string[] {
  const pause = pauseIn(state, c.now);
  return pause === null
    ? []
    : [
        `note: the guards are off, ${pauseReason(pause)} (${timeLeft(pause, c)}); coord pause --end`,
      ];
}

function leaseTable(leases: readonly Lease[], state: State, c: DecisionContext): Table {
  const idle = (lease: Lease): string =>
    isUntouched(lease, c) ? '(no edit seen yet)' : isStalled(lease, state, c) ? '(stalled)' : '';
  const rows = leases.map((lease) => [
    lease.id,
    named(lease, c),
    showAgent(lease.agent),
    timeLeft(lease, c),
    [lease.reason, idle(lease)].filter((part) => part !== '').join('  '),
  ]);
  const headings = ['LEASE', 'WHAT', 'HELD BY', 'EXPIRES', 'FOR'];
  return {
    headings,
    rows: rows.map((row) => row.map((cell, i) => (i === 3 ? cell.replace(/^expires /, '') : cell))),
    paints: ['dim', 'strong', 'plain', 'careful', 'plain'],
    giveWay: [4, 1, 2],
    inPipe: plainLines([{ headings, rows }]),
  };
}

function agentsSaid(all: Overview, c: DecisionContext): readonly Said[] {
  const { agents, leases, waits } = all;
  if (agents.length === 0) return ['no agents'];
  const heldBy = (agent: Agent): number =>
    leases.filter((lease) => lease.agent.id === agent.id).length;
  const isHere = (agent: Agent): boolean =>
    c.now.at - agent.active.at < limits.silentAgentMs ||
    heldBy(agent) > 0 ||
    waits.some((wait) => wait.agent.id === agent.id);
  const here = agents.filter(isHere);
  const silent = agents.length - here.length;
  const line = `${counted(agents.length, 'agent')}: ${agents
    .slice(0, 12)
    .map((agent) => `${showAgent(agent)} ${ago(agent.active.at, c)}`)
    .join(', ')}${agents.length > 12 ? ', ...' : ''}`;
  return [
    {
      headings: ['AGENT', 'LAST ACTIVE', 'HOLDS'],
      rows: [
        ...here.map((agent) => [
          showAgent(agent),
          ago(agent.active.at, c),
          heldBy(agent) === 0 ? 'nothing' : counted(heldBy(agent), 'lease'),
        ]),
        ...(silent === 0
          ? []
          : [
              [`and ${silent} more`, `over ${formatDuration(limits.silentAgentMs)} ago`, 'nothing'],
            ]),
      ],
      paints: ['strong', 'plain', 'plain'],
      inPipe: [line],
    },
  ];
}

/** One line, live holders only: what a prompt or a status bar shows. */
export function statusLine(at: Observation, c: DecisionContext): Report {
  const advice = adviceOf(at, notShared);
  const { leases, waits } = overview(at.state, c);
  const live = leases.filter((lease) => !isInGrace(lease, c));
  const holders = new Map<string, Lease[]>();
  for (const lease of live)
    holders.set(lease.agent.name, [...(holders.get(lease.agent.name) ?? []), lease]);
  const parts = [...holders].slice(0, 5).map(
    ([name, held]) =>
      `${name}: ${held
        .slice(0, 2)
        .map((lease) => named(lease, c))
        .join(', ')}${held.length > 2 ? ` +${held.length - 2}` : ''}`,
  );
  const line =
    live.length === 0
      ? 'coord: no leases'
      : `coord: ${parts.join(' | ')}${holders.size > 5 ? ` | +${holders.size - 5} agents` : ''}${waits.length > 0 ? ` | ${waits.length} waiting` : ''}`;
  return {
    ok: true,
    exit: exits.done,
    result: live.length === 0 ? 'quiet' : 'busy',
    facts: {
      line,
      agents: holders.size,
      leases: live.length,
      waits: waits.length,
      ...advice.facts,
    },
    says: [line],
  };
}

export function whoReport(
  at: Observation,
  c: DecisionContext,
  paths: readonly string[],
  limit: number | undefined,
): Report {
  const { state } = at;
  const advice = adviceOf(at, notShared);
  const all = overview(state, c);
  const matched = all.agents.flatMap((agent) => {
    const held = leasesOfAgent(agent, all, paths, c);
    return paths.length > 0 && held.length === 0 ? [] : [{ agent, held }];
  });
  const shown = matched.slice(0, limit ?? matched.length);
  return {
    ok: true,
    exit: exits.done,
    result: shown.length === 0 ? 'nobody' : 'listed',
    facts: {
      agents: shown.map(({ agent, held }) => ({
        ...nameOf(agent),
        kind: agent.kind,
        lastActiveAt: agentFacts(agent)['lastActiveAt'],
        beads: held.flatMap((lease) => (lease.kind === 'claim' ? lease.bead : [])),
        stalled: held.some((lease) => isStalled(lease, state, c)),
        locks: held.flatMap((lease) => (lease.kind === 'lock' ? lease.name : [])),
        paths: held.flatMap((lease) => (lease.kind === 'reservation' ? lease.patterns : [])),
      })),
      ...(shown.length < matched.length ? { total: matched.length } : {}),
      ...advice.facts,
    },
    notes: advice.notes,
    says:
      shown.length === 0
        ? ['nobody']
        : [
            {
              headings: ['AGENT', 'LAST ACTIVE', 'HOLDS'],
              rows: shown.map(({ agent, held }) => [
                showAgent(agent),
                ago(agent.active.at, c),
                held.length === 0
                  ? 'holds nothing'
                  : held
                      .map(
                        (lease) =>
                          `${named(lease, c)}${isStalled(lease, state, c) ? ' (stalled)' : ''}`,
                      )
                      .join(', '),
              ]),
              paints: ['strong', 'plain', 'plain'],
              goesOn: 2,
            },
          ],
  };
}

function leasesOfAgent(
  agent: Agent,
  { leases }: Overview,
  paths: readonly string[],
  c: DecisionContext,
): readonly Lease[] {
  return leases.filter(
    (lease) =>
      lease.agent.id === agent.id &&
      (paths.length === 0 ||
        (lease.kind === 'reservation' &&
          lease.patterns.some((held) => paths.some((path) => collide(held, path, c.folding))))),
  );
}
