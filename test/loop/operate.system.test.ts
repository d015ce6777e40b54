/** The loop: requests that are alike, and a log that moved meanwhile. */
import { describe, expect, test } from 'vitest';
import { repository } from '../support/repository.ts';
import { sources } from '../support/sources.ts';

describe('the loop', () => {
  test('two requests alike to the byte have one effect each, because each has its own nonce [#2665]', () => {
    const repo = repository();
    repo.coord('ann', 'reserve', 'a');
    repo.coord('ann', 'reserve', 'a');
    const nonces = repo
      .git('log', '--format=%(trailers:key=Nonce,valueonly)', 'refs/coord/log')
      .split('\n')
      .filter((line) => line !== '');
    expect(nonces).toHaveLength(2);
    expect(new Set(nonces).size).toBe(2);
    expect(nonces.every((nonce) => /^[0-9a-f]{32}$/.test(nonce))).toBe(true);
  });

  test('a log that moved meanwhile is read again, in a language nobody has to parse [#1212, #2615]', () => {
    const repo = repository({ env: { LANG: 'de_DE.UTF-8', LANGUAGE: 'de' } });
    expect(repo.coord('ann', 'reserve', 'a').code).toBe(0);
    expect(sources().join('\n')).not.toMatch(/stderr[^\n]*(File exists|cannot lock|but expected)/);
  });
});
