/** Reserving again what one holds. */
import { expect, test } from 'vitest';
import { repository } from '../../support/repository.ts';

test('reserving again renews one lease, an upgrade looks at other sharers, a downgrade is allowed [SYN-H1, F-CORR-C3]', () => {
  const repo = repository();
  const first = repo.coord('ann', 'reserve', 'a', '--shared').json['leases'][0];
  const again = repo.coord('ann', 'reserve', 'a', '--shared').json['leases'][0];
  expect({ id: again.id, token: again.token }).toEqual({ id: first.id, token: first.token });
  expect(repo.coord('bob', 'reserve', 'a', '--shared').code).toBe(0);
  expect(repo.coord('ann', 'reserve', 'a').json['refusal'].kind).toBe('held');
  repo.coord('bob', 'release', 'a');
  const upgraded = repo.coord('ann', 'reserve', 'a').json['leases'][0];
  expect({ id: upgraded.id, mode: upgraded.mode }).toEqual({ id: first.id, mode: 'exclusive' });
  expect(upgraded.token).toBeGreaterThan(first.token);
  expect(repo.coord('ann', 'reserve', 'a', '--shared').json['leases'][0].mode).toBe('shared');
  expect(repo.coord('bob', 'reserve', 'a', '--shared').code).toBe(0);
  expect(repo.coord(null, 'status').json['leases']).toHaveLength(2);
});
