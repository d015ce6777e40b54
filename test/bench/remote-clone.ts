/** Clones of a server that is measured. */
import { repository, type TestRepository } from '../support/repository.ts';
import type { GitServer } from '../support/servers.ts';

export function cloneOf({ url, env }: Pick<GitServer, 'url' | 'env'>): TestRepository {
  const repo = repository({ env });
  repo.git('remote', 'add', 'origin', url);
  return repo;
}

export function connected(server: GitServer): TestRepository {
  const repo = cloneOf(server);
  const set = repo.coord(null, 'remote', 'set', 'origin');
  if (set.code !== 0) throw new Error(set.stdout);
  return repo;
}
