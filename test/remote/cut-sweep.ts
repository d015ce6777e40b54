/**
 * The line is cut after any byte of a push, or the server dies in any of its hooks: what was said
 * is true, and saying it again has one effect.
 */
import { describe, expect, test } from 'vitest';
import { clone, served } from '../support/clones.ts';
import { events, leasesAt, logFaults } from '../support/log-check.ts';
import { type Direction, type Wire, wire } from '../support/proxy.ts';
import type { Ran, TestRepository } from '../support/repository.ts';
import { type GitServer, serve, type Transport } from '../support/servers.ts';

export const transports: readonly Transport[] = ['daemon', 'http', 'ssh'];

export interface Line {
  readonly server: GitServer;
  readonly line: Wire;
  readonly repo: TestRepository;
  readonly there: TestRepository;
}

/** A clone whose every word to the server goes over a wire that can be cut. */
export async function connected(transport: Transport): Promise<Line> {
  const server = await serve(transport);
  const line = await wire(server);
  const repo = clone({ ...server, url: line.url, env: line.env });
  expect((await repo.start(null, ['remote', 'set', 'origin']).ended).json['result']).toBe('set');
  return { server, line, repo, there: served(server, repo) };
}

/** What is false in what was said; and nothing that was said not to be may come about later. */
export function untrue(there: TestRepository, agent: string, ran: Ran): readonly string[] {
  const held = leasesAt(there).filter((lease) => lease.agent.name === agent).length;
  const acquired = events(there, 'acquired').filter((event) => event.agent.name === agent).length;
  const granted = ran.json['result'] === 'granted';
  const unknown = ran.json['error']?.code === 'unknown_outcome';
  return [
    ...(granted && (held !== 1 || acquired !== 1)
      ? [`${agent} was told granted, holds ${held}, acquired ${acquired}`]
      : []),
    ...(!granted && !unknown && held + acquired > 0
      ? [`${agent} holds ${held}, acquired ${acquired}, and was told ${ran.code} ${ran.stdout}`]
      : []),
    ...(granted || ran.code === 75 || ran.json['error']?.code === 'arbiter_refused'
      ? []
      : [`${agent}: exit ${ran.code} ${ran.stdout} ${ran.stderr}`]),
  ];
}

/** The same again has one effect, with whatever came of it before. */
export async function again({ repo, there }: Line, agent: string): Promise<readonly string[]> {
  const ran = await repo.start(agent, ['reserve', `src/${agent}.ts`]).ended;
  return ran.code === 0
    ? untrue(there, agent, ran)
    : [`${agent}, once more: exit ${ran.code} ${ran.stdout}`];
}

/** Cut at so many points of what goes that way. */
async function sweep(
  at: Line,
  direction: Direction,
  stays: boolean,
  points: number,
): Promise<readonly string[]> {
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
    const other = await repo.start('other', [
      count % 2 === 0 ? 'reserve' : 'release',
      'src/other.ts',
    ]).ended;
    if (other.code > 1)
      found.push(`after ${count} of ${total} bytes ${direction}, another: ${other.stdout}`);
    const late = untrue(there, agent, ran).filter((word) => !told.includes(word));
    found.push(
      ...[...told, ...late.map((word) => `later: ${word}`), ...(await again(at, agent))].map(
        (word) => `after ${count} of ${total} bytes ${direction}: ${word}`,
      ),
    );
  }
  expect(seen.size).toBeGreaterThan(0);
  return [...found, ...logFaults(there)];
}

/** A test for each transport, direction and kind of cut, at so many points of each. */
export function sweepCuts(points: number, timeout: number): void {
  describe.for(transports)('by %s, a connection that is cut', (transport) => {
    test.for([
      ['up', false],
      ['down', false],
      ['up', true],
      ['down', true],
    ] as const)('on the way %s, and stays so: %s', { timeout }, async ([direction, stays]) => {
      expect(await sweep(await connected(transport), direction, stays, points)).toEqual([]);
    });
  });
}
