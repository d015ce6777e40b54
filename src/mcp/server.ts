/**
 * The use cases as tools of the Model Context Protocol. What is expected to be refused is a tool
 * error with its code and the next command, not a failure of the protocol.
 */

import { resolve } from 'node:path';
import { type CallToolResult, McpServer, type ServerContext } from '@modelcontextprotocol/server';
import { callerEnvironment } from '../agent/harness-session.ts';
import { realWorld } from '../agent/world.ts';
import { CoordError } from '../core/errors.ts';
import { harmless, shorten, toJson } from '../core/harmless.ts';
import { limits } from '../core/limits.ts';
import { keyOf } from '../git/paths.ts';
import type { Clock } from '../loop/world.ts';
import { errorReport, type Report } from '../render/report.ts';
import { addResources } from './resources.ts';
import { answer, type Tool, who } from './tool.ts';
import { tools } from './tools.ts';

const instructions =
  'coord keeps agents that share this git repository apart. Reserve the files you are going to change before you change them (your edit tools do so by themselves where coord is installed); where a tool says somebody else holds them, do as its "next" says. Release what you are done with.';

function resultOf({ ok, result, facts, error, refusal, next }: Report): CallToolResult {
  const why = { code: error ?? refusal ?? result, next: next ?? 'coord status' };
  const structured = { ok, result, ...facts, ...(ok ? {} : why) };
  return {
    content: [{ type: 'text', text: toJson(structured) }],
    structuredContent: JSON.parse(toJson(structured)) as Record<string, unknown>,
    ...(ok ? {} : { isError: true }),
  };
}

interface Surroundings {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
}

/** Notes of progress while a call goes on, for a client that has asked for them. */
async function keepTelling(
  { _meta, notify }: ServerContext['mcpReq'],
  clock: Clock,
  line: () => string,
  over: AbortSignal,
): Promise<void> {
  const progressToken = _meta?.progressToken;
  if (progressToken === undefined) return;
  for (let progress = 1; ; progress += 1) {
    await clock.sleep(limits.progressEveryMs, over);
    if (over.aborted) return;
    const message = shorten(harmless(line()), limits.toldAlongChars);
    const params = { progressToken, progress, ...(message === '' ? {} : { message }) };
    try {
      await notify({ method: 'notifications/progress', params });
    } catch {
      // The client is gone, which ends the call as well.
      return;
    }
  }
}

async function called(
  tool: Tool,
  args: unknown,
  { mcpReq }: ServerContext,
  { cwd, env: own }: Surroundings,
): Promise<Report> {
  const env = { ...own, ...callerEnvironment(mcpReq._meta) };
  const { agent, directory = '.' } = who.parse(args);
  const folder = resolve(cwd, directory);
  const world = realWorld({ cwd: folder, env, agent });
  const over = new AbortController();
  let line = '';
  const telling = keepTelling(mcpReq, world.clock, () => line, over.signal);
  try {
    return await tool.run(args, {
      world,
      cwd: folder,
      env,
      keys: (names) =>
        names.map((name) => keyOf({ repository: world.repository, cwd: folder }, name, false)),
      signal: mcpReq.signal,
      tell: (said) => {
        line = said;
      },
    });
  } finally {
    over.abort();
    await telling;
  }
}

function failed(error: unknown): Report {
  return errorReport(
    error instanceof CoordError
      ? error
      : new CoordError('bug', error instanceof Error ? error.message : String(error)),
  );
}

export function createServer(version: string, cwd: string, env: NodeJS.ProcessEnv): McpServer {
  const server = new McpServer({ name: 'coord', version }, { instructions });
  for (const tool of tools) {
    const { name, title, description, input, hints } = tool;
    server.registerTool(
      name,
      { title, description, inputSchema: input, outputSchema: answer, annotations: hints },
      async (args, context) =>
        resultOf(await called(tool, args, context, { cwd, env }).catch(failed)),
    );
  }
  addResources(server, cwd, env);
  return server;
}
