/**
 * The log is raised to the newest format, once and on request, so that every agent at work can read
 * on.
 */
import { type Agent, idleMs } from '../agent.ts';
import { formats, neededCoord } from '../format.ts';
import type { Now } from '../instant.ts';
import type { AgentName } from '../lease.ts';
import { limits } from '../limits.ts';
import type { State } from '../state.ts';
import type { Decision, DecisionContext } from './decision.ts';

export interface Raised {
  readonly isRaised: boolean;
  /** Who has to move on to a newer coord before. */
  readonly behind: readonly Agent[];
}

/** Agents at work here whose coord does not read the newest format, as far as they have said. */
export function behindFormat(state: State, now: Now): readonly Agent[] {
  const busy = new Set(
    [...state.leases.values(), ...state.waits.values()].map(({ agent }) => agent.id),
  );
  return [...state.agents.values()].filter(
    (agent) =>
      (agent.reads ?? formats.first) < formats.newest &&
      (busy.has(agent.id) || idleMs(agent, now) < limits.atWorkMs),
  );
}

export function decideRaise(by: AgentName, state: State, c: DecisionContext): Decision<Raised> {
  const behind = behindFormat(state, c.now);
  const from = state.meta.version;
  if (from >= formats.newest || behind.length > 0) {
    return { kind: 'same', result: { isRaised: false, behind } };
  }
  return {
    kind: 'change',
    actor: by,
    state: { ...state, meta: { ...state.meta, version: formats.newest, needs: neededCoord } },
    events: [{ event: 'raised', agent: by, from, to: formats.newest }],
    result: { isRaised: true, behind },
  };
}
