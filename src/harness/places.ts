/** Where a project and its user keep what harnesses read. */
import { homedir } from 'node:os';
import { basename, dirname } from 'node:path';
import type { Harness, Places } from '../adapter/harness.ts';
import { limits } from '../core/limits.ts';
import { regularText } from '../git/regular-file.ts';
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

/** Is coord installed for this harness, in the project or for its user? */
export function isHooked({ name, file }: Harness, places: Omit<Places, 'isUser'>): boolean {
  return [false, true].some((isUser) =>
    regularText(file({ ...places, isUser }), limits.projectFileBytes)?.includes(
      ` ${name} before-edit`,
    ),
  );
}
