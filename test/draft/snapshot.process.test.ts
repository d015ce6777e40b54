/** Snapshots of unsaved work. */
import { expect, test } from 'vitest';
import { limits } from '../../src/core/limits.ts';
import { dropOldSnapshots, snapshotsIn, writeSnapshot } from '../../src/draft/snapshot.ts';
import { openRepository } from '../../src/git/repository.ts';
import { repository } from '../support/repository.ts';

test('work that is kept again is not dropped for the age of its first copy', () => {
  const repo = repository();
  const here = openRepository(repo.top, repo.env);
  repo.write('a', 'unsaved');
  const oid = repo.git('hash-object', '-w', 'a').trim();
  const work = {
    agent: { id: 'aaaaaaaa', name: 'ann' },
    entries: [{ mode: '100644', oid, path: 'a' }],
    why: 'git reset',
  };
  const now = limits.savedAgeMs + 2_000;
  writeSnapshot(here, { ...work, at: 1_000 });
  writeSnapshot(here, { ...work, why: 'git stash', at: now });
  dropOldSnapshots(here, now);
  expect(snapshotsIn(here)).toMatchObject([{ agent: 'ann', at: now, why: 'git stash' }]);
});
