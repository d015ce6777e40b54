/** Copies of a repository as it stands, and work on several at a time. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { at, type TestRepository } from './repository.ts';

/**
 * What is wrong in a copy of the repository after `work` on it; the copy stays if there is
 * anything.
 */
export async function inCopyOf(
  repo: TestRepository,
  work: (copy: TestRepository) => Promise<readonly string[]>,
): Promise<readonly string[]> {
  const copy = copyOf(repo);
  const found = await work(copy);
  if (found.length === 0) rmSync(join(copy.top, '..'), { recursive: true, force: true });
  return found;
}

/** A copy of a repository as it stands, beside it. Nobody's name is the beginning of another's. */
export function copyOf(repo: TestRepository): TestRepository {
  const folder = mkdtempSync(join(repo.top, '..', 'copy-'));
  execFileSync('cp', ['-r', repo.top, join(folder, 'repo')]);
  return at(join(folder, 'repo'), repo.env);
}

/** Several at a time, in order. */
export async function inTurn<T, R>(
  items: readonly T[],
  atOnce: number,
  work: (item: T) => Promise<R>,
): Promise<readonly R[]> {
  const results: R[] = [];
  let next = 0;
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (let i = next++; i < items.length; i = next++) results[i] = await work(items[i] as T);
    }),
  );
  return results;
}
