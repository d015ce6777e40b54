/**
 * Codex CLI: Claude's shape, but one unknown key or an empty reason makes it ignore the whole
 * answer.
 */
import { join } from 'node:path';
import { CoordError } from '../core/errors.ts';
import { changesInPatch, pathsInPatch } from '../core/patch-text.ts';
import {
  claudeMoments,
  editBy,
  groups,
  messaged,
  readClaudeLike,
  writeClaudeLike,
} from './claude-like.ts';
import { codexHome, whyNotInForce } from './codex-trust.ts';
import { type Harness, hookSeconds, type Places } from './harness.ts';
import { type Edit, objectOf, pathAlone, textOf } from './hook-event.ts';

/** What cannot be read cannot be judged. */
function patched(patch: string): Edit {
  const paths = pathsInPatch(patch);
  if (paths.length === 0) throw new CoordError('bad_payload', 'the patch names no file');
  return { paths, changes: changesInPatch(patch) };
}

/** It has no tool that reads a file. */
const { 'before-read': _reads, ...moments } = claudeMoments;

/** In a linked work tree it reads the hooks of the main checkout. */
function hooksFile({ mainTop, home, env, isUser }: Places): string {
  return join(isUser ? codexHome(home, env) : join(mainTop, '.codex'), 'hooks.json');
}

/**
 * Its shells are bash, which finds the file where they run. Below a server of commands bash would
 * read a file of its user's instead, unless it is told that it is one shell deep.
 */
const shellSettings = [
  '# The shells of its agents begin with this: who they are, and their own git index.',
  '[shell_environment_policy.set]',
  'SHLVL = "1"',
  'BASH_ENV = "$(git rev-parse --path-format=absolute --git-common-dir 2>/dev/null)/coord/shell"',
].join('\n');

export const codex: Harness = {
  name: 'codex',
  title: 'Codex',
  read: (payload, moment, editTools) =>
    readClaudeLike(payload, moment, () => {
      const input = objectOf(payload, 'tool_input');
      const field = editTools.get(textOf(payload, 'tool_name'));
      return field === undefined
        ? patched(textOf(input, 'command'))
        : pathAlone(textOf(input, field));
    }),
  // A command is never rewritten: it would have to be allowed with it, whatever the user's rules say.
  write: (answer, moment) => writeClaudeLike(answer, moment, () => ({})),
  sessionField: 'session_id',

  marks: [{ name: 'codex', variable: 'CODEX_SANDBOX' }],
  sessionVariable: 'CODEX_SESSION_ID',
  threadVariable: 'CODEX_THREAD_ID',
  shellKnows: 'file',
  processName: 'codex',
  // Its MCP servers have nothing of this in their environment.
  callField: 'x-codex-turn-metadata',
  opensSandbox: (gitFolder) =>
    `in Codex's sandbox use the tools of coord's MCP server, or allow it in Codex's config.toml: [sandbox_workspace_write] writable_roots = [${JSON.stringify(gitFolder)}]`,

  signs: ['.codex'],
  homeSigns: ['.codex'],
  instructions: 'AGENTS.md',
  file: hooksFile,
  shellSettings: ({ mainTop, home, env, isUser }) => ({
    file: join(isUser ? codexHome(home, env) : join(mainTop, '.codex'), 'config.toml'),
    name: 'shell_environment_policy',
    lines: shellSettings,
  }),
  notInForce: (places) => whyNotInForce(places, hooksFile(places)),
  // It gives a session's end three seconds at most.
  wanted: (program) => ({
    entries: groups(
      messaged('codex', program),
      moments,
      { 'before-edit': 'apply_patch', 'before-shell': 'Bash', 'after-shell': 'Bash' },
      (moment) => (moment === 'session-end' ? 3 : hookSeconds),
    ),
    fields: [],
  }),
  sample: editBy('apply_patch', (file) => ({
    command: `*** Begin Patch\n*** Update File: ${file}\n*** End Patch`,
  })),
};
