/** Clones of one server that have their log on it. */
import { expect } from 'vitest';
import { at, type Options, repository, type TestRepository } from './repository.ts';
import type { GitServer } from './servers.ts';

/** A repository with the server as its origin, which nobody has told coord of yet. */
export function clone({ url, env }: GitServer, options: Options = {}): TestRepository {
  const repo = repository({ ...options, env: { ...env, ...options.env } });
  repo.git('remote', 'add', 'origin', url);
  return repo;
}

export function clones(
  server: GitServer,
  count: number,
  options: Options = {},
): readonly TestRepository[] {
  return Array.from({ length: count }, () => {
    const repo = clone(server, options);
    const set = repo.coord(null, 'remote', 'set', 'origin');
    expect(`${set.code} ${set.stderr}`).toMatch(/^0 /);
    return repo;
  });
}

/** The server's own repository, to be read with plain git. */
export function served(server: GitServer, like: TestRepository): TestRepository {
  return at(server.folder, like.env);
}
