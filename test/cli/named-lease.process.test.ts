/** Leases and requests by path as well as by id, and patterns that may be meant otherwise. */
import { describe, expect, test } from 'vitest';
import { repository, type TestRepository } from '../support/repository.ts';

function held(): TestRepository {
  const repo = repository();
  expect(repo.coord('ann', 'reserve', 'src/a').code).toBe(0);
  return repo;
}

describe('where an id is asked for a path does as well [U18]', () => {
  test('check says of each path by itself', () => {
    const { json, code } = held().coord('bob', 'check', 'src/a', 'src/b', 'src/c');
    expect({ code, result: json['result'], paths: json['paths'] }).toEqual({
      code: 1,
      result: 'held',
      paths: [
        { path: 'src/a', result: 'held' },
        { path: 'src/b', result: 'free' },
        { path: 'src/c', result: 'free' },
      ],
    });
  });

  test('a request is made by path, seen in status with its id, and answered by path', () => {
    const repo = held();
    const asked = repo.coord('bob', 'ask', 'src/a', '--reason', 'the release');
    const { id } = asked.json['request'] as { readonly id: string };
    expect(repo.coord(null, 'status').json['requests']).toMatchObject([{ id }]);
    expect(repo.coord('ann', 'answer', 'src/a', 'accept').code).toBe(0);
    expect(repo.coord('bob', 'check', 'src/a').json['result']).toBe('mine');
    expect(repo.coord('ann', 'ask', 'src/free', '--reason', 'x').code).toBe(64);
  });

  test.for<readonly [string, string]>([
    ['src/[a', 'not closed'],
    ['x/!(a)', 'parentheses'],
    ['app/[id]/page.tsx', '--literal'],
  ])('%s is granted with a word on what it was taken for', ([pattern, words]) => {
    const { json } = repository().coord('ann', 'reserve', pattern);
    expect({ result: json['result'], notes: json['notes'] }).toEqual({
      result: 'granted',
      notes: [expect.stringContaining(words)],
    });
  });

  test.for([
    'src/*.ts',
    'src/[a-z]x',
    'src/{a,b}',
    'src',
    'src/a',
  ])('%s is granted without one', (pattern) => {
    expect(repository().coord('ann', 'reserve', pattern).json['notes']).toBe(undefined);
  });
});
