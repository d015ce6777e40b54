/** A remote that is no use: it is named, nothing is granted by it, and nothing has changed. */
import { expect } from 'vitest';
import type { TestRepository } from '../support/repository.ts';

export const timeout = 120_000;

/**
 * Refused with these words, by set and by probe; the log here goes on, and no file of the
 * repository has changed.
 */
export function isNoUse(
  repo: TestRepository,
  code: string | RegExp,
  says: RegExp,
  hint?: RegExp,
): void {
  expect(repo.coord('alice', 'reserve', 'src/a.ts').code).toBe(0);
  const config = repo.git('config', '--local', '--list');
  const refs = repo.git('for-each-ref');
  for (const args of [
    ['remote', 'set', 'origin', '--move'],
    ['remote', 'set', 'origin'],
  ]) {
    const set = repo.coord('alice', ...args);
    if (set.json['refusal']?.kind === 'live_leases') continue;
    expect(set.code === 69 || set.code === 64 || set.code === 75).toBe(true);
    expect(set.json['error']?.code).toEqual(expect.stringMatching(code));
    expect(set.json['error'].message).toMatch(says);
    if (hint !== undefined) expect(set.json['error'].hint).toMatch(hint);
  }
  expect(repo.git('config', '--local', '--list')).toEqual(config);
  expect(repo.git('for-each-ref')).toEqual(refs);
  expect(repo.coord('bob', 'reserve', 'src/a.ts').json['blockers'][0].agent.name).toBe('alice');
  expect(repo.coord('bob', 'reserve', 'src/b.ts').code).toBe(0);
  expect(repo.git('fsck', '--strict', '--no-dangling')).toBe('');
}
