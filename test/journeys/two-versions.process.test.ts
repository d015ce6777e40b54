/**
 * The packed release 0.1.0 and this coord in one repository: they share a log of the first format,
 * which is raised on request alone, and only once nobody of 0.1.0 is at work. Every verb and hook of
 * both is in two-versions.system.test.ts.
 */
import { beforeAll, describe, expect, test } from 'vitest';
import { formatOf, released, runReleased } from '../support/released.ts';
import { repository, type TestRepository } from '../support/repository.ts';

let program = '';
beforeAll(() => {
  program = released('0.1.0');
});

test('each refuses what the other has granted, and what protects a holder stays with a lease that 0.1.0 leaves alone', () => {
  const repo = repository();
  expect(repo.coord('ann', '-c', 'coord.grace=10m', 'reserve', 'a').code).toBe(0);
  expect(runReleased(program, repo, 'bob', 'reserve', 'a').code).toBe(1);
  expect(runReleased(program, repo, 'bob', 'reserve', 'b').code).toBe(0);
  expect(repo.coord('ann', 'reserve', 'b').code).toBe(1);
  expect(
    JSON.parse(
      repo
        .git('show', 'refs/coord/log:leases')
        .split('\n')
        .find((row) => row.includes('"ann"')) ?? '',
    ),
  ).toMatchObject({ protection: { grace: 600 } });
});

describe('lines beside 0.1.0', () => {
  const beside = (): TestRepository => {
    const repo = repository();
    for (const agent of ['ann', 'eve'])
      expect(repo.coord(agent, 'reserve', '--lines', 'a').json['leases'][0].mode).toBe('lines');
    return repo;
  };
  const modes = (repo: TestRepository): readonly string[] =>
    repo.coord(null, 'status').json['leases'].map(({ mode }: { mode: string }) => mode);

  test('are all of it there: it lets nobody in, and they stay what they are while it writes', () => {
    const repo = beside();
    for (const args of [['a'], ['--shared', 'a'], ['**/a']]) {
      const { code, json } = runReleased(program, repo, 'bob', 'reserve', ...args);
      expect({ code, blockers: json['blockers'] }).toMatchObject({
        code: 1,
        blockers: [{ mode: 'exclusive' }, { mode: 'exclusive' }],
      });
    }
    expect(runReleased(program, repo, 'bob', 'check', 'a').code).toBe(1);
    for (const args of [['reserve', 'b'], ['renew'], ['sweep'], ['release', 'b']])
      expect(runReleased(program, repo, 'bob', ...args).code).toBe(0);
    expect(modes(repo)).toEqual(['lines', 'lines']);
    expect(repo.coord('cy', 'reserve', '--lines', 'a').code).toBe(0);
    expect(repo.coord(null, 'doctor').code).toBe(0);
  });

  test('are not had beside what it holds or waits for', () => {
    const repo = repository();
    expect(runReleased(program, repo, 'bob', 'reserve', 'a').code).toBe(0);
    expect(repo.coord('ann', 'reserve', '--lines', 'a').json['refusal'].kind).toBe('held');
  });

  test('are all of it once their holder has gone back to it, and lines again when it returns', () => {
    const repo = beside();
    expect(runReleased(program, repo, 'ann', 'renew').code).toBe(0);
    expect(modes(repo).toSorted()).toEqual(['exclusive', 'lines']);
    expect(repo.coord('cy', 'reserve', '--lines', 'a').code).toBe(1);
    expect(repo.coord('ann', 'reserve', '--lines', 'a').code).toBe(0);
    expect(repo.coord('cy', 'reserve', '--lines', 'a').code).toBe(0);
  });
});

describe('raising the log to the newest format', () => {
  test('waits for an agent at work with 0.1.0, and says for whom', () => {
    const repo = repository();
    expect(runReleased(program, repo, 'bob', 'reserve', 'b').code).toBe(0);
    expect(repo.coord('ann', 'reserve', 'a').code).toBe(0);
    const { json, code } = repo.coord(null, 'doctor', '--fix');
    expect(code).toBe(0);
    expect(json['checks']).toContainEqual(
      expect.objectContaining({
        check: 'format',
        standing: 'note',
        says: expect.stringMatching(/while bob \(\w{8}\) may be at work with an older coord/),
      }),
    );
    expect(formatOf(repo)).toBe(1);
  });

  test('is done once, by doctor --fix alone, and 0.1.0 is told what to install and repairs nothing', () => {
    const repo = repository();
    expect(repo.coord('ann', 'reserve', 'a').code).toBe(0);
    expect(repo.coord(null, 'doctor').json['checks']).toContainEqual(
      expect.objectContaining({ check: 'format', standing: 'note', next: 'coord doctor --fix' }),
    );
    expect(formatOf(repo)).toBe(1);
    expect(repo.text(null, 'doctor', '--fix').stdout).toContain(
      'fixed: raised the log from format 1 to 2',
    );
    expect(formatOf(repo)).toBe(2);
    // Also while the raise itself is the newest operation.
    expect(runReleased(program, repo, 'bob', 'status').json['error']?.code).toBe('log_newer');
    expect(repo.coord(null, 'doctor', '--fix').json['fixed']).toEqual([]);
    expect(repo.coord('ann', 'reserve', 'b').code).toBe(0);
    expect(repo.text(null, 'log').stdout).toMatch(/raised the log to format 2/);
    const tip = repo.git('rev-parse', 'refs/coord/log');
    expect(runReleased(program, repo, 'bob', 'doctor', '--fix').code).toBe(69);
    expect(repo.git('rev-parse', 'refs/coord/log')).toBe(tip);
  });

  test('an agent that has moved on to this coord no longer keeps the log as it was', () => {
    const repo = repository();
    expect(runReleased(program, repo, 'bob', 'reserve', 'b').code).toBe(0);
    expect(repo.coord('bob', 'reserve', 'c').code).toBe(0);
    expect(repo.coord(null, 'doctor', '--fix').json['fixed']).toEqual([
      expect.stringContaining('raised the log'),
    ]);
  });

  test('an agent that has gone back to 0.1.0 keeps the log as it is', () => {
    const repo = repository();
    expect(repo.coord('bob', 'reserve', 'b').code).toBe(0);
    expect(runReleased(program, repo, 'bob', 'renew').code).toBe(0);
    const { json } = repo.coord(null, 'doctor', '--fix');
    expect(json['fixed']).toEqual([]);
    expect(json['checks']).toContainEqual(
      expect.objectContaining({
        check: 'format',
        says: expect.stringMatching(/while bob \(\w{8}\) may be at work with an older coord/),
      }),
    );
    expect(formatOf(repo)).toBe(1);
  });
});
