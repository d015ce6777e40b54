/** A lease in grace. */
import { expect, test } from 'vitest';
import { reserveInThePast } from '../support/aged.ts';
import { repository } from '../support/repository.ts';

test('in grace only the former holder may take it again, others are told when to retry, and expiry is not for ever [SYS-3]', async () => {
  const repo = repository();
  const grace = ['-c', 'coord.grace=0s'];
  await reserveInThePast(repo, 'ann', ['a'], 7_000, '10s');
  expect(repo.coord(null, 'status', ...grace).json['leases'][0]?.state).toBe('grace');
  const refused = repo.coord('bob', 'reserve', 'a', ...grace);
  expect({ code: refused.code, kind: refused.json['refusal'].kind }).toEqual({
    code: 1,
    kind: 'grace',
  });
  expect(refused.json['refusal'].retryAfter).toBeGreaterThan(0);
  expect(repo.coord('ann', 'renew', ...grace).json['leases'][0].state).toBe('live');
  expect(repo.coord('bob', 'reserve', 'a', '--wait', '30s', ...grace).code).toBe(0);
  expect(repo.coord('ann', 'renew', ...grace).code).toBe(1);
});
