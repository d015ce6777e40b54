/** The built program on each node that it says it runs on, from the oldest. Needs: other nodes. */
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { viewFaults } from '../support/log-check.ts';
import { coordProgram, type Ran, repository, type TestRepository } from '../support/repository.ts';

const nodes = process.env['COORD_TEST_NODES'] ?? '';
const library = resolve(import.meta.dirname, '../../dist/index.js');

interface Answer extends Pick<Ran, 'stdout' | 'stderr'> {
  readonly code: number | null;
}

function onNode(node: string, repo: TestRepository, args: readonly string[], input = ''): Answer {
  const env = { ...repo.env, COORD_NODE: node };
  const { status, stdout, stderr } = spawnSync(node, args, {
    cwd: repo.top,
    env,
    input,
    encoding: 'utf8',
  });
  return { code: status, stdout, stderr };
}

/** A line each, and what it ends with where that is not 0. */
const day: readonly (readonly [line: string, code?: number])[] = [
  ['--version'],
  ['--help'],
  ['reserve --help'],
  ['install'],
  ['session start ann'],
  ['reserve src/a --agent bob'],
  ['check src/a --agent cid', 1],
  ['reserve src/a --agent cid', 1],
  ['reserve src/a --agent cid --wait 10ms', 75],
  ['claim bd-1 --agent bob'],
  ['renew --agent bob'],
  ['status'],
  ['hook git pre-commit'],
  ['unclaim bd-1 --agent bob'],
  ['log'],
  ['stats'],
  ['sweep'],
  ['release --all --agent bob'],
  ['doctor'],
];

const initialize = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'test', version: '1' },
  },
});

describe.each(
  readdirSync(nodes === '' ? '.' : nodes).filter((name) => /^\d/.test(name)),
)('node %s', (version) => {
  const node = join(nodes, version, 'node');

  test(
    'runs a day of every kind of verb, without a warning of its own',
    { timeout: 60_000 },
    () => {
      const repo = repository();
      const odd = day.flatMap(([line, wanted = 0]) => {
        const { code, stderr } = onNode(node, repo, [coordProgram, ...line.split(' ')]);
        return code === wanted && !/Warning|unexpected/.test(stderr)
          ? []
          : [`${line}: exit ${code}, ${stderr}`];
      });
      expect(odd).toEqual([]);
      expect(viewFaults(repo)).toEqual([]);
    },
  );

  test('runs the library and the MCP server', { timeout: 60_000 }, () => {
    const repo = repository();
    const script = `import { createCoord } from ${JSON.stringify(library)};
        const coord = createCoord({ cwd: process.cwd(), agent: 'ann' });
        console.log((await coord.reserve('src/a')).ok);`;
    const asLibrary = onNode(node, repo, ['--input-type=module', '-e', script]);
    expect(asLibrary).toEqual({ code: 0, stdout: 'true\n', stderr: '' });
    const served = onNode(node, repo, [coordProgram, 'mcp'], `${initialize}\n`);
    expect(JSON.parse(served.stdout)).toMatchObject({ result: { serverInfo: { name: 'coord' } } });
  });
});
