/** Objects as zlib streams: git reads ours, and we read git's. */
import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { writeObject } from '../../src/git/objects.ts';
import { readLoose } from '../../src/git/read-objects.ts';
import { openRepository } from '../../src/git/repository.ts';
import { repository } from '../support/repository.ts';

test('git reads what we write and we read what git writes, small and large', () => {
  const repo = repository();
  const ours = openRepository(repo.top, repo.env);
  for (const text of ['', 'small\n', 'large\n'.repeat(5_000)]) {
    const oid = writeObject(ours, 'blob', Buffer.from(text));
    expect(repo.git('cat-file', 'blob', oid)).toBe(text);
    const theirs = execFileSync('git', ['hash-object', '-w', '--stdin'], {
      cwd: repo.top,
      env: repo.env,
      input: `${text}theirs`,
      encoding: 'utf8',
    }).trim();
    expect(readLoose(ours, theirs)?.body.toString()).toBe(`${text}theirs`);
  }
  repo.git('fsck', '--strict');
});
