/** What a moment of a harness's session means: one way for all of them. */
import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Harness } from '../adapter/harness.ts';
import { harnessNamed } from '../adapter/harnesses.ts';
import { type EventName, type HookAnswer, type HookEvent, quiet } from '../adapter/hook-event.ts';
import { type HarnessSession, keyReference } from '../agent/harness-session.ts';
import { limits } from '../core/limits.ts';
import { shellQuote } from '../core/shell-line.ts';
import { openStage } from '../draft/stage.ts';
import { shellFile } from '../git/launcher.ts';
import { regularText } from '../git/regular-file.ts';
import { readyForLooks } from '../guard/work-tree.ts';
import { stayActive } from '../loop/activity.ts';
import { whoami } from '../loop/session.ts';
import { sharedFiles } from '../shim/files.ts';
import { writeShared } from '../shim/shared-file.ts';
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
import { dropCaller, dropCallers, noteCaller } from './caller-note.ts';
import { news, welcome } from './context.ts';
import { beforeEdit } from './edit.ts';
import { sessionFile } from './edit-note.ts';
import { endAgent, endGone } from './end.ts';
import { writeFastPathNote } from './fast-path-note.ts';
import { isInstructed } from './instructions.ts';
import { changesByOpen, withChanges } from './open-shell.ts';
import { afterShell, beforeShell } from './shell.ts';

type Environment = Readonly<Record<string, string>>;

/** Where the shims and the session's git are. */
interface Installed {
  readonly hooks: string;
}

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
  // Which subagent has ended is not told by all: then it is none of its session's end.
  if (moment === 'subagent-stop' && told.subagent === null) return quiet;
  if (moment === 'session-end' || moment === 'subagent-stop') return ended(harness, told, env, who);
  if (moment === 'session-start' && told.why === 'clear') takeOver(harness, told.cwd, env, who);
  const agent = await agentOf(told.cwd, env, who);
  noteProcess(harness, agent, env);
  // Before all else: what the call is about to keep is to be what was there before it.
  const changes = await changesByOpen(agent, told);
  // What is not heard is not told yet.
  const isHeard = harness.write({ kind: 'context', text: '.' }, moment, told) !== '';
  const answered = await answerOf(harness, agent, moment, told, { env, installed, isHeard });
  const said = withChanges(agent, changes, answered, isHeard);
  await stayActive(agent.world, false);
  await writeFastPathNote(agent);
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
  moment: Exclude<EventName, 'session-end' | 'subagent-stop'>,
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
    case 'after-edit':
      return newsNow();
    case 'subagent-start':
    case 'compact':
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
        () => beforeShell(agent, told, () => shellOf(harness, agent, told, installed)),
        told,
        env,
      );
    case 'after-shell':
      dropCaller(agent, told.call);
      return afterShell(agent, told, isHeard);
  }
}

/**
 * Lines that the command has to begin with, so that its shell knows who it is. A command that is
 * rewritten may be another one to the program's own permissions: only where nothing else says it.
 */
async function shellOf(
  { shellKnows }: Harness,
  agent: HarnessAgent,
  { tool, call }: HookEvent,
  installed: Installed,
): Promise<readonly string[]> {
  if (shellKnows === 'all' || tool.kind !== 'shell') return [];
  if (shellKnows === 'session') {
    const stage = agent.who.subagent === null ? null : await stageFor(agent);
    if (await noteCaller(agent, call, stage, tool.command)) return [];
  }
  const environment = await environmentFor(agent);
  if (shellKnows !== 'file') return exportsOf(environment, installed);
  noteShell(agent, environment);
  return [];
}

/** For the file that its shells begin with. */
function noteShell({ world, who }: HarnessAgent, environment: Environment): void {
  const session = sessionFile(who);
  if (session === null) return;
  writeShared(world.repository, sharedFiles.shell, [session], {
    agent: environment['COORD_AGENT'] ?? '',
    key: environment['COORD_SESSION'] ?? '',
    stage: environment['COORD_STAGE'] ?? '',
  });
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

/** Whoever runs git commits from an index of its own: a subagent is on record from then on. */
async function stageFor({ world, who }: HarnessAgent): Promise<string | null> {
  const me = await whoami(world);
  return me.kind === 'done' && harnessNamed(who.harness).withoutStage !== true
    ? openStage(world.repository, me.result).index
    : null;
}

/**
 * What a shell of this agent has to have: who it is and its stage; and, as lines, the git that uses
 * it.
 */
async function environmentFor(agent: HarnessAgent): Promise<Environment> {
  const { world, who } = agent;
  const stage = await stageFor(agent);
  return {
    COORD_AGENT: world.caller().name,
    COORD_SESSION: keyReference(who),
    ...(stage === null ? {} : { COORD_STAGE: stage }),
  };
}

function exportsOf(environment: Environment, { hooks }: Installed): readonly string[] {
  return [
    ...Object.entries(environment).map(([name, value]) => `export ${name}=${shellQuote(value)}`),
    `export PATH=${shellQuote(join(hooks, 'bin'))}:"$PATH"`,
  ];
}

async function begun(
  harness: Harness,
  agent: HarnessAgent,
  env: NodeJS.ProcessEnv,
  installed: Installed,
  isHeard: boolean,
): Promise<HookAnswer & { readonly kind: 'context' }> {
  const environment = await environmentFor(agent);
  noteShell(agent, environment);
  exportTo(
    env[harness.fileVariable ?? ''],
    shellLines(harness, agent) ?? exportsOf(environment, installed),
  );
  readyForLooks(agent.world.repository);
  await endGone(agent.world.repository.top, env);
  return { kind: 'context', text: await welcomeTo(harness, agent, env, isHeard), environment };
}

/**
 * What the shells of the session begin with. It finds what belongs to them when they do: a session
 * that goes on may be given the file that it had before, and not be told so.
 */
function shellLines(
  { name, sessionVariable }: Harness,
  { world, who }: HarnessAgent,
): readonly string[] | null {
  if (sessionVariable === undefined || sessionFile(who) === null) return null;
  const file = shellQuote(shellFile(world.repository));
  const common = shellQuote(world.repository.commonDir);
  return [
    `coord_session=${name}+"\${${sessionVariable}:-${who.session}}" coord_common=${common}; [ ! -f ${file} ] || . ${file}`,
  ];
}

/** The harness runs this file before each command of the session: what it has of ours is there once. */
function exportTo(file: string | undefined, lines: readonly string[]): void {
  if (file === undefined || file === '') return;
  const text = regularText(file, limits.projectFileBytes) ?? '';
  const block = `${lines.join('\n')}\n`;
  if (text.includes(block)) return;
  // Lines of ours from before go; all else stays to the byte.
  const isOurs = (line: string): boolean =>
    lines.includes(line) || /^(export COORD_(AGENT|SESSION|STAGE)|coord_session)=/.test(line);
  const others = text
    .split('\n')
    .filter((line) => !isOurs(line))
    .join('\n');
  if (others === text) appendFileSync(file, block);
  else
    writeFileSync(file, `${others}${others === '' || others.endsWith('\n') ? '' : '\n'}${block}`);
}

/** What stands in the way of it may be of a program that was killed: then it is asked once more. */
async function unlessGone(
  ask: () => Promise<HookAnswer>,
  { cwd }: HookEvent,
  env: NodeJS.ProcessEnv,
): Promise<HookAnswer> {
  const said = await ask();
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
  )
    return quiet;
  await changesByOpen(agent, told);
  await endAgent(agent);
  return quiet;
}
