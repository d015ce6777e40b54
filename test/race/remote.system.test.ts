/**
 * Many processes in many clones want one thing of one server: exactly one has it, and all others
 * name it. Needs: nginx, fcgiwrap, sshd.
 */
import { describe, expect, test } from 'vitest';
import { clones, served } from '../support/clones.ts';
import { gitGate, startLine } from '../support/gate.ts';
import { leasesAt, logFaults } from '../support/log-check.ts';
import type { Ran, TestRepository } from '../support/repository.ts';
import { type GitServer, serve, type Transport } from '../support/servers.ts';

const timeout = 300_000;

interface Racer {
  readonly agent: string;
  readonly ran: Ran;
}

/** Each clone's racers are loaded first, then all are let go at once. */
async function race(
  repos: readonly TestRepository[],
  racers: number,
  args: (i: number) => readonly string[],
): Promise<readonly Racer[]> {
  const lines = repos.map((repo) => startLine(repo));
  const started = lines.flatMap((line, c) =>
    Array.from({ length: racers }, (_, i) => ({
      agent: `agent-${c}-${i}`,
      started: line.start(`agent-${c}-${i}`, args(c * racers + i)),
    })),
  );
  await Promise.all(lines.map((line) => line.go()));
  return Promise.all(
    started.map(async ({ agent, started: { ended } }) => ({ agent, ran: await ended })),
  );
}

/**
 * What is wrong with the answers; nothing if one was granted it and every other was refused with
 * that one in the way.
 */
function faults(
  server: GitServer,
  repo: TestRepository,
  racers: readonly Racer[],
): readonly string[] {
  const winners = racers.filter(({ ran }) => ran.code === 0 && ran.json['result'] === 'granted');
  const holders = leasesAt(served(server, repo)).map(({ agent }) => agent.name);
  return [
    ...(winners.length === 1 && holders.length === 1 && winners[0]?.agent === holders[0]
      ? []
      : [`granted: ${winners.map(({ agent }) => agent).join(' ')}; held by: ${holders.join(' ')}`]),
    ...racers
      .filter(
        ({ ran }) =>
          ran.code !== 0 &&
          (ran.code !== 1 || ran.json['blockers']?.[0]?.agent?.name !== holders[0]),
      )
      .map(({ agent, ran }) => `${agent}: exit ${ran.code} ${ran.stdout}${ran.stderr}`),
    ...logFaults(served(server, repo)),
  ];
}

/** Different patterns that all match src/app/x.ts. */
function overlapping(i: number): string {
  return (
    [`{src,part${i}}/app/x.ts`, `src/{app,part${i}}/*.ts`, `src/**/{x,y${i}}.ts`, `**/{x,y${i}}.*`][
      i % 4
    ] ?? ''
  );
}

const transports: readonly Transport[] = ['daemon', 'http', 'ssh'];

describe('8 clones with 25 racers each', () => {
  test.for(transports)(
    'want one bead, in requests that are the same, by %s',
    { timeout },
    async (transport) => {
      const server = await serve(transport);
      const repos = clones(server, 8);
      expect(
        faults(
          server,
          repos[0] as TestRepository,
          await race(repos, 25, () => ['claim', 'bd-1', '--reason', 'identical']),
        ),
      ).toEqual([]);
    },
  );

  test.for(transports)('want patterns that all overlap, by %s', { timeout }, async (transport) => {
    const server = await serve(transport);
    const repos = clones(server, 8);
    expect(
      faults(
        server,
        repos[0] as TestRepository,
        await race(repos, 25, (i) => ['reserve', overlapping(i)]),
      ),
    ).toEqual([]);
  });
});

/**
 * One clone has decided, and its push stops at the gate; the other takes the same meanwhile; then
 * the first goes on.
 */
async function overtaken(
  transport: Transport,
  stop: 'before' | 'unleased',
): Promise<readonly string[]> {
  const server = await serve(transport);
  const [first, second] = clones(server, 2) as [TestRepository, TestRepository];
  const gate = gitGate(first, stop, false, 'push');
  const late = first.start('alice', ['claim', 'bd-1'], gate.env);
  await gate.reached();
  const early = second.coord('bob', 'claim', 'bd-1');
  gate.open();
  return faults(server, first, [
    { agent: 'bob', ran: early },
    { agent: 'alice', ran: await late.ended },
  ]);
}

describe('a clone that has decided on a log that moves before its push arrives', () => {
  test.for(transports)(
    'is refused, and names who was first, by %s',
    { timeout },
    async (transport) => {
      expect(await overtaken(transport, 'before')).toEqual([]);
    },
  );

  test.for(transports)(
    'planted bug: without the lease on the old value both are granted it, by %s',
    { timeout },
    async (transport) => {
      expect(await overtaken(transport, 'unleased')).not.toEqual([]);
    },
  );
});
