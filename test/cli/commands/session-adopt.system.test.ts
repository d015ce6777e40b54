/** A session that is taken over. */
import { expect, test } from 'vitest';
import { repository } from '../../support/repository.ts';

test('adopting a session is by its token alone, and the old key is worth nothing then [#3182]', async () => {
  const repo = repository();
  const first = repo.coord(null, 'session', 'start', 'ann').json;
  const key = { COORD_AGENT: 'ann', COORD_SESSION: first['token'] as string };
  expect((await repo.start(null, ['reserve', 'a'], key).ended).code).toBe(0);
  expect(repo.coord('ann', 'reserve', 'b').json['refusal'].kind).toBe('not_your_session');
  expect(repo.coord(null, 'session', 'adopt', '--token', 'guessed').json['refusal'].kind).toBe(
    'wrong_token',
  );
  expect(repo.coord(null, 'session', 'start', 'ann').json['refusal'].kind).toBe('name_taken');
  const adopted = repo.coord(null, 'session', 'adopt', '--token', first['token'] as string).json;
  expect(adopted['agent'].id).toBe(first['agent'].id);
  expect((await repo.start(null, ['renew'], key).ended).json['refusal'].kind).toBe(
    'not_your_session',
  );
  const now = { COORD_AGENT: 'ann', COORD_SESSION: adopted['token'] as string };
  expect((await repo.start(null, ['renew'], now).ended).code).toBe(0);
  expect(
    (
      await repo.start('ann/review', ['reserve', 'c'], {
        COORD_SESSION: adopted['token'] as string,
      }).ended
    ).code,
  ).toBe(0);
  expect(repo.coord('ann/intruder', 'reserve', 'd').json['refusal'].kind).toBe('not_your_session');
});
