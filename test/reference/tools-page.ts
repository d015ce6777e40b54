/** docs/reference/tools.md: every tool of the MCP server, as its clients are told. */
import { type Tool, who } from '../../src/mcp/tool.ts';
import { tools } from '../../src/mcp/tools.ts';
import { code, page, table } from './markdown.ts';

const ofAll = Object.keys(who.shape);

function inputOf({ input }: Tool): string {
  const { properties = {}, required = [] } = input['~standard'].jsonSchema.input({
    target: 'draft-2020-12',
  }) as { properties?: Record<string, unknown>; required?: readonly string[] };
  return Object.keys(properties)
    .filter((name) => !ofAll.includes(name))
    .map((name) => code(required.includes(name) ? name : `[${name}]`))
    .join(' ');
}

function kindOf({ hints }: Tool): string {
  const { readOnlyHint, destructiveHint, openWorldHint } = hints;
  if (openWorldHint) return 'runs a command';
  return readOnlyHint ? 'reads' : destructiveHint ? 'ends' : 'records';
}

export function toolsPage(): string {
  return page('Tools', [
    '`coord mcp` serves these to clients of the Model Context Protocol. Input in brackets may be left out; every tool also takes `[agent]`, the name of a subagent, and `[directory]`, as `git -C` does. The annotations of a tool say what it may do.',
    table(
      ['tool', 'input', 'may', 'does'],
      tools.map((tool) => [code(tool.name), inputOf(tool), kindOf(tool), tool.description]),
    ),
    'An answer has `ok`, `result` and the facts that the verb of that name prints with `--json`; `verify` adds the end of the `output`. What is refused or fails is a tool error with `code` and `next`. `coord://status` and `coord://log` are resources.',
  ]);
}
