/**
 * What an operation says is over by time, of others: whoever has seen the renewals come by can say
 * whether that may be.
 */
import { showAgent } from './agent.ts';
import type { Entry } from './entry.ts';
import { areKin } from './ids.ts';
import type { Stamp } from './instant.ts';
import { type AgentName, describe, protectionOf, usual } from './lease.ts';
import { limits } from './limits.ts';
import { isPause } from './pause.ts';
import { claimsOf } from './rights.ts';
import type { State } from './state.ts';

/** What is over once nobody has renewed it for so long. */
export interface Timed {
  readonly id: string;
  /** Whose it is; an agent is its own. */
  readonly agent: AgentName;
  readonly renewed: Stamp;
  readonly ttlMs: number;
  readonly what: string;
}

/** All of a state that ends by time: leases, places in line, agents, and questions. */
export function timed({ leases, waits, agents, requests }: State): readonly Timed[] {
  return [
    ...[...leases.values()].map((lease) => ({
      ...lease,
      what: `${describe(lease)} of ${showAgent(lease.agent)}`,
    })),
    ...[...waits.values()].map((wait) => ({
      ...wait,
      ttlMs: limits.waitRemoteTtlMs,
      what: `the wait of ${showAgent(wait.agent)} for ${describe(wait)}`,
    })),
    ...[...agents.values()].map((agent) => ({
      id: agent.id,
      agent,
      renewed: agent.active,
      ttlMs: limits.agentIdleMs,
      what: showAgent(agent),
    })),
    ...[...requests.values()].map(({ id, from, asked, what }) => ({
      id,
      agent: from,
      renewed: asked,
      ttlMs: limits.requestAgeMs,
      what: `the request of ${showAgent(from)} for ${describe(what)}`,
    })),
  ];
}

/**
 * What of others' it says is over by time; where a log is put together again, what had ended once
 * is not held a second time.
 */
export function expiredForOthers(entry: Entry, before: State, after: State): readonly Timed[] {
  const told = claimsOf(entry);
  if (told.isRepaired) return [];
  const left = new Set(timed(after).map(({ id }) => id));
  return timed(before).filter(
    (each) =>
      !left.has(each.id) &&
      !told.isOwn(each) &&
      told.of(each.id, ['expired', 'wait-ended', 'ended']),
  );
}

/** A lease that is taken from its holder by force. */
export interface Broken {
  /** Its holder has been silent for so long: the lease and whoever has it, both. */
  readonly silence: readonly Timed[];
  /** Or one of these was left without an answer. */
  readonly unanswered: readonly Timed[];
}

export function brokenForOthers(entry: Entry, before: State): readonly Broken[] {
  const told = claimsOf(entry);
  return [...before.leases.values()]
    .filter((lease) => !isPause(lease) && !told.isOwn(lease) && told.of(lease.id, ['broken']))
    .map((lease) => {
      const ttlMs = protectionOf(lease, usual).breakMs;
      const concerned = new Set([lease.id, lease.agent.id]);
      const all = timed(before);
      const requests = [...before.requests.values()].filter(
        ({ lease: id, token, from }) =>
          id === lease.id && token === lease.token && areKin(from.name, told.who.name),
      );
      return {
        silence: all.filter(({ id }) => concerned.has(id)).map((each) => ({ ...each, ttlMs })),
        unanswered: requests.map(({ id, from, asked, urgent }) => ({
          id,
          agent: from,
          renewed: asked,
          ttlMs: (urgent ? 1 : 2) * ttlMs,
          what: `the request of ${showAgent(from)}`,
        })),
      };
    });
}
