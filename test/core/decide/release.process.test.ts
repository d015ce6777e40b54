/** A transfer conflicts like a grant. */
import { expect, test } from 'vitest';
import { repository } from '../../support/repository.ts';

test('a transfer conflicts like a grant: it is refused where the receiver stands against a third [ARC-3.1, ARC-C1]', () => {
  const repo = repository();
  const lease = repo.coord('ann', 'reserve', 'a', '--shared').json['leases'][0].id;
  repo.coord('bob', 'reserve', 'b');
  expect(repo.coord('ann', 'transfer', lease, '--to', 'nobody-known').json['ok']).toBe(false);
  expect(
    repo.coord('ann', 'transfer', lease, '--to', 'bob', '--reason', 'yours').json['leases'][0],
  ).toMatchObject({ id: lease, agent: { name: 'bob' } });
  expect(repo.coord('ann', 'check', 'a').json['result']).toBe('held');
});
