/** The line is cut after any byte of a push, or the server dies in any of its hooks: what was said is true, and saying it again has one effect. */
import { chmodSync, existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { clone, served } from '../support/clones.ts';
import { events, leasesAt, logFaults } from '../support/log-check.ts';
import type { Ran, TestRepository } from '../support/repository.ts';
import { serve, type GitServer, type Transport } from '../support/servers.ts';
import { wire, type Direction, type Wire } from '../support/proxy.ts';

const timeout = 600_000;
const transports: readonly Transport[] = ['daemon', 'http', 'ssh'];
/** Points of a push at which it is cut; all of them in the long form. */
const points = process.env['COORD_FULL_SWEEP'] === '1' ? Number.POSITIVE_INFINITY : 14;

interface Line {
  readonly server: GitServer;
  readonly line: Wire;
  readonly repo: TestRepository;
  readonly there: TestRepository;
}

/** A clone whose every word to the server goes over a wire that can be cut. */
async function connected(transport: Transport): Promise<Line> {
  const server = await serve(transport);
  const line = await wire(server);
  const repo = clone({ ...server, url: line.url, env: line.env });
  expect((await repo.start(null, ['remote', 'set', 'origin']).ended).json['result']).toBe('set');
  return { server, line, repo, there: served(server, repo) };
}

/** What is false in what was said; and nothing that was said not to be may come about later. */
function untrue(there: TestRepository, agent: string, ran: Ran): readonly string[] {
  const held = leasesAt(there).filter((lease) => lease.agent.name === agent).length;
  const acquired = events(there, 'acquired').filter((event) => event.agent.name === agent).length;
  const granted = ran.json['result'] === 'granted';
  const unknown = ran.json['error']?.code === 'unknown_outcome';
  return [
    ...(granted && (held !== 1 || acquired !== 1) ? [`${agent} was told granted, holds ${held}, acquired ${acquired}`] : []),
    ...(!granted && !unknown && held + acquired > 0 ? [`${agent} holds ${held}, acquired ${acquired}, and was told ${ran.code} ${ran.stdout}`] : []),
    ...(granted || ran.code === 75 || ran.json['error']?.code === 'arbiter_refused' ? [] : [`${agent}: exit ${ran.code} ${ran.stdout} ${ran.stderr}`]),
  ];
}

/** The same again has one effect, with whatever came of it before. */
async function again({ repo, there }: Line, agent: string): Promise<readonly string[]> {
  const ran = await repo.start(agent, ['reserve', `src/${agent}.ts`]).ended;
  return ran.code === 0 ? untrue(there, agent, ran) : [`${agent}, once more: exit ${ran.code} ${ran.stdout}`];
}

async function sweep(at: Line, direction: Direction, stays: boolean): Promise<readonly string[]> {
  const { line, repo, there } = at;
  line.reset();
  expect((await repo.start('first', ['reserve', 'src/first.ts']).ended).code).toBe(0);
  const total = line.bytes[direction];
  const step = Math.max(1, Math.ceil(total / points));
  const found: string[] = [];
  const seen = new Set<string>();
  for (let count = 1; count < total; count += step) {
    const agent = `${direction}-${stays ? 'stays' : 'once'}-${count}`;
    line.reset();
    line.cutAfter(direction, count, stays);
    const ran = await repo.start(agent, ['reserve', `src/${agent}.ts`]).ended;
    seen.add(ran.json['result'] === 'granted' ? 'granted' : String(ran.json['error']?.code));
    line.reset();
    const told = untrue(there, agent, ran);
    // Somebody else of this machine goes next, and takes along whatever is still on its way.
    const other = await repo.start('other', [count % 2 === 0 ? 'reserve' : 'release', 'src/other.ts']).ended;
    if (other.code > 1) found.push(`after ${count} of ${total} bytes ${direction}, another: ${other.stdout}`);
    const late = untrue(there, agent, ran).filter((word) => !told.includes(word));
    found.push(...[...told, ...late.map((word) => `later: ${word}`), ...await again(at, agent)].map((word) => `after ${count} of ${total} bytes ${direction}: ${word}`));
  }
  expect(seen.size).toBeGreaterThan(0);
  return [...found, ...logFaults(there)];
}

describe.for(transports)('by %s, a connection that is cut', (transport) => {
  test.for([['up', false], ['down', false], ['up', true], ['down', true]] as const)('on the way %s, and stays so: %s', { timeout }, async ([direction, stays]) => {
    expect(await sweep(await connected(transport), direction, stays)).toEqual([]);
  });
});

/** Kills what serves the push, once, at that point. */
function deadly(server: GitServer, hook: string, when: string | null): () => boolean {
  const file = join(server.folder, 'hooks', hook);
  const mark = join(server.folder, 'killed');
  writeFileSync(file, `#!/bin/sh\ncat >/dev/null\n${when === null ? '' : `[ "$1" = ${when} ] || exit 0\n`}mkdir '${mark}' 2>/dev/null || exit 0\nkill -9 $PPID\n`);
  chmodSync(file, 0o755);
  return () => existsSync(mark);
}

const deaths = [
  ['pre-receive', null, false], ['update', null, false], ['reference-transaction', 'prepared', false],
  ['reference-transaction', 'committed', true], ['post-receive', null, true], ['post-update', null, true],
] as const;

describe.for(transports)('by %s, a server that is killed', (transport) => {
  test.for(deaths)('in its hook %s %s (after the log had moved: %s)', { timeout }, async ([hook, when, hasMoved]) => {
    const at = await connected(transport);
    const { server, repo, there } = at;
    const struck = deadly(server, hook, when);
    const ran = await repo.start('alice', ['reserve', 'src/alice.ts']).ended;
    expect(struck()).toBe(true);
    expect(untrue(there, 'alice', ran)).toEqual([]);
    if (hasMoved) expect(ran.json['result']).toBe('granted');
    const lock = join(server.folder, 'refs/coord/log.lock');
    if (existsSync(lock)) {
      // A git that was killed has left it, over there; nobody here can tell, and nobody here may take it away.
      const waiting = await repo.start('bob', ['reserve', 'src/bob.ts']).ended;
      expect([waiting.code, waiting.json['error']?.message]).toEqual([75, expect.stringMatching(/lock/)]);
      rmSync(lock);
    }
    expect(await again(at, 'alice')).toEqual([]);
    expect(logFaults(there)).toEqual([]);
  });
});

describe('planted bug', () => {
  test('an answer that takes a cut for a no is found to be untrue', { timeout }, async () => {
    const { server, repo, there } = await connected('http');
    deadly(server, 'post-receive', null);
    const ran = await repo.start('alice', ['reserve', 'src/alice.ts']).ended;
    expect(ran.json['result']).toBe('granted');
    expect(untrue(there, 'alice', { ...ran, code: 75, json: { error: { code: 'arbiter_unreachable' } } })).toHaveLength(1);
  });
});
