/** What another holds and what nobody holds. */
import { expect, test } from 'vitest';
import { repository } from '../../support/repository.ts';

test('what another holds is refused, what nobody holds is free, and check tells them apart [A2]', () => {
  const repo = repository();
  repo.coord('ann', 'reserve', 'src/');
  expect(
    ['src/a.ts', 'src', 'lib/a.ts'].map((path) => repo.coord('bob', 'check', path).json['result']),
  ).toEqual(['held', 'held', 'free']);
  expect(repo.coord('ann', 'check', 'src/a.ts').json['result']).toBe('mine');
  expect(repo.coord('ann/review', 'check', 'src/a.ts').json['result']).toBe('mine');
});
