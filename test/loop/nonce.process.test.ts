/** A request that is sent again. */
import { expect, test } from 'vitest';
import { createCoord } from '../../src/index.ts';
import { repository } from '../support/repository.ts';

test('the same request sent again has one effect, another for the same thing is refused: a nonce tells them apart [SYN-H5]', async () => {
  const repo = repository();
  const nonce = '0123456789abcdef0123456789abcdef';
  const ann = createCoord({ cwd: repo.top, agent: 'ann', env: repo.env });
  const [first, again] = [await ann.reserve('a', { nonce }), await ann.reserve('a', { nonce })];
  expect(first['leases']).toEqual(again['leases']);
  expect(repo.git('log', '--format=%s', 'refs/coord/log').match(/reserved/g)).toEqual(['reserved']);
  expect((await createCoord({ cwd: repo.top, agent: 'bob', env: repo.env }).reserve('a')).ok).toBe(
    false,
  );
});
