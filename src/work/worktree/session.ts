/** Who works in a work tree, and with what: a session of its own or the one that asks. */
import type { RealWorld } from '../../agent/world.ts';
import { nameOf } from '../../core/agent.ts';
import { agentNamed } from '../../core/decide/enrol.ts';
import { hashKey } from '../../core/hash.ts';
import type { AgentName } from '../../core/lease.ts';
import { openStage } from '../../draft/stage.ts';
import { seenFrom, type WorkTree } from '../../git/work-trees.ts';
import { type Outcome, seen } from '../../loop/outcome.ts';
import { startSession, whoami } from '../../loop/session.ts';
import { noteHere } from '../../shim/here.ts';

interface Opened {
  readonly agent: AgentName;
  /** The secret of a session that has begun with it; null where there was one. */
  readonly key: string | null;
  readonly isPerson: boolean;
}

export interface WorkSession extends Opened {
  /** Its private index; null for a person, who uses git's own. */
  readonly stage: string | null;
}

/**
 * An agent begins a session, unless it asks from within its own; a person needs none. `shown` is
 * the key of the session that asks.
 */
export async function openSession(
  world: RealWorld,
  shown: string | undefined,
): Promise<Outcome<Opened>> {
  const at = await world.store.observe();
  const caller = world.caller();
  const known = agentNamed(at.state, caller.name);
  const isPerson = (known?.kind ?? caller.kind) === 'person';
  const session = known?.session ?? null;
  const isOwn =
    session !== null &&
    (session === caller.session || (shown !== undefined && session === hashKey(shown)));
  if (isPerson || isOwn) {
    const me = await whoami(world);
    if (me.kind === 'refused') return me;
    const result = { agent: nameOf(me.result), key: null, isPerson };
    return { ...seen(world, me.at), kind: 'done', result };
  }
  const started = await startSession(world, shown);
  if (started.kind === 'refused') return started;
  const { agent, key } = started.result;
  return {
    ...seen(world, started.at),
    kind: 'done',
    result: { agent: nameOf(agent), key, isPerson },
  };
}

/** With a private index in the work tree. */
export function sessionIn({ repository }: RealWorld, tree: WorkTree, opened: Opened): WorkSession {
  noteHere(tree, opened.agent.id);
  const place = seenFrom(repository, tree);
  return { ...opened, stage: opened.isPerson ? null : openStage(place, opened.agent).index };
}
