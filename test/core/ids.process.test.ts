/** An id looks the same wherever it is shown. */
import { expect, test } from 'vitest';
import { repository } from '../support/repository.ts';

test('one form of id everywhere [ARCH-2, ARC-M2]', () => {
  const repo = repository();
  const granted = repo.coord('ann', 'reserve', 'a').json['leases'][0];
  const who = repo.coord('ann', 'whoami').json['agent'];
  expect(granted.id).toEqual(expect.stringMatching(/^[0-9a-z]{8}$/));
  expect(granted.agent.id).toEqual(who.id);
  expect(
    repo.git('for-each-ref', '--format=%(refname)', 'refs/coord').trim().split('\n').sort(),
  ).toEqual([
    `refs/coord/agents/${who.id}`,
    'refs/coord/log',
    `refs/coord/reservations/${granted.id}`,
  ]);
});
