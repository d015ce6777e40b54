/** Something others have to know, that changes nothing but the record. */
import { nameOf } from '../agent.ts';
import type { Event } from '../event.ts';
import type { AgentName } from '../lease.ts';
import type { State } from '../state.ts';
import { type Decision, type DecisionContext, refused } from './decision.ts';
import { type Caller, enrol } from './enrol.ts';
import { touch } from './renew.ts';

export function decideTell(
  caller: Caller,
  eventsBy: (by: AgentName) => readonly Event[],
  state: State,
  c: DecisionContext,
): Decision<'told'> {
  const enrolled = enrol(state, caller, c);
  if (enrolled.kind !== 'enrolled') return refused(enrolled);
  const actor = nameOf(enrolled.agent);
  const touched = touch(enrolled.state, enrolled.agent, c);
  return {
    kind: 'change',
    actor,
    state: touched.state,
    events: [...enrolled.events, ...eventsBy(actor), ...touched.events],
    result: 'told',
  };
}
