/** Real git and real coord processes, stopped at the one moment that matters. */
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { commonDir, type GitGate, gitGate, type Stop, withAgents } from '../support/gate.ts';
import { events, leasesAt, logFaults } from '../support/log-check.ts';
import { type Ran, repository, type Started, type TestRepository } from '../support/repository.ts';

const timeout = 60_000;

interface Contender {
  readonly agent: string;
  readonly gate: GitGate;
  readonly started: Started;
}

/** Starts a request and waits until its git has come to the gate: it has decided by then. */
async function decided(
  repo: TestRepository,
  agent: string,
  stop: Stop,
  args: readonly string[],
): Promise<Contender> {
  const gate = gitGate(repo, stop);
  const started = repo.start(agent, args, gate.env);
  await gate.reached();
  return { agent, gate, started };
}

async function letGo({ gate, started }: Contender): Promise<Ran> {
  gate.open();
  return started.ended;
}

/** With a trace of what it runs. */
function startTraced(repo: TestRepository, trace: string): TestRepository['start'] {
  return (agent, args, env = {}) => repo.start(agent, args, { ...env, COORD_TRACE: trace });
}

/** Each git of a trace: what it was asked to do, and how it ended; which version it is aside. */
function gitVerbs(trace: string): readonly string[] {
  return readFileSync(trace, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { what: string; args: readonly string[]; code: number })
    .filter(({ what, args }) => what === 'git' && args[0] !== '--version')
    .map(({ args, code }) => `${args.find((arg) => !arg.startsWith('-'))} ${code}`);
}

interface Answer {
  readonly agent: string;
  readonly ran: Ran;
}

/**
 * What is wrong with the answers to one wish for one thing; nothing if exactly one of them has it.
 */
function faults(repo: TestRepository, answers: readonly Answer[]): readonly string[] {
  const granted = answers.filter(({ ran }) => ran.code === 0 && ran.json['result'] === 'granted');
  const winner = granted[0]?.agent ?? 'nobody';
  const holders = new Set(leasesAt(repo).map(({ agent }) => agent.name));
  return [
    ...(granted.length === 1
      ? []
      : [`${granted.length} were granted: ${granted.map(({ agent }) => agent).join(' ')}`]),
    ...answers
      .filter(
        ({ ran }) =>
          ran.code !== 0 && (ran.code !== 1 || ran.json['blockers']?.[0]?.agent?.name !== winner),
      )
      .map(
        ({ agent, ran }) =>
          `${agent} was not refused with ${winner} as the holder: exit ${ran.code} ${ran.stdout}`,
      ),
    ...granted
      .filter(({ agent }) => !holders.has(agent))
      .map(({ agent }) => `${agent} was granted it and does not hold it`),
    ...(holders.size === 1 ? [] : [`held by ${[...holders].join(' ')}`]),
    ...logFaults(repo),
  ];
}

const wishes = {
  'the same file': { a: ['reserve', 'src/a.ts'], b: ['reserve', 'src/a.ts'] },
  'overlapping patterns': {
    a: ['reserve', 'src/**/*.ts'],
    b: ['reserve', 'src/api/', 'docs/x.md'],
  },
  'one bead': { a: ['claim', 'bd-1'], b: ['claim', 'bd-1'] },
  'one lock': { a: ['lock', 'deploy'], b: ['lock', 'deploy'] },
} as const;

describe('two agents that have decided on the same tip of the log', () => {
  test.for(Object.entries(wishes))(
    'and both want %s: one is granted, the other refused naming the winner [SYN-C1, ARC-M1]',
    { timeout },
    async ([, { a, b }]) => {
      const repo = withAgents('alice', 'bob');
      const first = await decided(repo, 'alice', 'before', a);
      const second = await decided(repo, 'bob', 'before', b);
      expect(first.gate.expected()).toBe(repo.git('rev-parse', 'refs/coord/log').trim());
      expect(second.gate.expected()).toBe(first.gate.expected());
      const bob = await letGo(second);
      const alice = await letGo(first);
      expect(
        faults(repo, [
          { agent: 'alice', ran: alice },
          { agent: 'bob', ran: bob },
        ]),
      ).toEqual([]);
      expect(bob.json['result']).toBe('granted');
    },
  );

  test(
    'and swap in the same moment: one is granted, the other refused naming the winner',
    { timeout },
    async () => {
      const repo = withAgents('alice', 'bob');
      const both = [
        await decided(repo, 'alice', 'before', ['claim', 'bd-1']),
        await decided(repo, 'bob', 'before', ['claim', 'bd-1']),
      ];
      const answers = await Promise.all(
        both.map(async (contender) => ({ agent: contender.agent, ran: await letGo(contender) })),
      );
      expect(faults(repo, answers)).toEqual([]);
    },
  );

  test(
    'and the log does not exist yet: one is granted, the other refused naming the winner',
    { timeout },
    async () => {
      const repo = repository();
      const first = await decided(repo, 'alice', 'before', ['claim', 'bd-1']);
      const second = await decided(repo, 'bob', 'before', ['claim', 'bd-1']);
      expect(first.gate.expected()).toMatch(/^0{40}$/);
      const answers = [
        { agent: 'alice', ran: await letGo(first) },
        { agent: 'bob', ran: await letGo(second) },
      ];
      expect(faults(repo, answers)).toEqual([]);
    },
  );

  test(
    'and want different files: both are granted, one after the other, with growing tokens',
    { timeout },
    async () => {
      const repo = withAgents('alice', 'bob');
      const first = await decided(repo, 'alice', 'before', ['reserve', 'src/a.ts']);
      const second = await decided(repo, 'bob', 'before', ['reserve', 'src/b.ts']);
      const [bob, alice] = [await letGo(second), await letGo(first)];
      expect(bob.json['result']).toBe('granted');
      expect(alice.json['result']).toBe('granted');
      expect(alice.json['leases'][0].token).toBeGreaterThan(bob.json['leases'][0].token);
    },
  );

  test(
    'and the one that lost has written nothing: there is no view to mend',
    { timeout },
    async () => {
      const repo = withAgents('alice', 'bob');
      const trace = join(repo.top, '..', 'trace');
      const traced = { ...repo, start: startTraced(repo, trace) };
      const first = await decided(traced, 'alice', 'before', ['reserve', 'src/a.ts']);
      repo.coord('bob', 'reserve', 'src/b.ts');
      expect((await letGo(first)).json['result']).toBe('granted');
      expect(gitVerbs(trace)).toEqual(['update-ref 128', 'update-ref 0']);
      expect(existsSync(join(commonDir(repo), 'coord/view-stale'))).toBe(false);
    },
  );

  test(
    'and one took effect but has not been told so: the other is refused, and then the first is told that it was granted',
    { timeout },
    async () => {
      const repo = withAgents('alice', 'bob');
      const first = await decided(repo, 'alice', 'after', [
        'reserve',
        'src/a.ts',
        '--reason',
        'fix',
      ]);
      const bob = repo.coord('bob', 'reserve', 'src/a.ts', '--reason', 'fix');
      const alice = await letGo(first);
      expect(
        faults(repo, [
          { agent: 'alice', ran: alice },
          { agent: 'bob', ran: bob },
        ]),
      ).toEqual([]);
    },
  );

  test(
    'by requests that are identical to the byte, of one agent: one lease, granted once and then renewed',
    { timeout },
    async () => {
      const repo = withAgents('twin');
      const wish = ['reserve', 'src/a.ts', '--reason', 'same'];
      const both = [
        await decided(repo, 'twin', 'before', wish),
        await decided(repo, 'twin', 'before', wish),
      ];
      const answers = await Promise.all(both.map(letGo));
      const told = answers.map(({ code, json }) => [
        code,
        json['leases'][0].id,
        json['leases'][0].token,
      ]);
      const [lease] = leasesAt(repo);
      expect(told).toEqual([
        [0, lease?.id, lease?.token],
        [0, lease?.id, lease?.token],
      ]);
      expect(leasesAt(repo).length).toBe(1);
      expect(events(repo, 'acquired').length).toBe(1);
      expect(events(repo, 'renewed').length).toBe(1);
    },
  );

  test(
    'planted bug: where the expected value is dropped from the swap, the check finds two that were granted',
    { timeout },
    async () => {
      const repo = withAgents('alice', 'bob');
      const first = await decided(repo, 'alice', 'before', ['reserve', 'src/a.ts']);
      const second = await decided(repo, 'bob', 'unguarded', ['reserve', 'src/a.ts']);
      const alice = await letGo(first);
      // The second line of defence, the memory of the last tip, would notice.
      rmSync(join(commonDir(repo), 'coord', 'tip'));
      const bob = await letGo(second);
      expect(
        faults(repo, [
          { agent: 'alice', ran: alice },
          { agent: 'bob', ran: bob },
        ]),
      ).toEqual(['2 were granted: alice bob', 'alice was granted it and does not hold it']);
    },
  );
});
