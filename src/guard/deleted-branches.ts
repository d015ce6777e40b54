/**
 * A branch that is deleted, with commits that nothing else has, can come back. Where it stood is
 * noted while git holds its locks, and kept once git says that the branch is gone.
 */
import type { RealWorld } from '../agent/world.ts';
import type { Oid } from '../core/ids.ts';
import { limits } from '../core/limits.ts';
import { type Kept, keepBranch } from '../draft/quarantine.ts';
import { existsCommit } from '../git/files-at.ts';
import { appendLocal, dropLocal, localAge, readLocal } from '../git/local.ts';
import { readBranch } from '../git/refs.ts';
import { lost } from '../git/replay.ts';
import type { Repository } from '../git/repository.ts';
import type { Observation } from '../log/log-store.ts';
import { keeperOf } from './removal.ts';

const file = 'deleted-branches';

/** Those of which no other ref has all commits; true where there is one. */
export function noteDeletedBranches(repository: Repository, branches: readonly string[]): boolean {
  const gone = branches.flatMap((branch): readonly (readonly [Oid, string])[] => {
    const head = readBranch(repository, branch);
    const isLost = head !== null && lost(repository, branches, [head], []).length > 0;
    return isLost ? [[head, branch]] : [];
  });
  const lines = gone.map(([head, branch]) => `${head} ${branch}\n`).join('');
  if (lines !== '') appendLocal(repository.commonDir, file, lines, limits.tallyBytes);
  return gone.length > 0;
}

/** What is noted of branches that are gone by now; of one that still stands the note stays. */
export function keepDeletedBranches(world: RealWorld, at: Observation): readonly Kept[] {
  const { repository } = world;
  const noted = readLocal(repository.commonDir, file) ?? '';
  if (noted === '') return [];
  const rows = noted.split('\n').flatMap((line) => {
    const [, head = '', branch = ''] = /^([0-9a-f]+) (refs\/heads\/.+)$/.exec(line) ?? [];
    return branch === '' ? [] : [{ head, branch }];
  });
  const gone = rows.filter(
    ({ head, branch }) => readBranch(repository, branch) === null && existsCommit(repository, head),
  );
  const kept = gone.map((one) =>
    keepBranch(repository, keeperOf(world, at), { ...one, why: 'it was deleted' }),
  );
  // A note that was not heeded is of no use a day later.
  const isOld = localAge(repository.commonDir, file) > limits.remainsAgeMs;
  if (gone.length === rows.length || isOld) dropLocal(repository.commonDir, file);
  return kept;
}
