/**
 * Who is behind a hook, and which index git worked with: read from the environment that git passed
 * on.
 */
import { resolve } from 'node:path';
import { harnessIn } from '../agent/harness-session.ts';
import { isAgentIn } from '../agent/identity.ts';
import type { RealWorld } from '../agent/world.ts';
import type { Agent } from '../core/agent.ts';
import { agentNamed } from '../core/decide/enrol.ts';
import { limits } from '../core/limits.ts';
import { pauseIn, pauseReason } from '../core/pause.ts';
import { repositoryStage, type Stage, stageOf } from '../draft/stage-base.ts';
import { openStages } from '../draft/stage-end.ts';
import { commandBehind, type GitCommand } from '../git/git-command.ts';
import { isLocked } from '../git/index-file.ts';
import type { Observation } from '../log/log-store.ts';
import type { Who } from './evaluate.ts';

export interface HookCaller {
  readonly who: Who;
  /** As on record; null for a person, and for an agent that never said anything to coord. */
  readonly agent: Agent | null;
  readonly stage: Stage;
  /**
   * An agent that works with stages, here or elsewhere, and used the repository's index in a work
   * tree of sessions.
   */
  readonly pastStage: boolean;
  /** Neither a stage nor the repository's own: nobody knows what it is based on. */
  readonly usesUnknownIndex: boolean;
  /** The git command that asks, where that can be told. */
  command(): GitCommand | null;
}

export function hookCaller(
  world: RealWorld,
  at: Observation,
  env: NodeJS.ProcessEnv,
  cwd: string,
): HookCaller {
  const isAgent = isAgentIn(env);
  const agent = isAgent ? agentNamed(at.state, world.caller().name) : null;
  const { repository } = world;
  const own = agent === null ? null : stageOf(repository, agent.id);
  const hasStage = own !== null && env['COORD_STAGE'] === own.index;
  const used = env['GIT_INDEX_FILE'];
  const repositoryIndex = repositoryStage(repository).index;
  const file = used === undefined || used === '' ? repositoryIndex : resolve(cwd, used);
  // `commit -a` works on the lock of an index, `commit -- paths` on a file of its own beside a
  // locked one.
  const usesStage =
    hasStage &&
    (file === own.index ||
      file === `${own.index}.lock` ||
      (/\/next-index-\d+\.lock$/.test(file) && isLocked(own.index)));
  const isTemporary = file === `${repositoryIndex}.lock` || /\/next-index-\d+\.lock$/.test(file);
  const usesUnknownIndex = !usesStage && file !== repositoryIndex && !isTemporary;
  let command: GitCommand | null | undefined;
  const worksWithStages =
    agent !== null &&
    agent.session !== null &&
    !isWithoutStage(env) &&
    openStages(repository).length > 0;
  return {
    who: { name: () => world.caller().name, isAgent },
    agent,
    stage: usesStage ? own : repositoryStage(repository),
    pastStage: (hasStage || worksWithStages) && !usesStage,
    usesUnknownIndex,
    command: () =>
      command === undefined ? (command = commandBehind(env['COORD_GIT_PID'])) : command,
  };
}

/** Is it a shell that has no stage because its program could not be made to give it one? */
function isWithoutStage(env: NodeJS.ProcessEnv): boolean {
  const harness = harnessIn(env);
  return (
    harness !== null &&
    (harness.shellKnows === 'file' || harness.takesRewritten !== undefined) &&
    (env['COORD_STAGE'] ?? '') === ''
  );
}

/** Nobody holds anything and no session is open: there is nothing to guard until the log moves. */
export function isIdle({ state }: Observation): boolean {
  return (
    state.leases.size === 0 && [...state.agents.values()].every(({ session }) => session === null)
  );
}

/** Why everything passes at present, if it does. */
export function pausedFor(world: RealWorld, { state }: Observation): string | null {
  const pause = pauseIn(state, world.clock.now());
  return pause === null ? null : pauseReason(pause);
}

export const overrideVariable = 'COORD_OVERRIDE';

export function overrideOf(env: NodeJS.ProcessEnv, who: Who): string | null {
  const why = (env[overrideVariable] ?? '').trim();
  return who.isAgent || why === '' ? null : why.slice(0, limits.reasonChars);
}
