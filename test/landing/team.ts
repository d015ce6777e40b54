/** Two clones of one server, joined by its log. */
import { clones, served } from '../support/clones.ts';
import type { TestRepository } from '../support/repository.ts';
import { type GitServer, serve, type Transport } from '../support/servers.ts';

export const transports: readonly Transport[] = ['daemon', 'http', 'ssh'];

export function committed(repo: TestRepository, path: string, content = 'work\n'): string {
  repo.write(path, content);
  repo.git('add', '--', path);
  repo.git('commit', '-q', '-m', `change ${path}`);
  return repo.git('rev-parse', 'HEAD').trim();
}

export async function team(
  transport: Transport = 'http',
): Promise<{
  readonly server: GitServer;
  readonly one: TestRepository;
  readonly two: TestRepository;
  readonly there: TestRepository;
}> {
  const server = await serve(transport);
  const [one, two] = clones(server, 2) as [TestRepository, TestRepository];
  one.git('push', '-q', 'origin', 'HEAD:refs/heads/main');
  two.git('fetch', '-q', 'origin');
  two.git('reset', '-q', '--hard', 'origin/main');
  return { server, one, two, there: served(server, one) };
}

export const main = (repo: TestRepository): string =>
  repo.git('rev-parse', 'refs/heads/main').trim();
