/** Names and reasons that are meant for a shell or a terminal. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { repository } from '../support/repository.ts';

test('hostile names and reasons are never executed and never printed raw [SAFETY-1]', () => {
  const repo = repository();
  const name = 'a\'"$(touch pwned)`id`\u001b[31m\u202e.ts';
  repo.write(name);
  expect(repo.coord('ann', 'reserve', name).code).toBe(0);
  const refused = repo.text('bob', 'reserve', name);
  expect(refused.code).toBe(1);
  const shown =
    refused.stderr +
    repo.text(null, 'status').stdout +
    repo.text(null, 'log').stdout +
    repo.coord(null, 'status').stdout;
  expect(shown).not.toMatch(/[\u001b\u202e\u0080-\u009f]/);
  expect(existsSync(join(repo.top, 'pwned'))).toBe(false);
  expect(
    repo.git('for-each-ref', 'refs/coord', '--format=%(refname) %(contents:subject)'),
  ).not.toMatch(/[\u001b\u202e]/);
  const reason = repo.coord('ann', 'reserve', 'x', '--reason', 'line\nbreak');
  expect(reason.code).toBe(64);
  expect(reason.json['error'].code).toBe('bad_reason');
});
