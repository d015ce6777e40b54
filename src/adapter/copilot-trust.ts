/**
 * Does Copilot CLI run the hooks of this project? It does in folders that its user trusts, and says
 * which those are in a file of its own; hooks of the user it runs everywhere.
 */
import { realpathSync } from 'node:fs';
import { join, relative } from 'node:path';
import { limits } from '../core/limits.ts';
import { regularText } from '../git/regular-file.ts';
import type { Places } from './harness.ts';

export function copilotHome(home: string, env: NodeJS.ProcessEnv): string {
  return env['COPILOT_HOME'] || join(home, '.copilot');
}

function real(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

/** Its file has comments, so that it is not read as JSON. */
function trustedIn(config: string): readonly string[] {
  const list = /"trusted_?folders"\s*:\s*(\[(?:"(?:\\.|[^"\\])*"|[^\]"])*\])/i.exec(config)?.[1];
  try {
    const folders: unknown = JSON.parse(list ?? '[]');
    return Array.isArray(folders) ? folders.filter((one) => typeof one === 'string') : [];
  } catch {
    return [];
  }
}

function isWithin(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way !== '..' && !way.startsWith('../');
}

export function whyNotInForce({ top, home, env, isUser }: Places): string | null {
  const own = copilotHome(home, env);
  const read = (file: string): string => regularText(file, limits.projectFileBytes) ?? '';
  const off = ['settings.json', 'settings.local.json']
    .map((name) => join(top, '.github', 'copilot', name))
    .find((file) => /"disableAllHooks"\s*:\s*true/.test(read(file)));
  if (off !== undefined) return `disableAllHooks in '${off}' switches all hooks off`;
  if (isUser || env['COPILOT_ALLOW_ALL'] === 'true') return null;
  const here = real(top);
  return trustedIn(read(join(own, 'config.json'))).some((folder) => isWithin(here, real(folder)))
    ? null
    : 'Copilot CLI runs them only where its user trusts the folder: start copilot here and say so, or for one prompt add --trust-folder';
}
