/** What a shell command would do to files, as far as its text tells, in the keys of the repository. */
import { existsSync, realpathSync, statSync } from 'node:fs';
import type { RealWorld } from '../agent/world.ts';
import { CoordError } from '../core/errors.ts';
import { areKin } from '../core/ids.ts';
import type { AgentName } from '../core/lease.ts';
import { keyOf } from '../git/paths.ts';
import { type Effects, effectsOf } from '../guard/shell-effects.ts';

export function isOfOthers(world: RealWorld): (of: { readonly agent: AgentName }) => boolean {
  const { name } = world.caller();
  return ({ agent }) => !areKin(agent.name, name);
}

export function effectsIn(command: string, cwd: string): Effects {
  return effectsOf(
    command,
    cwd,
    existsSync,
    (file) => statSync(file, { throwIfNoEntry: false })?.isDirectory() === true,
  );
}

/** What it names to be written, where that is this repository's. */
export function keysWritten(world: RealWorld, { writes }: Effects, cwd: string): readonly string[] {
  return keysOfFiles(world, writes, cwd);
}

export function keysOfFiles(
  world: RealWorld,
  files: readonly string[],
  cwd: string,
): readonly string[] {
  return files.flatMap((file) => keysOf(world, cwd, file));
}

function keysOf({ repository }: RealWorld, cwd: string, file: string): readonly string[] {
  try {
    return [keyOf({ repository, cwd }, existsSync(file) ? realpathSync(file) : file, false)];
  } catch (error) {
    if (error instanceof CoordError) return [];
    throw error;
  }
}
