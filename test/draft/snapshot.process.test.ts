/** Snapshots of unsaved work. */
import { beforeEach, expect, test } from 'vitest';
import { limits } from '../../src/core/limits.ts';
import { snapshotsIn, writeSnapshot, writeSnapshots } from '../../src/draft/snapshot.ts';
import { openRepository, type Repository } from '../../src/git/repository.ts';
import { repository, type TestRepository } from '../support/repository.ts';

const ann = { id: 'aaaaaaaa', name: 'ann' };
const bob = { id: 'bbbbbbbb', name: 'bob' };
let repo: TestRepository;
let here: Repository;

beforeEach(() => {
  repo = repository();
  here = openRepository(repo.top, repo.env);
});

/** Files with their own names in them. */
function entries(...paths: readonly string[]) {
  return paths.map((path) => {
    repo.write(path, path);
    return { mode: '100644', oid: repo.git('hash-object', '-w', '--', path).trim(), path };
  });
}

test('work that is kept again is not dropped for the age of its first copy', () => {
  const work = { agent: ann, entries: entries('a'), why: 'git reset' };
  const now = limits.savedAgeMs + 2_000;
  writeSnapshot(here, { ...work, at: 1_000 });
  writeSnapshot(here, { ...work, why: 'git stash', at: now });
  expect(snapshotsIn(here)).toMatchObject([{ agent: 'ann', at: now, why: 'git stash' }]);
});

test('is the tree that git would make of these files, whatever they are called', () => {
  const kept = entries('b', 'a/ä b', 'a.c', 'a/c/d', 'a-b', 'z/"q"\n');
  writeSnapshot(here, { agent: ann, entries: kept, why: 'git reset', at: 1_000 });
  const [saved] = snapshotsIn(here);
  repo.git('add', '--all');
  expect(saved?.tree).toBe(repo.git('write-tree').trim());
  expect(repo.git('fsck', '--strict')).toBe('');
});

test('several agents are kept in one step; what is past its time, or one too many, goes', () => {
  const work = entries('a', 'b');
  const snapshot = (agent: typeof ann, i: number, at: number) => ({
    agent,
    entries: work.slice(i),
    why: `git reset ${at}`,
    at,
  });
  writeSnapshots(here, [snapshot(ann, 0, 1_000), snapshot(bob, 0, 1_000)]);
  expect(
    snapshotsIn(here)
      .map(({ agent }) => agent)
      .sort(),
  ).toEqual(['ann', 'bob']);
  const later = 2_000 + limits.savedAgeMs;
  writeSnapshots(here, [snapshot(bob, 1, later)]);
  expect(snapshotsIn(here)).toMatchObject([{ agent: 'bob', at: later }]);
  for (let i = 1; i <= limits.savedPerAgent; i += 1) {
    repo.write('a', `${i}`);
    const oid = repo.git('hash-object', '-w', 'a').trim();
    const changed = [{ mode: '100644', oid, path: 'a' }];
    writeSnapshots(here, [{ ...snapshot(bob, 0, later + i), entries: changed }]);
  }
  const left = snapshotsIn(here);
  expect(left).toHaveLength(limits.savedPerAgent);
  expect(left.at(-1)?.at).toBe(later + 1);
});
