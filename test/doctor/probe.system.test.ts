/** Doctor tries the hooks with another git. Needs: newer git. */
import { expect, test } from 'vitest';
import { withNewerGit } from '../support/newer-git.ts';
import { checkout } from '../support/sessions.ts';

test('doctor proves in a throw-away repository that a block blocks', () => {
  const repo = checkout({ env: withNewerGit() });
  const before = repo.git('for-each-ref');
  const checks: readonly { readonly check: string }[] = repo.coord(null, 'doctor').json['checks'];
  expect(checks.find(({ check }) => check === 'proof')).toMatchObject({ standing: 'ok' });
  expect(repo.git('for-each-ref')).toEqual(before);
  expect(repo.git('status', '--porcelain')).toBe('');
});
