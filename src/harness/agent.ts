/** Whose call it is: the agent of a harness's session, begun by the first hook that tells of it. */
import type { Harness } from '../adapter/harness.ts';
import { hookedBy } from '../agent/agent-programs.ts';
import {
  childName,
  dropSession,
  type HarnessSession,
  type KnownSession,
  keepSession,
  knownSession,
  nameFor,
  parseKnown,
} from '../agent/harness-session.ts';
import { type RealWorld, realWorld } from '../agent/world.ts';
import { CoordError } from '../core/errors.ts';
import { parentName } from '../core/ids.ts';
import { handLinesOver } from '../draft/lines.ts';
import { takeLocal, writeLocal } from '../git/local.ts';
import { isSame } from '../git/process-mark.ts';
import { openRepository } from '../git/repository.ts';
import { startSession } from '../loop/session.ts';

export interface HarnessAgent {
  readonly who: HarnessSession;
  /** Of the session itself, also where a subagent calls. */
  readonly known: KnownSession;
  readonly world: RealWorld;
}

function worldOf(
  cwd: string,
  env: NodeJS.ProcessEnv,
  { subagent }: HarnessSession,
  known: KnownSession,
): RealWorld {
  const name = subagent === null ? known.name : childName(known.name, subagent);
  // A hook looks by itself, and all the time.
  return realWorld({
    cwd,
    env: { ...env, COORD_AGENT: name, COORD_SESSION: known.key },
    isPatient: true,
  });
}

const tries = 20;
const pauseMs = 25;

/** Two hooks may tell of a new session at once: one of them begins it, the other finds it begun. */
export async function agentOf(
  cwd: string,
  env: NodeJS.ProcessEnv,
  who: HarnessSession,
): Promise<HarnessAgent> {
  const { commonDir } = openRepository(cwd, env);
  for (let i = 0; i < tries; i += 1) {
    const known = knownSession(commonDir, who);
    if (known !== null) return { who, known, world: worldOf(cwd, env, who, known) };
    // Its name is taken where what we knew of it was deleted: then it goes on under the next one.
    const { COORD_AGENT: _agent, COORD_SESSION: _key, ...nameless } = env;
    const world = realWorld({
      cwd,
      env: nameless,
      agent: i < tries / 2 ? nameFor(who) : `${nameFor(who)}-${i}`,
    });
    const outcome = await startSession(world, undefined);
    const { agent = null, key = null } = outcome.kind === 'done' ? outcome.result : {};
    if (agent !== null && key !== null) {
      keepSession(commonDir, who, { name: agent.name, agentId: agent.id, key });
      // It may go on after its end.
      handLinesOver(world.repository, agent.name, agent.id);
    } else await world.clock.sleep(pauseMs);
  }
  throw new CoordError(
    'busy',
    `no session could be begun for ${nameFor(who)}`,
    'coord session list',
  );
}

/** A session that nobody has told of yet is none to end. */
export function agentIfKnown(
  cwd: string,
  env: NodeJS.ProcessEnv,
  who: HarnessSession,
): HarnessAgent | null {
  const known = knownSession(openRepository(cwd, env).commonDir, who);
  return known === null ? null : { who, known, world: worldOf(cwd, env, who, known) };
}

/** So that shells which do not say which session they are of find it by the process they are of. */
export function noteProcess(
  harness: Harness,
  { world, who, known }: HarnessAgent,
  env: NodeJS.ProcessEnv,
): void {
  // A subagent that is a session to its own subagents is found by its session.
  const process = parentName(known.name) === null ? hookedBy(harness, env) : null;
  if (process !== null && (known.process === undefined || !isSame(process, known.process)))
    keepSession(world.repository.commonDir, who, { ...known, process });
}

/**
 * `/clear` ends one session and begins another in one process: who was there before goes on in the
 * new one.
 */
function handOverName(harness: Harness, env: NodeJS.ProcessEnv): string | null {
  const said = env[harness.processVariable ?? ''] ?? '';
  if (/^\d{1,10}$/.test(said)) return `handover/${harness.name}-${said}`;
  const process = hookedBy(harness, env);
  return process === null ? null : `handover/${harness.name}-${process.pid}-${process.start}`;
}

export function handOver(harness: Harness, agent: HarnessAgent, env: NodeJS.ProcessEnv): boolean {
  const name = handOverName(harness, env);
  if (name === null) return false;
  writeLocal(agent.world.repository.commonDir, name, JSON.stringify(agent.known), 0o600);
  forget(agent);
  return true;
}

export function takeOver(
  harness: Harness,
  cwd: string,
  env: NodeJS.ProcessEnv,
  who: HarnessSession,
): void {
  const { commonDir } = openRepository(cwd, env);
  const name = handOverName(harness, env);
  const known = name === null ? null : parseKnown(takeLocal(commonDir, name));
  if (known !== null && knownSession(commonDir, who) === null) keepSession(commonDir, who, known);
}

/** By the child's own id its children find whose they are. */
export function keepChild({ world, who, known }: HarnessAgent): void {
  const { harness, subagent } = who;
  if (subagent === null) return;
  const { agentId, key } = known;
  const child = { harness, session: subagent, subagent: null };
  const name = childName(known.name, subagent);
  keepSession(world.repository.commonDir, child, { name, agentId, key });
}

export function forget({ world, who }: HarnessAgent): void {
  const session = who.subagent ?? who.session;
  dropSession(world.repository.commonDir, { ...who, session, subagent: null });
}
