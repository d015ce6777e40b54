/**
 * Many real processes at once. They rarely meet by chance, so this is smoke; what they leave is
 * checked in full.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Call, linearize } from '../../src/study/linearize.ts';
import { reserveInThePast } from '../support/aged.ts';
import { commonDir, gitGate } from '../support/gate.ts';
import { events, leasesAt, logFaults, viewFaults } from '../support/log-check.ts';
import { at, type Ran, repository, type TestRepository } from '../support/repository.ts';
import { storm, type Wish } from '../support/storm.ts';
import { seeded } from '../support/world.ts';

const timeout = 240_000;
const seed = Number(process.env['COORD_SEED'] ?? 20260101);

function granted(answers: readonly Ran[]): readonly Ran[] {
  return answers.filter(({ code, json }) => code === 0 && json['result'] === 'granted');
}

/** The names of those who stand in the way of whoever was refused. */
function namedBy(answers: readonly Ran[]): readonly string[] {
  const refused = answers.filter(
    ({ code, json }) => code === 1 && json['refusal']?.kind === 'held',
  );
  return [...new Set(refused.map(({ json }) => String(json['blockers'][0]?.agent.name)))];
}

function many(count: number, args: (i: number) => readonly string[]): readonly Wish[] {
  return Array.from({ length: count }, (_, i) => ({ agent: `agent-${i}`, args: args(i) }));
}

/** Different patterns that all match src/app/x.ts. */
function overlapping(i: number): string {
  return (
    [
      `{src,part${i}}/app/x.ts`,
      `src/{app,part${i}}/*.ts`,
      `src/**/{x,y${i}}.ts`,
      `**/{x,y${i}}.*`,
      `s[!${String.fromCharCode(97 + (i % 17))}]c/app/x.ts`,
    ][i % 5] ?? ''
  );
}

describe('a storm of processes', () => {
  test(
    '50 reserve different patterns that all overlap: one holds, 49 are refused and name it [SYN-C1]',
    { timeout },
    async () => {
      const repo = repository();
      const answers = await storm(
        repo,
        many(50, (i) => ['reserve', overlapping(i)]),
      );
      const holders = leasesAt(repo).map(({ agent }) => agent.name);
      expect(granted(answers).length).toBe(1);
      expect(answers.filter(({ code }) => code === 1).length).toBe(49);
      expect(holders.length).toBe(1);
      expect(namedBy(answers)).toEqual(holders);
      expect(logFaults(repo)).toEqual([]);
    },
  );

  test('60 reserve different files of one directory: all are granted', { timeout }, async () => {
    const repo = repository();
    const answers = await storm(
      repo,
      many(60, (i) => ['reserve', `src/file-${i}.ts`]),
    );
    expect(
      answers.filter(({ code }) => code !== 0).map(({ code, stdout }) => `${code} ${stdout}`),
    ).toEqual([]);
    expect(leasesAt(repo)).toHaveLength(60);
    expect(logFaults(repo)).toEqual([]);
    expect(viewFaults(repo)).toEqual([]);
  });

  test(
    '32 claim one bead, in two rounds: each round has one winner, whom all others name [ARC-M1]',
    { timeout },
    async () => {
      const repo = repository();
      for (const bead of ['bd-1', 'bd-2']) {
        const answers = await storm(
          repo,
          many(32, () => ['claim', bead, '--reason', 'identical']),
        );
        const holders = leasesAt(repo)
          .filter((lease) => lease.bead === bead)
          .map(({ agent }) => agent.name);
        expect(granted(answers).length).toBe(1);
        expect(holders.length).toBe(1);
        expect(namedBy(answers)).toEqual(holders);
      }
      expect(logFaults(repo)).toEqual([]);
    },
  );

  test(
    'two sweeps and six more at once over three leases that ran out: one expired event for each [SYN-H3]',
    { timeout },
    async () => {
      const repo = repository();
      await reserveInThePast(repo, 'gone', ['a.ts', 'b.ts', 'c.ts']);
      const answers = await storm(
        repo,
        many(8, () => ['sweep']),
      );
      expect(answers.map(({ code }) => code)).toEqual(answers.map(() => 0));
      const leases = events(repo, 'expired').map(({ lease }) => lease);
      expect({ length: leases.length, size: new Set(leases).size }).toEqual({ length: 3, size: 3 });
      expect(leasesAt(repo)).toEqual([]);
      expect(viewFaults(repo)).toEqual([]);
    },
  );
});

/** Every agent asks for one thing only, and all of these things overlap in part. */
const things = [
  'src/a.ts',
  'src/*.ts',
  'src/b.ts',
  '**/a.ts',
  'src/**',
  'lib/a.ts',
  '{src,lib}/b.ts',
  'docs/**',
];

class Recorder {
  readonly calls: Call[] = [];
  readonly #repo: TestRepository;
  readonly #chance: () => number;

  constructor(repo: TestRepository, chance: () => number) {
    this.#repo = repo;
    this.#chance = chance;
  }

  /** One agent's life: what it does next and when it is killed comes from the seed. */
  async live(agent: string, thing: string, rounds: number): Promise<void> {
    for (let i = 0; i < rounds; i += 1) {
      const choice = this.#chance();
      if (choice < 0.45) await this.#act(agent, 'acquire', thing, ['reserve', thing]);
      else if (choice < 0.85) await this.#act(agent, 'release', thing, ['release', thing]);
      else await this.#run(agent, choice < 0.95 ? ['renew'] : ['sweep']);
    }
  }

  async #act(
    agent: string,
    kind: Call['op']['kind'],
    thing: string,
    args: readonly string[],
  ): Promise<void> {
    const called = performance.now();
    const ran = await this.#run(agent, args);
    const result = ran.code === 0 ? 'yes' : ran.code === 1 ? 'no' : 'unknown';
    this.calls.push({
      agent,
      op: { kind, patterns: [thing] },
      called,
      returned: performance.now(),
      result,
    });
  }

  /** A command, killed in one case of eight somewhere on its way. */
  async #run(agent: string, args: readonly string[]): Promise<Ran> {
    const { child, ended } = this.#repo.start(agent, args);
    const killed = this.#chance() < 0.125;
    const timer = killed
      ? setTimeout(() => child.kill('SIGKILL'), 20 + 100 * this.#chance())
      : undefined;
    const ran = await ended;
    clearTimeout(timer);
    if (ran.code !== 0 && ran.code !== 1 && !(killed && ran.code === -1))
      throw new Error(`coord ${args.join(' ')} ended with ${ran.code}: ${ran.stdout}${ran.stderr}`);
    return ran;
  }
}

describe('a recorded storm', () => {
  test(
    `of reserve, release, renew and sweep with random kills is linearizable, seed ${seed}`,
    { timeout },
    async () => {
      const repo = repository();
      const chance = seeded(seed);
      const recorder = new Recorder(repo, chance);
      await Promise.all(things.map((thing, i) => recorder.live(`agent-${i}`, thing, 9)));
      const results = recorder.calls.map(({ result }) => result);
      expect(results.filter((result) => result === 'yes').length).toBeGreaterThan(5);
      expect(results.filter((result) => result === 'no').length).toBeGreaterThan(5);
      const verdict = linearize(recorder.calls);
      expect(verdict.kind === 'legal' ? [] : recorder.calls, verdict.kind).toEqual([]);
      expect(logFaults(repo)).toEqual([]);
    },
  );

  test(
    'planted bug: two swaps without the expected value make a history that is not linearizable',
    { timeout },
    async () => {
      const repo = repository();
      const gates = [gitGate(repo, 'unguarded'), gitGate(repo, 'unguarded')];
      const started = gates.map(({ env }, i) => ({
        called: performance.now(),
        ...repo.start(`agent-${i}`, ['reserve', 'src/a.ts'], env),
      }));
      await Promise.all(gates.map((gate) => gate.reached()));
      const calls: Call[] = [];
      for (const [i, { called, ended }] of started.entries()) {
        gates[i]?.open();
        const { code } = await ended;
        calls.push({
          agent: `agent-${i}`,
          op: { kind: 'acquire', patterns: ['src/a.ts'] },
          called,
          returned: performance.now(),
          result: code === 0 ? 'yes' : 'unknown',
        });
        rmSync(join(commonDir(repo), 'coord', 'tip'), { force: true });
      }
      expect(linearize(calls).kind).toBe('illegal');
    },
  );
});

/**
 * One more operation that no coord would make: the leases as they are, and a line that is put
 * beside them.
 */
function forge(repo: TestRepository, line: string, message: string): void {
  const forger = at(repo.top, {
    ...repo.env,
    GIT_INDEX_FILE: join(commonDir(repo), 'forged-index'),
  });
  repo.write('leases', `${repo.git('show', 'refs/coord/log:leases')}${line}\n`);
  forger.git('read-tree', 'refs/coord/log');
  forger.git(
    'update-index',
    '--cacheinfo',
    `100644,${forger.git('hash-object', '-w', 'leases').trim()},leases`,
  );
  forger.git(
    'update-ref',
    'refs/coord/log',
    forger
      .git('commit-tree', '-p', 'refs/coord/log', '-m', message, forger.git('write-tree').trim())
      .trim(),
  );
}

describe('planted bug: the check of the log and of its view finds', () => {
  test('two who hold one thing, a token that did not grow, a place that was left out, and a view that shows neither', () => {
    const repo = repository();
    const [lease] = repo.coord('alice', 'reserve', 'src/a.ts').json['leases'];
    const [stored] = repo.git('show', 'refs/coord/log:leases').split('\n');
    const other = {
      ...JSON.parse(stored ?? ''),
      id: 'zzzzzzzz',
      agent: { id: 'zzzzzzz1', name: 'bob' },
      patterns: ['src/*.ts'],
    };
    const event = { event: 'acquired', agent: other.agent, lease: other.id };
    forge(repo, JSON.stringify(other), `forged\n\nSeq: 3\nEvent: ${JSON.stringify(event)}`);
    repo.git('update-ref', '-d', `refs/coord/reservations/${lease.id}`);
    repo.git('update-ref', 'refs/coord/locks/nobodys', 'HEAD');
    expect(logFaults(repo)).toEqual([
      'operation 2 says that it is 3',
      'after operation 3 both alice and bob hold src/a.ts',
      'operation 3 gave token 1 after 1',
    ]);
    expect(viewFaults(repo)).toEqual([
      `refs/coord/reservations/${lease.id} is missing`,
      'refs/coord/reservations/zzzzzzzz is missing',
      'refs/coord/locks/nobodys is left over',
    ]);
  });
});
