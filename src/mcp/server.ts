/**
 * The use cases as tools of the Model Context Protocol. What is expected to be refused is a tool
 * error with its code and the next command, not a failure of the protocol.
 */

import { resolve } from 'node:path';
import { type CallToolResult, McpServer } from '@modelcontextprotocol/server';
import { realWorld } from '../agent/world.ts';
import { CoordError } from '../core/errors.ts';
import { toJson } from '../core/harmless.ts';
import { keyOf } from '../git/paths.ts';
import { errorReport, type Report } from '../render/report.ts';
import { addHandOverTools } from './hand-over-tools.ts';
import { addLeaseTools } from './lease-tools.ts';
import { addResources } from './resources.ts';
import type { Asked } from './tool.ts';
import { workTools } from './work-tools.ts';

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

export function createServer(version: string, cwd: string, env: NodeJS.ProcessEnv): McpServer {
  const server = new McpServer({ name: 'coord', version }, { instructions });
  const asked: Asked = async (common, work) => {
    try {
      const directory = resolve(cwd, common.directory ?? '.');
      const world = realWorld({
        cwd: directory,
        env,
        ...(common.agent === undefined ? {} : { agent: common.agent }),
      });
      return resultOf(
        await work({
          world,
          keys: (args) =>
            args.map((arg) => keyOf({ repository: world.repository, cwd: directory }, arg, false)),
        }),
      );
    } catch (error) {
      return resultOf(
        errorReport(
          error instanceof CoordError
            ? error
            : new CoordError('bug', error instanceof Error ? error.message : String(error)),
        ),
      );
    }
  };
  for (const add of [addLeaseTools, addHandOverTools, workTools(env)]) add(server, asked);
  addResources(server, cwd, env);
  return server;
}
