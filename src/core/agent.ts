/**
 * Who acts: one agent session, one of its subagents, or a person. An agent has one id from birth to
 * end. A name under which a session was started belongs to that session: whoever acts under it
 * shows the session's key, of which only the hash is on record.
 */

import { elapsedMs, type Now, type Stamp } from './instant.ts';
import type { AgentName } from './lease.ts';
import type { Carried } from './unknown.ts';

export type AgentKind = 'agent' | 'subagent' | 'person';

export interface Agent extends AgentName, Carried {
  readonly kind: AgentKind;
  /** Hash of the session's key, or null for one that only said its name. */
  readonly session: string | null;
  readonly host: string;
  readonly startedAt: number;
  readonly active: Stamp;
  /** The newest format of the log that its coord reads; absent for the first. */
  readonly reads?: number;
}

/** Who repairs the log and gives it a new root. */
export const coordItself: AgentName = { id: 'coordlog', name: 'coord' };

export function nameOf(agent: AgentName): AgentName {
  return { id: agent.id, name: agent.name };
}

/** Of one that has ended the name alone may be known. */
export function showAgent({ id, name }: AgentName): string {
  return id === name ? name : `${name} (${id})`;
}

/** What `showAgent` has written; null where it is anything else. */
export function agentShown(text: string): AgentName | null {
  const [, name, id] = /^(\S+) \(([0-9a-z]{8})\)$/.exec(text) ?? [];
  return name === undefined || id === undefined ? null : { id, name };
}

export function idleMs(agent: Agent, now: Now): number {
  return elapsedMs(agent.id, agent.active, now);
}
