/** What a sweep takes away. */
import { expect, test } from 'vitest';
import { reserveInThePast } from '../../support/aged.ts';
import { leasesAt } from '../../support/log-check.ts';
import { repository } from '../../support/repository.ts';

test('--older-than changes what is swept, --dry-run sweeps nothing, and a sweep says expired [QUALITY-1, QUALITY-5, SYN-M2]', async () => {
  const repo = repository();
  const grace = ['-c', 'coord.grace=0s'];
  await reserveInThePast(repo, 'ann', ['a'], 200_000, '0s');
  const [lease] = leasesAt(repo);
  expect(repo.coord(null, 'status', ...grace).json['leases']).toEqual([]);
  expect(repo.coord('bob', 'sweep', '--older-than', '1h', ...grace).json['count']).toBe(0);
  expect(repo.coord('bob', 'sweep', '--dry-run', ...grace).json).toMatchObject({
    result: 'would-sweep',
    count: 1,
  });
  expect(
    repo.coord('bob', 'sweep', ...grace).json['leases'].map((swept: { id: string }) => swept.id),
  ).toEqual([lease?.id]);
  expect(repo.coord('bob', 'sweep', ...grace).json['result']).toBe('nothing');
  expect(repo.coord(null, 'log').stdout.match(/"event":"expired"/g)).toHaveLength(1);
});
