/** How an agent of a harness ends: by its own session, or because its program is gone. */
import { sessionsGone } from '../agent/harness-session.ts';
import { retireStage } from '../draft/stage-end.ts';
import { openRepository } from '../git/repository.ts';
import { endSession } from '../loop/session.ts';
import { agentIfKnown, forget, type HarnessAgent } from './agent.ts';
import { dropNotes } from './edit-note.ts';

/** Only what is its own goes: a subagent leaves its parent's and its siblings' leases alone. */
export async function endAgent(agent: HarnessAgent): Promise<void> {
  const { world, who } = agent;
  const { state } = await world.store.observe();
  const { name } = world.caller();
  const family = [...state.agents.values()].filter(
    (member) => member.name === name || member.name.startsWith(`${name}/`),
  );
  if (family.length > 0) {
    await endSession(world);
    for (const { id } of family) retireStage(world.repository, id);
    dropNotes(world, who);
  }
  forget(agent);
}

/** Ends sessions whose program was killed; says whether there was one. */
export async function endGone(cwd: string, env: NodeJS.ProcessEnv): Promise<boolean> {
  const gone = sessionsGone(openRepository(cwd, env).commonDir).flatMap(
    (who) => agentIfKnown(cwd, env, who) ?? [],
  );
  for (const agent of gone) await endAgent(agent);
  return gone.length > 0;
}
