/** The PATH of a session: coord's git first. */
import { realpathSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';

/** Where the git of a session is. */
function shimFolder(): string {
  return join(dirname(realpathSync(process.argv[1] ?? '.')), '..', 'hooks', 'bin');
}

export function sessionPath(env: NodeJS.ProcessEnv): string {
  return [shimFolder(), pathBehind(env)].join(delimiter);
}

export function pathBehind(env: NodeJS.ProcessEnv): string {
  return (env['PATH'] ?? '')
    .split(delimiter)
    .filter((folder) => folder !== shimFolder())
    .join(delimiter);
}
