/** What stats counts. */
import { expect, test } from 'vitest';
import { repository } from '../support/repository.ts';

test('stats counts tries, waits and checks [Triggers]', () => {
  const repo = repository();
  repo.coord('ann', 'reserve', 'a');
  repo.coord('bob', 'check', 'a');
  repo.coord('bob', 'reserve', 'a');
  const before = repo.git('rev-parse', 'refs/coord/log');
  expect(repo.coord(null, 'stats').json).toMatchObject({ tries: 2, waits: 1, holderChecks: 0 });
  expect(repo.git('rev-parse', 'refs/coord/log')).toBe(before);
  repo.coord('bob', 'reserve', 'b');
  const stats = repo.coord(null, 'stats', '--since', '24h').json;
  expect(stats).toMatchObject({ tries: 3, waits: 1, holderChecks: 1, waitsByTarget: { a: 1 } });
  // One of three is no rate yet.
  expect(
    stats['warnings'].find((warning: { name: string }) => warning.name === 'waits'),
  ).toMatchObject({ exceeded: false });
});
