/** Clients of `coord mcp` as others write them: the official one, over standard input and output. */
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { expect, onTestFinished } from 'vitest';
import { coordProgram, type Environment, type TestRepository } from './repository.ts';

type Structured = Record<string, any>;

export interface Answered {
  readonly isError: boolean;
  readonly said: Structured;
}

/** A server of its own for this client, closed with the test at the latest. */
export async function connected(repo: TestRepository, env: Environment): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [coordProgram, 'mcp'],
      cwd: repo.top,
      env: { ...repo.env, ...env },
    }),
  );
  onTestFinished(() => client.close());
  return client;
}

export async function call(
  client: Client,
  name: string,
  args: Record<string, unknown>,
  options: Parameters<Client['callTool']>[1] = {},
): Promise<Answered> {
  const result = await client.callTool({ name, arguments: args }, options);
  const said = result.structuredContent as Structured | undefined;
  const text = (result.content as readonly { readonly text?: string }[])[0]?.text ?? '{}';
  if (said !== undefined) expect(JSON.parse(text)).toEqual(said);
  return { isError: result.isError === true, said: said ?? { text } };
}
