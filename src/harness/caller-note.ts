/**
 * Which subagent of a session runs a command, where all its shells share one environment: noted
 * before the command, and found by the shell (hooks/shell-callers) by the text of the command. Two
 * calls of one text wait for each other, so that a note is never taken by the wrong one.
 */
import { rmdirSync } from 'node:fs';
import { dirname } from 'node:path';
import type { RealWorld } from '../agent/world.ts';
import { limits } from '../core/limits.ts';
import { dropLocal, listLocal, readLocal } from '../git/local.ts';
import { sharedFiles } from '../shim/files.ts';
import { readShared, sharedPath, sharedPlace, writeShared } from '../shim/shared-file.ts';
import type { HarnessAgent } from './agent.ts';
import { sessionFile } from './edit-note.ts';

/** However the program quotes it, and whatever input it gives it, this stays as it is. */
function unquoted(command: string): string {
  return command.replaceAll('/dev/null', '').replace(/[\s'"\\<]/g, '');
}

function folderOf({ repository }: RealWorld, session: string): string {
  return dirname(sharedPath(repository, sharedFiles.caller, session, 'any'));
}

/** The calls that have a note. */
function noted({ repository }: RealWorld, session: string): readonly string[] {
  const [place, name] = sharedPlace(repository, sharedFiles.caller, session, 'any');
  return listLocal(place, dirname(name));
}

const pauseMs = 20;

/** Waits until no other call has this text; false where that takes too long. */
async function isOnlyOne(
  world: RealWorld,
  session: string,
  call: string,
  command: string,
): Promise<boolean> {
  const isSame = (name: string): boolean =>
    name !== call &&
    readShared(world.repository, sharedFiles.caller, session, name)?.split('\n')[2] === command;
  for (let waited = 0; noted(world, session).some(isSame); waited += pauseMs) {
    if (waited >= limits.callerMs) return false;
    await world.clock.sleep(pauseMs);
  }
  return true;
}

/**
 * Says to the shell of this call whose it is; false where the shell could not tell it from another,
 * and has to be told by the command itself. The session's own calls have no note.
 */
export async function noteCaller(
  { world, who }: HarnessAgent,
  call: string | null,
  stage: string | null,
  command: string,
): Promise<boolean> {
  const session = sessionFile({ ...who, subagent: null });
  const name = call ?? '';
  if (session === null) return false;
  if (!/^[A-Za-z0-9_-]{1,100}$/.test(name))
    // Where nobody else is about to run something, a shell is taken for the session's.
    return who.subagent === null && noted(world, session).length === 0;
  const text = unquoted(command);
  if (!(await isOnlyOne(world, session, name, text))) return false;
  if (who.subagent !== null)
    writeShared(world.repository, sharedFiles.caller, [session, name], {
      agent: world.caller().name,
      stage: stage ?? '',
      command: text,
    });
  return true;
}

/** Its shell has begun or never will. */
export function dropCaller({ world, who }: HarnessAgent, call: string | null): void {
  const session = sessionFile({ ...who, subagent: null });
  if (session === null) return;
  const [place, name] = sharedPlace(world.repository, sharedFiles.caller, session, call ?? '');
  if (call !== null) dropLocal(place, name);
  // Where no note is left, the shim may go by itself again.
  try {
    rmdirSync(folderOf(world, session));
  } catch {
    // Others are about to run something.
  }
}

/** A subagent that has ended starts no more commands. */
export function dropCallers(agent: HarnessAgent): void {
  const { world, who } = agent;
  const session = sessionFile({ ...who, subagent: null });
  if (session === null) return;
  for (const call of noted(world, session)) {
    const [place, name] = sharedPlace(world.repository, sharedFiles.caller, session, call);
    const owner = readLocal(place, name)?.split('\n')[0];
    if (who.subagent === null || owner === world.caller().name) dropLocal(place, name);
  }
  dropCaller(agent, null);
}
