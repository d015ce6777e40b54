/** The life of a lease, the same in a repository of every kind that git can make. */
import { execFileSync } from 'node:child_process';
import { expect } from 'vitest';
import { type Environment, repository } from '../support/repository.ts';

export interface Kind {
  readonly kind: string;
  /** Arguments for git init. */
  readonly init: readonly string[];
  readonly unborn?: boolean;
  readonly env?: Environment;
}

export function livesIn({ init, unborn, env = {} }: Kind): void {
  const repo = repository({ init, env, ...(unborn === undefined ? {} : { unborn }) });
  const lease = repo.coord('ann', 'reserve', 'src/**', '--reason', 'x').json['leases'][0];
  expect(repo.coord('bob', 'reserve', 'src/a.ts').json['blockers'][0].id).toBe(lease.id);
  const view = execFileSync(
    'git',
    [
      'for-each-ref',
      'refs/coord',
      '--format=%(refname:lstrip=2) %(authorname) %(contents:subject)',
    ],
    { cwd: repo.top, env: repo.env, encoding: 'utf8' },
  );
  expect(view).toContain(`reservations/${lease.id} ann reserves src/**`);
  expect(repo.coord('ann', 'renew').code).toBe(0);
  expect(
    repo
      .coord(null, 'doctor')
      .json['checks'].filter((check: { standing: string }) => check.standing === 'fail'),
  ).toEqual([]);
  expect(repo.coord('ann', 'release', 'src/**').code).toBe(0);
  expect(repo.coord(null, 'log').stdout.trim().split('\n').length).toBeGreaterThanOrEqual(4);
  const fsck = execFileSync('git', ['fsck', '--strict'], {
    cwd: repo.top,
    env: repo.env,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  expect(fsck).not.toMatch(/error|missing|corrupt/);
}
