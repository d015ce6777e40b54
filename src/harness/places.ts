/** Where a project and its user keep what harnesses read. */
import { homedir } from 'node:os';
import { basename, dirname } from 'node:path';
import type { Places } from '../adapter/harness.ts';
import type { Repository } from '../git/repository.ts';

export function homeIn(env: NodeJS.ProcessEnv): string {
  return env['HOME'] ?? homedir();
}

export function placesOf(
  env: NodeJS.ProcessEnv,
  { top, commonDir }: Repository,
): Omit<Places, 'isUser'> {
  return {
    top,
    mainTop: basename(commonDir) === '.git' ? dirname(commonDir) : top,
    home: homeIn(env),
    env,
  };
}
