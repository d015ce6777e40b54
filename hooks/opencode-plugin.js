// Made by coord install; coord uninstall takes it away.
import { spawnSync } from 'node:child_process';
import { pathToFileURL } from 'node:url';

/** Equal on every machine: coord is asked where it is, by the repository's launcher or on the PATH. */
export const Coord = async (context) => {
  const git = (...words) => spawnSync('git', words, { cwd: context.directory, encoding: 'utf8' });
  const hooks = git('coord-hook', '--where').stdout?.trim();
  if (hooks) {
    const { plugin } = await import(pathToFileURL(`${hooks}/opencode.js`).href);
    return plugin({ hooks, url: import.meta.url })(context);
  }
  if (git('rev-parse').status === 0) console.error('coord is not installed here');
  return {};
};
