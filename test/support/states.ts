/**
 * States of the log from a few words, the circumstances of a decision, and its outcome as a row of a
 * table can say it.
 */
import { expect, test } from 'vitest';
import type { Agent } from '../../src/core/agent.ts';
import { type BeadRecord, newBead } from '../../src/core/bead.ts';
import type { Decision, DecisionContext } from '../../src/core/decide/decision.ts';
import type { Caller } from '../../src/core/decide/enrol.ts';
import { formats } from '../../src/core/format.ts';
import type { Now, Stamp } from '../../src/core/instant.ts';
import type { AgentName, Lease, Reservation, Wait } from '../../src/core/lease.ts';
import { limits } from '../../src/core/limits.ts';
import type { Meta, Request } from '../../src/core/record.ts';
import type { Refusal } from '../../src/core/refusal.ts';
import { emptyState, type State } from '../../src/core/state.ts';

export const minute = 60_000;
const wallMs = Date.UTC(2026, 0, 1);
const uptimeMs = 1_000_000_000;

/** An id that the same words always get. */
export function idOf(words: string): string {
  let hash = 7;
  for (const char of words) hash = (hash * 31 + (char.codePointAt(0) ?? 0)) % 36 ** 8;
  return hash.toString(36).padStart(8, '0');
}

export const named = (name: string): AgentName => ({ id: idOf(name), name });

/** So long ago, by the clock that everybody here shares. */
export function ago(ms: number): Stamp {
  return { at: wallMs - ms, domain: 'here', uptimeMs: uptimeMs - ms };
}

export const now: Now = { ...ago(0), sinceSeenMs: () => 0 };

export function contextOf(more: Partial<DecisionContext> = {}): DecisionContext {
  let made = 0;
  return {
    now,
    seq: 100,
    graceMs: limits.graceMs,
    stalledMs: limits.stalledMs,
    breakMs: limits.breakMs,
    folding: { ignoreCase: false, composeUnicode: false },
    newId: () => idOf(`made ${(made += 1)}`),
    ...more,
  };
}

export function callerOf(name: string, session: string | null = null): Caller {
  return { name, kind: 'agent', session, host: 'here' };
}

export function agent(name: string, more: Partial<Agent> = {}): Agent {
  const kind = name.includes('/') ? 'subagent' : 'agent';
  return {
    ...named(name),
    kind,
    session: null,
    host: 'here',
    startedAt: wallMs,
    active: ago(0),
    reads: formats.newest,
    ...more,
  };
}

type More = Partial<
  Pick<
    Lease,
    | 'id'
    | 'mode'
    | 'workTree'
    | 'reason'
    | 'ttlMs'
    | 'token'
    | 'renewed'
    | 'steady'
    | 'edited'
    | 'base'
    | 'begun'
    | 'acquiredAt'
    | 'protection'
  >
>;

function held(by: string, what: string, more: More): Omit<Lease, 'kind'> & More {
  return {
    id: idOf(`${by} ${what}`),
    agent: named(by),
    mode: 'exclusive',
    reason: '',
    ttlMs: limits.ttlMs,
    token: 10,
    acquiredAt: wallMs,
    renewed: ago(0),
    steady: false,
    edited: null,
    ...more,
  };
}

export function reservation(by: string, patterns: string, more: More = {}): Reservation {
  return { ...held(by, patterns, more), kind: 'reservation', patterns: patterns.split(' ') };
}

export function claim(by: string, bead: string, more: More = {}): Lease {
  const edited = { stamp: ago(0), directories: [] };
  return { ...held(by, bead, { edited, ...more }), kind: 'claim', bead };
}

export function lock(by: string, name: string, more: More = {}): Lease {
  return { ...held(by, name, more), kind: 'lock', name };
}

/** Live for no longer, and only its holder may take it again. */
export const inGrace = { renewed: ago(limits.ttlMs + minute) };
export const expired = { renewed: ago(limits.ttlMs + limits.graceMs + minute) };

/** Somebody stands in line for these paths. */
export function wait(
  by: string,
  patterns: string,
  more: Partial<Omit<Wait, 'kind'>> = {},
): Wait & { readonly kind: 'reservation' } {
  return {
    kind: 'reservation',
    patterns: patterns.split(' '),
    id: idOf(`${by} waits for ${patterns}`),
    agent: named(by),
    mode: 'exclusive',
    reason: '',
    ttlMs: limits.ttlMs,
    since: 20,
    started: ago(0),
    renewed: ago(0),
    ...more,
  };
}

/** `from` has asked for this lease. */
export function request(from: string, lease: Lease, more: Partial<Request> = {}): Request {
  return {
    id: idOf(`${from} asks for ${lease.id}`),
    lease: lease.id,
    token: lease.token,
    what: { kind: 'lock', name: 'any' },
    from: named(from),
    to: lease.agent,
    reason: 'I need it',
    urgent: false,
    asked: ago(0),
    deferred: null,
    ...more,
  };
}

export function bead(id: string, by: string, more: Partial<BeadRecord> = {}): BeadRecord {
  return { ...newBead(id, named(by), wallMs), ...more };
}

interface Records {
  readonly agents?: readonly (Agent | string)[];
  readonly leases?: readonly Lease[];
  readonly waits?: readonly Wait[];
  readonly requests?: readonly Request[];
  readonly beads?: readonly BeadRecord[];
  readonly meta?: Partial<Meta>;
}

const byId = <T extends { readonly id: string }>(records: readonly T[]): ReadonlyMap<string, T> =>
  new Map(records.map((record) => [record.id, record]));

/** Whoever holds something or waits is on record, and was here just now. */
export function stateOf(records: Records = {}): State {
  const { agents = [], leases = [], waits = [], requests = [], beads = [], meta = {} } = records;
  const known = agents.map((one) => (typeof one === 'string' ? agent(one) : one));
  const others = [...leases, ...waits, ...requests.map(({ from }) => ({ agent: from }))]
    .map((one) => one.agent.name)
    .filter((name) => !known.some((one) => one.name === name));
  const start = emptyState(wallMs);
  return {
    ...start,
    agents: byId([...known, ...[...new Set(others)].map((name) => agent(name))]),
    leases: byId(leases),
    waits: byId(waits),
    requests: byId(requests),
    beads: beads.length === 0 ? start.beads : start.beads.with(beads, limits.beadsKept),
    meta: { ...start.meta, ...meta },
  };
}

/** Refused and why, or nothing, or the events with whom each is about. */
export function outcomeOf(decision: Decision<unknown>): string {
  if (decision.kind === 'same') return 'no change';
  if (decision.kind === 'refused') {
    const { refusal } = decision;
    return `refused: ${refusal.kind}${'scope' in refusal ? ` of ${refusal.scope}` : ''}`;
  }
  const { events } = decision;
  if (events.length === 0) return 'a change without a word';
  return events.map(({ event, agent: about }) => `${event} ${about.name}`).join(', ');
}

export function changeIn<R>(decision: Decision<R>): Extract<Decision<R>, { kind: 'change' }> {
  if (decision.kind !== 'change') throw new Error(`no change: ${outcomeOf(decision)}`);
  return decision;
}

export function refusalIn(decision: Decision<unknown>): Refusal {
  if (decision.kind !== 'refused') throw new Error(`not refused: ${outcomeOf(decision)}`);
  return decision.refusal;
}

/** What stands after it, as `ann src/a`. */
export function heldIn(state: State): readonly string[] {
  return [...state.leases.values()].map((lease) => {
    const what =
      lease.kind === 'reservation'
        ? lease.patterns.join(' ')
        : lease.kind === 'claim'
          ? lease.bead
          : lease.name;
    return `${lease.agent.name} ${what}`;
  });
}

export interface Row<Ask, Result> {
  readonly says: string;
  readonly state: State;
  readonly ask: Ask;
  readonly gives: string;
  readonly c?: Partial<DecisionContext>;
  readonly also?: (decision: Decision<Result>, given: State) => void;
}

/** A test for each row. */
export function table<Ask, Result>(
  rows: readonly Row<Ask, Result>[],
  decide: (ask: Ask, state: State, c: DecisionContext) => Decision<Result>,
): void {
  test.for(rows.map((row) => [row.says, row] as const))('%s', ([, row]) => {
    const decision = decide(row.ask, row.state, contextOf(row.c));
    expect(outcomeOf(decision)).toBe(row.gives);
    row.also?.(decision, row.state);
  });
}
