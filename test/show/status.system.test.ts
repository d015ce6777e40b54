/** The line of a status. */
import { expect, test } from 'vitest';
import { repository } from '../support/repository.ts';

test('status --line says all on one line and counts live holders alone [SYS-6]', () => {
  const repo = repository();
  expect(repo.text(null, 'status', '--line').stdout).toBe('coord: no leases\n');
  for (const name of ['ann', 'bob', 'cid', 'dan', 'eve', 'fay'])
    repo.coord(name, 'reserve', `${name}.ts`);
  const line = repo.text(null, 'status', '--line').stdout;
  expect(line.split('\n')).toHaveLength(2);
  expect(line).toContain('+1 agents');
});
