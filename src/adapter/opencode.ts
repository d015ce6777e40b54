/**
 * opencode runs plugins within itself. Ours (hooks/opencode.js) asks this program and does as it is
 * told, so what passes between them is coord's own: a payload as Claude's, and answers as they are.
 */
import { join, resolve } from 'node:path';
import { CoordError } from '../core/errors.ts';
import { type Change, changesInPatch } from '../core/patch-text.ts';
import { readClaudeLike } from './claude-like.ts';
import type { Harness, Program } from './harness.ts';
import { type Edit, editOf, objectOf, optionalText, type Payload, textOf } from './hook-event.ts';

/** One file, or all that a patch names. */
function edited(payload: Payload): Edit {
  const input = objectOf(payload, 'tool_input');
  const file = optionalText(input, 'file_path');
  if (file !== null) return editOf(file, input);
  const paths = input['paths'];
  // Its paths are told as they are from the top of the file system, and stand so in no patch.
  const fromHere = (change: Change): Change => {
    return { ...change, path: resolve(textOf(payload, 'cwd'), change.path) };
  };
  const isPath = (path: unknown): path is string => typeof path === 'string' && path !== '';
  if (Array.isArray(paths) && paths.length > 0 && paths.every(isPath))
    return { paths, changes: changesInPatch(optionalText(input, 'patch') ?? '').map(fromHere) };
  throw new CoordError('bad_payload', 'the plugin sent no paths');
}

/** Where everything is on this machine. */
function here({ node, shim }: Program): string {
  return [
    '// Made by coord install; coord uninstall takes it away.',
    `import { plugin } from ${JSON.stringify(join(shim, '..', 'opencode.js'))};`,
    `export const Coord = plugin({ ...${JSON.stringify({ node, shim })}, url: import.meta.url });`,
    '',
  ].join('\n');
}

/** Nothing but its user's environment keeps it from a plugin. */
export function whyNotInForce(
  name: string,
  env: NodeJS.ProcessEnv,
  isUser: boolean,
): string | null {
  const off = [`${name}_PURE`, ...(isUser ? [] : [`${name}_DISABLE_PROJECT_CONFIG`])].find(
    (variable) => /^(1|true)$/i.test(env[variable] ?? ''),
  );
  return off === undefined ? null : `${off} keeps plugins out`;
}

export const opencode: Harness = {
  name: 'opencode',
  title: 'opencode',
  read: (payload, moment) => readClaudeLike(payload, moment, () => edited(payload)),
  write: (answer) => (answer.kind === 'quiet' ? '' : JSON.stringify(answer)),
  sessionField: 'session_id',
  // Of what is read in part the plugin tells nothing.
  reads: { session: 'session_id', child: 'agent_id', path: 'file_path', parts: [] },

  marks: [{ name: 'opencode', variable: 'OPENCODE' }],
  // The plugin gives it to each of its shells.
  shellKnows: 'all',

  signs: ['.opencode', 'opencode.json'],
  homeSigns: ['.config/opencode'],
  instructions: 'AGENTS.md',
  file: ({ top, home, env, isUser }) =>
    isUser
      ? join(env['XDG_CONFIG_HOME'] || join(home, '.config'), 'opencode', 'plugins', 'coord.js')
      : join(top, '.opencode', 'plugins', 'coord.js'),
  notInForce: ({ env, isUser }) => whyNotInForce('OPENCODE', env, isUser),
  wanted: (program) =>
    program === null ? { shipped: 'opencode-plugin.js' } : { whole: here(program) },
  sample: (session, cwd, file) => ({ session_id: session, cwd, tool_input: { file_path: file } }),
};
