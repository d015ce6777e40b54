/** The life of an agent: its session begins, moves to another key, and ends. */
import { type Agent, nameOf } from '../core/agent.ts';
import { type Decide, refused } from '../core/decide/decision.ts';
import { enrol } from '../core/decide/enrol.ts';
import { decideHandOff } from '../core/decide/finish.ts';
import { decideAdopt, decideEnd, decideStart } from '../core/decide/session.ts';
import { hashKey } from '../core/hash.ts';
import { parseReason } from '../core/ids.ts';
import type { AgentName, Lease } from '../core/lease.ts';
import { operate } from './operate.ts';
import { type Outcome, outcomeOf } from './outcome.ts';
import type { World } from './world.ts';

export interface SessionOpened {
  readonly agent: Agent;
  /** The secret of the session; null where its parent has it. */
  readonly key: string | null;
}

export async function startSession(
  world: World,
  parentKey: string | undefined,
  takes: string | null = null,
): Promise<Outcome<SessionOpened>> {
  const key = world.random.key();
  const request = { caller: world.caller(), newSession: hashKey(key), takes };
  const outcome = await operate(world, (state, c) => decideStart(request, state, c), {
    isAdvisable: true,
  });
  return outcomeOf(world, outcome, ({ agent }) => ({
    agent,
    key: agent.session === request.newSession ? key : (parentKey ?? null),
  }));
}

export async function adoptSession(
  world: World,
  token: string,
  host: string,
): Promise<Outcome<SessionOpened>> {
  const key = world.random.key();
  const request = { token: hashKey(token), newSession: hashKey(key), host };
  const outcome = await operate(world, (state, c) => decideAdopt(request, state, c));
  return outcomeOf(world, outcome, ({ agent }) => ({ agent, key }));
}

export interface SessionEnded {
  readonly agent: AgentName;
  readonly leases: readonly Lease[];
}

export async function endSession(
  world: World,
  handOff?: { readonly to: string | null; readonly reason: string },
): Promise<Outcome<SessionEnded>> {
  const caller = world.caller();
  const outcome = await operate(world, (state, c) =>
    handOff === undefined
      ? decideEnd(caller, state)
      : decideHandOff({ caller, to: handOff.to, reason: parseReason(handOff.reason) }, state, c),
  );
  return outcomeOf(world, outcome, (ended) => ended);
}

/** Registers the caller if it is new, so that the id it is told is the one it keeps. */
export async function whoami(world: World): Promise<Outcome<Agent>> {
  const caller = world.caller();
  const decide: Decide<Agent> = (state, c) => {
    const enrolled = enrol(state, caller, c);
    if (enrolled.kind !== 'enrolled') return refused(enrolled);
    const { agent, events } = enrolled;
    return events.length === 0
      ? { kind: 'same', result: agent }
      : { kind: 'change', state: enrolled.state, events, actor: nameOf(agent), result: agent };
  };
  return outcomeOf(world, await operate(world, decide, { isAdvisable: true }), (agent) => agent);
}
