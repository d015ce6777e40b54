/** Check is advice. */
import { expect, test } from 'vitest';
import { repository } from '../../support/repository.ts';

test('check is advice and takes nothing: what it called free may be gone by the time it is reserved [SYN-M3, F-CORR-M3]', () => {
  const repo = repository();
  expect(repo.coord('bob', 'check', 'a').json['result']).toBe('free');
  expect(repo.git('for-each-ref', 'refs/coord')).toBe('');
  repo.coord('ann', 'reserve', 'a');
  expect(repo.coord('bob', 'reserve', 'a').json['result']).toBe('refused');
});
