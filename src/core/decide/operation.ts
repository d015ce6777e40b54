/**
 * A decision made whole: what every operation takes along with its own change. What expired long ago
 * is cleared away, agents of the same clone are renewed together, requests that have no object any
 * more are closed.
 */
import type { Event } from '../event.ts';
import { limits } from '../limits.ts';
import type { State } from '../state.ts';
import { closeRequests } from './ask.ts';
import type { Decision, DecisionContext } from './decision.ts';
import { renewCloneAgents } from './renew.ts';
import { clear, leftovers } from './tidy.ts';

interface Completed {
  readonly state: State;
  readonly events: readonly Event[];
}

/** `cloneAgents` has the uptime of the last work of each agent that is renewed along with this one. */
export function complete<R>(
  { state, events, actor }: Extract<Decision<R>, { kind: 'change' }>,
  cloneAgents: ReadonlyMap<string, number>,
  c: DecisionContext,
): Completed {
  const old = leftovers(state, c, limits.leftoverMs);
  const others = { ...old, agents: old.agents.filter(({ id }) => id !== actor.id) };
  const cleared = clear(state, others, actor);
  const renewed = renewCloneAgents(cleared.state, cloneAgents, c);
  const closed = closeRequests(renewed.state, actor, c);
  return {
    state: closed.state,
    events: [...events, ...cleared.events, ...renewed.events, ...closed.events],
  };
}
