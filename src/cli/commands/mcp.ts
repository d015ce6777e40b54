import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { harnesses } from '../../adapter/harnesses.ts';
import { exits } from '../../core/exits.ts';
import { installed, version } from '../installed.ts';
import type { Verb } from '../verb.ts';

export const mcp: Verb = {
  words: ['mcp'],
  group: 'programs',
  exits: '0 at the end of its input',
  about: 'serve the Model Context Protocol',
  more: 'It reads standard input and writes standard output, with the same use cases as tools.',
  flags: [],
  examples: [
    [
      'claude mcp add coord -- coord mcp',
      'for Claude Code; others name the same command in their settings',
    ],
  ],
  run: async (call) => {
    const [{ serveStdio }, { createServer }] = await Promise.all([
      import('@modelcontextprotocol/server/stdio'),
      import(pathToFileURL(join(installed(), 'dist', 'mcp', 'server.js')).href) as Promise<
        typeof import('../../mcp/server.ts')
      >,
    ]);
    const [project] = harnesses.flatMap(
      ({ projectVariable = '' }) => call.env[projectVariable] ?? [],
    );
    const cwd = project ?? call.cwd;
    const handle = serveStdio(() => createServer(version(), cwd, call.env), {
      onerror: (error) => call.tell(`coord mcp: ${error.message}`),
    });
    await new Promise<void>((ended) => {
      process.stdin.once('end', ended);
      call.signal().addEventListener('abort', () => ended(), { once: true });
    });
    await handle.close();
    return { ok: true, exit: exits.done, result: 'ended', facts: {}, says: [], silent: true };
  },
};
