/** The view is derived: it may go at any time. */
import { expect, test } from 'vitest';
import { repository } from '../support/repository.ts';

test('local files and view refs can all go without a decision changing [SYN-H2, F-CORR-H1]', () => {
  const repo = repository();
  repo.coord('ann', 'reserve', 'src/**', '--reason', 'x');
  const refs = repo.git('for-each-ref', '--format=%(refname)', 'refs/coord').trim().split('\n');
  for (const ref of refs.filter((name) => !name.endsWith('/log')))
    repo.git('update-ref', '-d', ref);
  expect(repo.coord('bob', 'reserve', 'src/a.ts').json['blockers'][0].agent.name).toBe('ann');
  expect(repo.coord(null, 'sweep').code).toBe(0);
  expect(repo.git('for-each-ref', 'refs/coord/reservations')).toContain('refs/coord/reservations/');
});
