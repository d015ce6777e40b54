/** What stats warns of and proposes. */
import { describe, expect, test } from 'vitest';
import type { TestRepository } from '../support/repository.ts';
import { checkout } from '../support/sessions.ts';

function held(): TestRepository {
  const repo = checkout();
  expect(repo.coord('ann', 'reserve', 'src/a', '--reason', 'the parser').code).toBe(0);
  return repo;
}

describe('coord stats [U20]', () => {
  test('warns on enough data only, counts no persons, and names what helps in its order', () => {
    const repo = held();
    repo.coord(null, 'reserve', 'src/of-a-person');
    for (let i = 0; i < 3; i += 1) repo.coord('bob', 'reserve', 'src/a');
    const { json } = repo.coord(null, 'stats');
    expect(json).toMatchObject({
      result: 'fine',
      tries: 5,
      waits: 3,
      activeAgents: 2,
      mitigations: [],
    });
    for (let i = 0; i < 17; i += 1) repo.coord('bob', 'reserve', 'src/a');
    const warned = repo.coord(null, 'stats').json as {
      readonly mitigations: readonly { readonly name: string }[];
    };
    expect(warned.mitigations.map(({ name }) => name)).toEqual([
      'sequential',
      'strict-gate',
      'work-trees',
      'validation-worker',
    ]);
  });
});
