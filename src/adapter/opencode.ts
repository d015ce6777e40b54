/**
 * opencode runs plugins within itself. Ours (hooks/opencode.js) asks this program and does as it is
 * told, so what passes between them is coord's own: paths and command in, answer out.
 */
import { join } from 'node:path';
import { CoordError } from '../core/errors.ts';
import type { Harness, Program } from './harness.ts';
import { isEditMoment, optionalText, textOf, toolAt } from './hook-event.ts';

/** Where everything is on this machine. */
function here({ node, shim }: Program): string {
  return [
    '// Made by coord install; coord uninstall takes it away.',
    `import { plugin } from ${JSON.stringify(join(shim, '..', 'opencode.js'))};`,
    `export const Coord = plugin(${JSON.stringify({ node, shim })});`,
    '',
  ].join('\n');
}

export const opencode: Harness = {
  name: 'opencode',
  title: 'opencode',
  read: (payload, moment) => {
    const paths = payload['paths'];
    if (
      isEditMoment(moment) &&
      !(
        Array.isArray(paths) &&
        paths.length > 0 &&
        paths.every((path) => typeof path === 'string' && path !== '')
      )
    )
      throw new CoordError('bad_payload', 'the plugin sent no paths');
    const tool = toolAt(
      moment,
      () => paths as readonly string[],
      () => textOf(payload, 'command'),
    );
    return {
      session: textOf(payload, 'session'),
      subagent: optionalText(payload, 'subagent'),
      cwd: textOf(payload, 'cwd'),
      tool,
      input: {},
      call: optionalText(payload, 'call'),
      why: optionalText(payload, 'why') ?? '',
    };
  },
  write: (answer) => (answer.kind === 'quiet' ? '' : JSON.stringify(answer)),

  marks: [{ name: 'opencode', variable: 'OPENCODE' }],
  // The plugin gives it to each of its shells.
  shellKnows: 'all',

  signs: ['.opencode', 'opencode.json'],
  homeSigns: ['.config/opencode'],
  instructions: 'AGENTS.md',
  file: ({ top, home, isUser }) =>
    isUser
      ? join(home, '.config', 'opencode', 'plugins', 'coord.js')
      : join(top, '.opencode', 'plugins', 'coord.js'),
  wanted: (program) =>
    program === null ? { shipped: 'opencode-plugin.js' } : { whole: here(program) },
  sample: (session, cwd, file) => ({ session, cwd, paths: [file] }),
};
