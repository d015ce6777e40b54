/**
 * Processes that stand in line together: what they have decided goes into the log by one swap, each
 * tells its own outcome, and nobody says anything before it is so.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { systemClock } from '../../src/agent/clock.ts';
import { SeenFile } from '../../src/agent/seen.ts';
import { queueFolder } from '../../src/log/queue.ts';
import { type HeldTurn, holdTurn } from '../support/held-turn.ts';
import { leasesAt, logFaults, operations, viewFaults } from '../support/log-check.ts';
import { released, runReleased } from '../support/released.ts';
import {
  eventually,
  repository,
  type Started,
  type TestRepository,
} from '../support/repository.ts';

const timeout = 60_000;

interface Crowd {
  readonly repo: TestRepository;
  readonly trace: string;
  readonly started: readonly Started[];
  /** Whoever is to move the log waits for this. */
  readonly turn: HeldTurn;
}

function inFolder(folder: string): readonly string[] {
  return existsSync(folder) ? readdirSync(folder) : [];
}

function underWay(repo: TestRepository): number {
  return inFolder(join(repo.top, '.git/coord/under-way')).filter((name) => /^\d+$/.test(name))
    .length;
}

function swaps(trace: string): number {
  return readFileSync(trace, 'utf8').split('"update-ref"').length - 1;
}

/** All of these have decided and written, and none has gone into the log. */
async function crowd(wishes: readonly (readonly string[])[]): Promise<Crowd> {
  const repo = repository();
  repo.coord('zoe', 'reserve', 'zoe');
  const common = join(repo.top, '.git');
  const line = await holdTurn(queueFolder(common));
  const turn = await holdTurn(queueFolder(join(common, 'coord', 'batch')));
  const trace = join(repo.top, '..', 'trace');
  const started = wishes.map((args, i) => repo.start(`agent-${i}`, args, { COORD_TRACE: trace }));
  const isPlace = (name: string): boolean => /^[1-9]\d*\./.test(name);
  await eventually(
    'all stand in line',
    () => inFolder(queueFolder(common)).filter(isPlace).length === wishes.length,
  );
  line.leave();
  return { repo, trace, started, turn };
}

function holders(repo: TestRepository): readonly string[] {
  return leasesAt(repo)
    .map(({ agent }) => agent.name)
    .sort();
}

describe('those that stand in line together', () => {
  test('go into the log by one swap, each as its own operation', { timeout }, async () => {
    const wishes = Array.from({ length: 8 }, (_, i) => ['reserve', `src/${i}`]);
    const { repo, trace, started, turn } = await crowd(wishes);
    await eventually('all are written', () => underWay(repo) === 8);
    expect(operations(repo)).toHaveLength(1);
    turn.leave();
    const came = await Promise.all(started.map(({ ended }) => ended));
    expect(came.map(({ json }) => json['result'])).toEqual(wishes.map(() => 'granted'));
    expect({ swaps: swaps(trace), operations: operations(repo).length }).toEqual({
      swaps: 1,
      operations: 9,
    });
    expect([...logFaults(repo), ...viewFaults(repo)]).toEqual([]);
    expect(underWay(repo)).toBe(0);
  });

  test(
    'decide on what those before them do, and are refused once that is so',
    { timeout },
    async () => {
      const { repo, started, turn } = await crowd([
        ['reserve', 'src/one'],
        ['reserve', 'src/one'],
      ]);
      await eventually('one is written', () => underWay(repo) === 1);
      const first = await Promise.race([
        ...started.map(({ ended }) => ended),
        new Promise((next) => setTimeout(next, 500)),
      ]);
      expect(first).toBeUndefined();
      turn.leave();
      const came = await Promise.all(started.map(({ ended }) => ended));
      expect(came.map(({ code }) => code).sort()).toEqual([0, 1]);
      expect(leasesAt(repo)).toHaveLength(2);
      expect(logFaults(repo)).toEqual([]);
    },
  );

  test(
    'decide again where somebody else, here an older coord, was faster',
    { timeout },
    async () => {
      const wishes = [
        ['reserve', 'src/one'],
        ['reserve', 'src/two'],
      ];
      const { repo, started, turn } = await crowd(wishes);
      await eventually('both are written', () => underWay(repo) === 2);
      expect(runReleased(released('0.1.0'), repo, 'bob', 'reserve', 'src/one').code).toBe(0);
      turn.leave();
      const came = await Promise.all(started.map(({ ended }) => ended));
      expect(came.map(({ code }) => code)).toEqual([1, 0]);
      expect(holders(repo)).toEqual(['agent-1', 'bob', 'zoe']);
      expect([...logFaults(repo), ...viewFaults(repo)]).toEqual([]);
    },
  );

  test('one that is killed before it could send leaves nobody behind', { timeout }, async () => {
    const wishes = [
      ['reserve', 'src/one'],
      ['reserve', 'src/two'],
      ['reserve', 'src/three'],
    ];
    const { repo, started, turn } = await crowd(wishes);
    await eventually('all are written', () => underWay(repo) === 3);
    started[1]?.child.kill('SIGKILL');
    await started[1]?.ended;
    turn.leave();
    const [one, , three] = await Promise.all(started.map(({ ended }) => ended));
    expect([one?.json['result'], three?.json['result']]).toEqual(['granted', 'granted']);
    // What it wrote was built upon, and stands under its name.
    expect(holders(repo)).toEqual(['agent-0', 'agent-1', 'agent-2', 'zoe']);
    expect([...logFaults(repo), ...viewFaults(repo)]).toEqual([]);
  });

  test(
    'if all are killed, the next one finds the log as it was, or with what they wrote',
    { timeout },
    async () => {
      const { repo, started, turn } = await crowd([
        ['reserve', 'src/one'],
        ['reserve', 'src/two'],
      ]);
      await eventually('both are written', () => underWay(repo) === 2);
      for (const { child } of started) child.kill('SIGKILL');
      await Promise.all(started.map(({ ended }) => ended));
      turn.leave();
      expect(repo.coord('bob', 'reserve', 'src/three').code).toBe(0);
      expect([...logFaults(repo), ...viewFaults(repo)]).toEqual([]);
      expect(repo.coord(null, 'doctor').json['checks']).not.toContainEqual(
        expect.objectContaining({ standing: 'wrong' }),
      );
    },
  );
});

describe('what lies in the folder of those on their way', () => {
  const folder = (repo: TestRepository): string => join(repo.top, '.git/coord/under-way');

  function waiting(repo: TestRepository, oid: string): void {
    repo.coord('zoe', 'reserve', 'zoe');
    const tip = repo.git('rev-parse', 'refs/coord/log').trim();
    const { watch } = systemClock(new SeenFile(join(repo.top, '.git')));
    mkdirSync(folder(repo), { recursive: true });
    writeFileSync(
      join(folder(repo), '000000000002'),
      `${oid} ${tip} ${watch.uptimeMs()} ${watch.domain}\n`,
    );
  }

  test('and cannot be read holds nobody up', () => {
    const repo = repository();
    waiting(repo, 'd'.repeat(40));
    expect(repo.coord('ann', 'reserve', 'src/a').code).toBe(0);
    expect(repo.coord('bob', 'reserve', 'src/a').code).toBe(1);
    expect([...logFaults(repo), ...viewFaults(repo)]).toEqual([]);
  });

  test('and is no operation goes into no log', () => {
    const repo = repository();
    waiting(repo, repo.git('rev-parse', 'HEAD').trim());
    expect(repo.coord('ann', 'reserve', 'src/a').code).toBe(0);
    expect([...logFaults(repo), ...viewFaults(repo)]).toEqual([]);
  });

  test('where nothing can be put there, it is granted all the same', () => {
    const repo = repository();
    repo.coord('zoe', 'reserve', 'zoe');
    rmSync(folder(repo), { recursive: true, force: true });
    writeFileSync(folder(repo), 'a file in its place');
    expect(repo.coord('ann', 'reserve', 'src/a').code).toBe(0);
    expect(logFaults(repo)).toEqual([]);
  });
});
