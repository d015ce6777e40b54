/** What happens to a lease is in the log once. */
import { expect, test } from 'vitest';
import { reserveInThePast } from '../support/aged.ts';
import { repository } from '../support/repository.ts';

test('acquired, released, conflict, expired and transferred are each in the log exactly once, with id and pattern [ARCH-3, ARC-M3]', async () => {
  const repo = repository();
  const lease = repo.coord('ann', 'reserve', 'a').json['leases'][0];
  repo.coord('bob', 'reserve', 'a');
  repo.coord('bob', 'reserve', 'other');
  repo.coord('ann', 'transfer', lease.id, '--to', 'bob');
  repo.coord('bob', 'release', lease.id);
  await reserveInThePast(repo, 'ann', ['brief'], 3_000, '0s');
  const taken = repo.coord('bob', 'reserve', 'brief', '--wait', '20s', '-c', 'coord.grace=0s');
  expect(taken.json['result']).toBe('granted');
  const events = repo
    .coord(null, 'log')
    .stdout.trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, any>);
  const of = (name: string, pattern: string): Record<string, any>[] =>
    events.filter((event) => event['event'] === name && event['patterns']?.includes(pattern));
  expect(of('acquired', 'a').map((event) => event['lease'])).toEqual([lease.id]);
  expect(of('conflict', 'a').map((event) => event['blockers'][0].id)).toEqual([lease.id]);
  expect(of('transferred', 'a').map((event) => event['lease'])).toEqual([lease.id]);
  expect(of('released', 'a').map((event) => event['lease'])).toEqual([lease.id]);
  expect(of('expired', 'brief')).toHaveLength(1);
  expect(events.findIndex((event) => event['event'] === 'expired')).toBeLessThan(
    events.findLastIndex(
      (event) => event['event'] === 'acquired' && event['patterns'].includes('brief'),
    ),
  );
  const cursor = events.at(-2)?.['seq'] as number;
  expect(repo.coord(null, 'log', '--since', String(cursor)).stdout).not.toContain(
    `"seq":${cursor},`,
  );
});
