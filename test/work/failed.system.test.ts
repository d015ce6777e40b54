/** Work that failed. */
import { expect, test } from 'vitest';
import { repository } from '../support/repository.ts';

test('a failure says its reason and cause, and frees only what its agent held [A6]', () => {
  const repo = repository();
  repo.coord('ann', 'claim', 'bd-1');
  repo.coord('bob', 'claim', 'bd-2');
  expect(
    repo.coord(
      'ann',
      'unclaim',
      'bd-1',
      '--failed',
      '--cause',
      'shared-state',
      '--reason',
      'port taken',
    ).code,
  ).toBe(0);
  expect(
    repo.coord(null, 'status').json['leases'].map((lease: { bead: string }) => lease.bead),
  ).toEqual(['bd-2']);
  expect(repo.coord(null, 'log').stdout).toContain(
    '"failed":true,"cause":"shared-state","reason":"port taken"',
  );
  expect(repo.coord(null, 'stats').json['failures']).toEqual({ count: 1, sharedState: 1 });
});
