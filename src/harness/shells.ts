/**
 * How the shells of an agent come to know whose they are, and have its own git and index: by a file
 * that they begin with, by what the harness gives them, or by lines before the command.
 */
import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Harness } from '../adapter/harness.ts';
import type { HookEvent } from '../adapter/hook-event.ts';
import { hookedBy } from '../agent/agent-programs.ts';
import { keyReference } from '../agent/harness-session.ts';
import { limits } from '../core/limits.ts';
import { shellQuote } from '../core/shell-line.ts';
import { openStage } from '../draft/stage.ts';
import { shellFile } from '../git/launcher.ts';
import { wordsOf } from '../git/processes.ts';
import { regularText } from '../git/regular-file.ts';
import { whoami } from '../loop/session.ts';
import { sharedFiles } from '../shim/files.ts';
import { writeShared } from '../shim/shared-file.ts';
import type { HarnessAgent } from './agent.ts';
import { noteCaller } from './caller-note.ts';
import { sessionFile, shellOfProcess } from './edit-note.ts';
import { placesOf } from './places.ts';

type Environment = Readonly<Record<string, string>>;

/** Where the shims and the session's git are. */
export interface Installed {
  readonly hooks: string;
}

/** By nothing where a command with lines before it might be refused for them. */
type Way = 'harness' | 'file' | 'lines' | 'nothing';

export function wayToShells(
  harness: Harness,
  { world }: HarnessAgent,
  env: NodeJS.ProcessEnv,
): Way {
  const { shellKnows, fileVariable, takesRewritten, passesBashEnv } = harness;
  if (shellKnows === 'all') return 'harness';
  if (shellKnows === 'file' || fileVariable !== undefined) return 'file';
  if (takesRewritten === undefined) return 'lines';
  const program = hookedBy(harness, env);
  if (program === null) return 'nothing';
  if (passesBashEnv && /\/coord\/shell$/.test(env['BASH_ENV'] ?? '')) return 'file';
  const places = placesOf(env, world.repository);
  return takesRewritten(wordsOf(String(program.pid)), places) ? 'lines' : 'nothing';
}

/** At the beginning of a session; what its harness can give to its shells itself. */
export async function beginShells(
  harness: Harness,
  agent: HarnessAgent,
  env: NodeJS.ProcessEnv,
  installed: Installed,
): Promise<Environment> {
  const way = wayToShells(harness, agent, env);
  const environment = await environmentFor(agent, way);
  if (way === 'file') noteShell(harness, agent, env, environment);
  exportTo(
    env[harness.fileVariable ?? ''],
    shellLines(harness, agent) ?? exportsOf(environment, installed),
  );
  return environment;
}

/** Lines that the command has to begin with, where nothing else says whose its shell is. */
export async function linesBefore(
  harness: Harness,
  agent: HarnessAgent,
  { tool, call, cwd }: HookEvent,
  env: NodeJS.ProcessEnv,
  installed: Installed,
): Promise<readonly string[]> {
  const way = wayToShells(harness, agent, env);
  if (way === 'harness' || way === 'nothing' || tool.kind !== 'shell') return [];
  const isOfSession = harness.shellKnows === 'session';
  if (isOfSession) {
    const stage = agent.who.subagent === null ? null : await stageFor(agent);
    if (await noteCaller(agent, call, stage, tool.command)) return [];
  }
  const environment = await environmentFor(agent, way);
  const readsFile = way === 'file' && !isOfSession;
  if (!readsFile && harness.passesBashEnv !== true) return exportsOf(environment, installed);
  noteShell(harness, agent, env, environment);
  return readsFile ? [] : [`. ${fileFrom(cwd, agent)}`];
}

/** Short, for people see the command with it. */
function fileFrom(cwd: string, { world }: HarnessAgent): string {
  const file = shellFile(world.repository);
  const near = join('.git', 'coord', 'shell');
  return file === join(cwd, near) ? near : shellQuote(file);
}

/** For the file that its shells begin with: by its session, else by the process they are of. */
function noteShell(
  harness: Harness,
  { world, who }: HarnessAgent,
  env: NodeJS.ProcessEnv,
  environment: Environment,
): void {
  const program = harness.sessionVariable === undefined ? hookedBy(harness, env) : null;
  const name = program === null ? sessionFile(who) : shellOfProcess(harness.name, program.pid);
  if (name === null) return;
  writeShared(world.repository, sharedFiles.shell, [name], {
    agent: environment['COORD_AGENT'] ?? '',
    key: environment['COORD_SESSION'] ?? '',
    stage: environment['COORD_STAGE'] ?? '',
  });
}

/** Whoever runs git commits from an index of its own: a subagent is on record from then on. */
async function stageFor({ world }: HarnessAgent): Promise<string | null> {
  const me = await whoami(world);
  return me.kind === 'done' ? openStage(world.repository, me.result).index : null;
}

/**
 * What a shell of this agent has to have: who it is and its stage; and, as lines, the git that uses
 * it.
 */
async function environmentFor(agent: HarnessAgent, way: Way): Promise<Environment> {
  const { world, who } = agent;
  const stage = way === 'nothing' ? null : await stageFor(agent);
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
