/**
 * The packed release 0.1.0 and this coord in one repository: they share a log of the first format,
 * which is raised on request alone, and only once nobody of 0.1.0 is at work. Every verb and hook of
 * both is in two-versions.system.test.ts.
 */
import { beforeAll, describe, expect, test } from 'vitest';
import { formatOf, released, runReleased } from '../support/released.ts';
import { repository } from '../support/repository.ts';

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
