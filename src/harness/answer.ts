/** What a moment of a harness's session means: one way for all of them. */
import type { Harness } from '../adapter/harness.ts';
import { type EventName, type HookAnswer, type HookEvent, quiet } from '../adapter/hook-event.ts';
import type { HarnessSession } from '../agent/harness-session.ts';
import { publishNowAndThen } from '../draft/published.ts';
import { followWorkTree } from '../guard/follow-work-tree.ts';
import { readyForLooks } from '../guard/work-tree.ts';
import { stayActive } from '../loop/activity.ts';
import {
  agentIfKnown,
  agentOf,
  type HarnessAgent,
  handOver,
  keepChild,
  noteProcess,
  takeOver,
} from './agent.ts';
import { teamTasks } from './agent-teams.ts';
import { speaksFirst, tellsAlone } from './beside.ts';
import { dropCaller, dropCallers } from './caller-note.ts';
import { news, welcome } from './context.ts';
import { beforeEdit } from './edit.ts';
import { dropNotes } from './edit-note.ts';
import { endAgent, endGone } from './end.ts';
import { writeFastPathNote } from './fast-path-note.ts';
import { isInstructed } from './instructions.ts';
import { changesByOpen, withChanges } from './open-shell.ts';
import { readyForReads, tidyReads } from './read-note.ts';
import { afterShell, beforeShell } from './shell.ts';
import { beginShells, type Installed, linesBefore } from './shells.ts';
import { claimCommits, isGitUnheard } from './unheard-git.ts';

export async function answer(
  harness: Harness,
  moment: EventName,
  told: HookEvent,
  env: NodeJS.ProcessEnv,
  installed: Installed,
): Promise<HookAnswer> {
  const who: HarnessSession = {
    harness: harness.name,
    session: told.session,
    subagent: told.subagent,
  };
  // The shim has noted what there is to note.
  if (moment === 'before-read') return quiet;
  // Which subagent has ended is not told by all: then it is none of its session's end.
  if (moment === 'subagent-stop' && told.subagent === null) return quiet;
  if (moment === 'session-end' || moment === 'subagent-stop') return ended(harness, told, env, who);
  if (moment === 'session-start' && told.why === 'clear') takeOver(harness, told.cwd, env, who);
  const agent = await agentOf(told.cwd, env, who);
  noteProcess(harness, agent, env);
  await claimCommits(agent);
  // Before all else: what the call is about to keep is to be what was there before it.
  const changes = await changesByOpen(agent, told);
  // What is not heard is not told yet.
  const isHeard = harness.write({ kind: 'context', text: '.' }, moment, told) !== '';
  const answered = await answerOf(harness, agent, moment, told, { env, installed, isHeard });
  const said = withChanges(agent, changes, answered, isHeard);
  await stayActive(agent.world, false);
  await writeFastPathNote(agent);
  const at = await agent.world.store.observe();
  publishNowAndThen(agent.world, at);
  followWorkTree(agent.world, at);
  return said;
}

interface Surroundings {
  readonly env: NodeJS.ProcessEnv;
  readonly installed: Installed;
  readonly isHeard: boolean;
}

async function answerOf(
  harness: Harness,
  agent: HarnessAgent,
  moment: Exclude<EventName, 'before-read' | 'session-end' | 'subagent-stop'>,
  told: HookEvent,
  { env, installed, isHeard }: Surroundings,
): Promise<HookAnswer> {
  const newsNow = async (): Promise<HookAnswer> =>
    isHeard ? context(await tellsAlone(agent, () => news(agent.world))) : quiet;
  switch (moment) {
    case 'session-start': {
      const said = await begun(harness, agent, env, installed, isHeard);
      if (speaksFirst(agent, `${moment}.${told.why}`)) return said;
      return harness.fileVariable === undefined ? { ...said, text: '' } : quiet;
    }
    case 'prompt':
      tidyReads(agent.world.repository, agent.who);
      return newsNow();
    case 'after-edit':
      return newsNow();
    case 'subagent-start':
    case 'compact':
      if (moment === 'subagent-start') readyForReads(agent.world.repository, agent.who);
      if (moment === 'subagent-start' && harness.hasInnerSessions === true) keepChild(agent);
      return isHeard && speaksFirst(agent, moment)
        ? context(await welcomeTo(harness, agent, env, false))
        : quiet;
    case 'before-edit': {
      const said = await unlessGone(() => beforeEdit(agent, told), told, env);
      return said.kind === 'quiet' ? newsNow() : said;
    }
    case 'before-shell':
      return unlessGone(
        () =>
          beforeShell(agent, told, {
            lines: () => linesBefore(harness, agent, told, env, installed),
            unheard: isGitUnheard(harness, agent, env) ? harness : null,
          }),
        told,
        env,
      );
    case 'after-shell':
      dropCaller(agent, told.call);
      return afterShell(agent, told, isHeard);
  }
}

/** `isStart`: where messages are told as well. */
function welcomeTo(
  harness: Harness,
  agent: HarnessAgent,
  env: NodeJS.ProcessEnv,
  isStart: boolean,
): Promise<string> {
  const { world, who } = agent;
  return welcome(world, {
    isStart,
    isInstructed: isInstructed(world.repository.top, harness.instructions),
    more: teamTasks(harness, who.session, env, world.settings.agentTeams),
  });
}

function context(text: string): HookAnswer {
  return text === '' ? quiet : { kind: 'context', text };
}

async function begun(
  harness: Harness,
  agent: HarnessAgent,
  env: NodeJS.ProcessEnv,
  installed: Installed,
  isHeard: boolean,
): Promise<HookAnswer & { readonly kind: 'context' }> {
  const environment = await beginShells(harness, agent, env, installed);
  readyForLooks(agent.world.repository);
  readyForReads(agent.world.repository, agent.who);
  await endGone(agent.world.repository.top, env);
  return { kind: 'context', text: await welcomeTo(harness, agent, env, isHeard), environment };
}

/** What stands in the way of it may be of a program that was killed: then it is asked once more. */
async function unlessGone(
  ask: () => Promise<HookAnswer>,
  { cwd }: HookEvent,
  env: NodeJS.ProcessEnv,
): Promise<HookAnswer> {
  const said = await ask();
  if (said.kind === 'deny' && said.isOnce) return { kind: 'deny', reason: said.reason };
  return said.kind === 'deny' && (await endGone(cwd, env)) ? ask() : said;
}

async function ended(
  harness: Harness,
  told: HookEvent,
  env: NodeJS.ProcessEnv,
  who: HarnessSession,
): Promise<HookAnswer> {
  const agent = agentIfKnown(told.cwd, env, who);
  if (agent !== null) dropCallers(agent);
  if (
    agent === null ||
    (who.subagent === null && told.why === 'clear' && handOver(harness, agent, env))
  ) {
    // Who goes on in another session has forgotten what was read in this one.
    if (agent !== null) dropNotes(agent.world, who);
    return quiet;
  }
  await changesByOpen(agent, told);
  followWorkTree(agent.world, await agent.world.store.observe(), true);
  await endAgent(agent);
  return quiet;
}
