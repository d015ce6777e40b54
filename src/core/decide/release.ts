/**
 * Giving things up or handing them over: release by their holder, transfer by
 * their holder to somebody on record.
 */
import { type Agent, nameOf } from '../agent.ts';
import type { Event } from '../event.ts';
import type { AgentName, Lease, Wait } from '../lease.ts';
import { matches } from '../overlap.ts';
import { pathOf } from '../pattern.ts';
import { isPause } from '../pause.ts';
import type { State } from '../state.ts';
import {
  amend,
  type Decision,
  type DecisionContext,
  facts,
  isActive,
  refused,
} from './decision.ts';
import { type Caller, recall } from './enrol.ts';
import { touch } from './renew.ts';
import { changedIn, free, type Part, type Split, unchangedOf } from './unchanged.ts';

/** What is named: ids of leases; patterns; a bead; a lock; or all that one holds. */
export type Selection =
  | { readonly by: 'named'; readonly ids: readonly string[]; readonly patterns: readonly string[] }
  | { readonly by: 'bead'; readonly bead: string }
  | { readonly by: 'lock'; readonly name: string }
  | { readonly by: 'all' }
  /** Reservations, as far as none of these paths, which have uncommitted changes, is in them. */
  | { readonly by: 'unchanged'; readonly changed: readonly string[] };

interface Selected extends Split {
  readonly unmatched: readonly string[];
}

export function select(own: readonly Lease[], selection: Selection, c: DecisionContext): Selected {
  if (selection.by === 'all') {
    // A pause is ended by its own command, and never in passing.
    const whole = own.filter((lease) => !isPause(lease));
    return { whole, parts: [], unmatched: whole.length === 0 ? ['any lease'] : [] };
  }
  if (selection.by === 'bead')
    return exactly(
      own.filter((lease) => lease.kind === 'claim' && lease.bead === selection.bead),
      `bead ${selection.bead}`,
    );
  if (selection.by === 'lock')
    return exactly(
      own.filter((lease) => lease.kind === 'lock' && lease.name === selection.name),
      `lock ${selection.name}`,
    );
  if (selection.by === 'unchanged') {
    return { ...unchangedOf(own, selection.changed, c.folding), unmatched: [] };
  }
  const whole = new Set(own.filter(({ id }) => selection.ids.includes(id)));
  const parts: Part[] = [];
  const answered = new Set<string>();
  for (const lease of own) {
    if (lease.kind !== 'reservation' || whole.has(lease)) continue;
    const lost = lease.patterns.filter((held) => {
      const by = selection.patterns.filter((pattern) => frees(pattern, held, c));
      for (const pattern of by) answered.add(pattern);
      return by.length > 0;
    });
    const kept = lease.patterns.filter((held) => !lost.includes(held));
    if (kept.length === 0) whole.add(lease);
    else if (lost.length > 0) parts.push({ lease, kept, lost });
  }
  const known = new Set([...whole].map(({ id }) => id));
  return {
    whole: [...whole],
    parts,
    unmatched: [
      ...selection.ids.filter((id) => !known.has(id)),
      ...selection.patterns.filter((pattern) => !answered.has(pattern)),
    ],
  };
}

function exactly(found: readonly Lease[], named: string): Selected {
  return { whole: found, parts: [], unmatched: found.length === 0 ? [named] : [] };
}

/**
 * A pattern frees the same pattern, and the plain paths it matches: never a pattern that says more.
 * What was a file when it was reserved may be a folder by now, or the other way round: its name
 * frees it.
 */
function frees(pattern: string, held: string, c: DecisionContext): boolean {
  const path = pathOf(held);
  const isSameName = held === `${pattern}/**` || pattern === `${held}/**`;
  return pattern === held || isSameName || (path !== null && matches(pattern, path, c.folding));
}

export interface Release {
  readonly caller: Caller;
  readonly selection: Selection;
  /** What came of it: the exit code of a run, the cause of a failure. */
  readonly outcome: {
    readonly exit?: number;
    readonly failed?: boolean;
    readonly cause?: string;
    readonly reason?: string;
    readonly command?: string;
    readonly tree?: string;
  };
}

export interface Released {
  readonly leases: readonly Lease[];
  /** What was named besides and is not the agent's: whose it is, or nobody's. */
  readonly notReleased: readonly { readonly named: string; readonly heldBy: AgentName | null }[];
  /** Paths with uncommitted changes, which keep what they are in. */
  readonly kept: readonly string[];
}

export function decideRelease(
  request: Release,
  state: State,
  c: DecisionContext,
): Decision<Released> {
  const agent = recall(state, request.caller);
  if (agent !== null && !('startedAt' in agent)) return refused(agent);
  const { selection } = request;
  const own = [...state.leases.values()].filter((lease) => lease.agent.id === agent?.id);
  const { whole, parts, unmatched } = select(own, selection, c);
  const foreign = [...state.leases.values()].filter(
    (lease) =>
      lease.agent.id !== agent?.id &&
      (isNamedById(lease, selection) || (isNamed(lease, selection) && isActive(lease, c))),
  );
  // What is held is freed, whatever else was named with it: others wait for it.
  if (agent === null || whole.length + parts.length === 0) {
    const paths = selection.by === 'unchanged' ? changedIn(own, selection.changed, c) : [];
    const leases = own.filter(({ kind }) => kind === 'reservation');
    if (paths.length > 0) return refused({ kind: 'uncommitted', leases, paths });
    if (foreign.length > 0) return refused({ kind: 'not_owner', leases: foreign });
    const named = unmatched.length > 0 ? unmatched : ['any lease'];
    return refused({ kind: 'nothing_matched', named });
  }
  const who = nameOf(agent);
  const { leases, freed, events } = free(state.leases, agent, { whole, parts }, request.outcome);
  const touched = touch({ ...state, leases }, agent, c);
  const notReleased = unmatched.map((named) => ({ named, heldBy: holderOf(named, foreign) }));
  return {
    kind: 'change',
    actor: who,
    state: touched.state,
    events: [...events, ...touched.events],
    result: {
      leases: freed,
      notReleased,
      kept: selection.by === 'unchanged' ? changedIn(own, selection.changed, c) : [],
    },
  };
}

function holderOf(named: string, foreign: readonly Lease[]): AgentName | null {
  const names = ({ id, ...lease }: Lease): boolean =>
    id === named || (lease.kind === 'reservation' && lease.patterns.includes(named));
  const lease = foreign.find(names);
  return lease === undefined ? null : nameOf(lease.agent);
}

function isNamedById({ id }: Lease, selection: Selection): boolean {
  return selection.by === 'named' && selection.ids.includes(id);
}

function isNamed(lease: Lease, selection: Selection): boolean {
  switch (selection.by) {
    case 'named':
      return (
        lease.kind === 'reservation' &&
        lease.patterns.some((held) => selection.patterns.includes(held))
      );
    case 'bead':
      return lease.kind === 'claim' && lease.bead === selection.bead;
    case 'lock':
      return lease.kind === 'lock' && lease.name === selection.name;
    case 'all':
    case 'unchanged':
      return false;
  }
}

/** Gives up a place in the queue, and says why. */
export function decideLeaveLine(
  caller: Caller,
  waitId: string,
  why: string,
  state: State,
): Decision<{ readonly wait: Wait | null }> {
  const wait = state.waits.get(waitId);
  const agent: Agent | null = wait === undefined ? null : (state.agents.get(wait.agent.id) ?? null);
  if (wait === undefined || (agent !== null && agent.name !== caller.name))
    return { kind: 'same', result: { wait: null } };
  const ended: Event = { event: 'wait-ended', agent: wait.agent, ...facts(wait), why };
  return {
    kind: 'change',
    actor: wait.agent,
    state: { ...state, waits: amend(state.waits, [[wait.id, null]]) },
    events: [ended],
    result: { wait },
  };
}
