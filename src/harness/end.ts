/** How an agent of a harness ends: by its own session, or because its program is gone. */
import { sessionsGone } from '../agent/harness-session.ts';
import { agentNamed } from '../core/decide/enrol.ts';
import { parentName } from '../core/ids.ts';
import { handLinesOver } from '../draft/lines.ts';
import { dropDrafts } from '../draft/published.ts';
import { retireStage } from '../draft/stage-end.ts';
import { openRepository } from '../git/repository.ts';
import { lookAtAllLines } from '../guard/overwritten-lines.ts';
import { endSession } from '../loop/session.ts';
import { agentIfKnown, forget, type HarnessAgent } from './agent.ts';
import { dropNotes } from './edit-note.ts';
import { claimCommits } from './unheard-git.ts';

/** Only what is its own goes: a subagent leaves its parent's and its siblings' leases alone. */
export async function endAgent(agent: HarnessAgent): Promise<void> {
  const { world, who, known } = agent;
  await claimCommits(agent);
  const at = await world.store.observe();
  const { state } = at;
  await lookAtAllLines(world, at);
  const { name } = world.caller();
  const family = [...state.agents.values()].filter(
    (member) => member.name === name || member.name.startsWith(`${name}/`),
  );
  if (family.length > 0) {
    await endSession(world);
    // What a subagent has left uncommitted goes on with whoever sent it, that of a session with it
    // if it goes on.
    const parent = who.subagent === null ? null : agentNamed(state, parentName(name) ?? '');
    for (const { id } of family) {
      handLinesOver(world.repository, id, parent?.id ?? name);
      retireStage(world.repository, id);
    }
    dropDrafts(world.repository, family);
    dropNotes(world, who, known.process);
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
