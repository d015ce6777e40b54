/** A server with coord's hook, and two clones that have joined its log. */
import { expect } from 'vitest';
import { clone, clones } from '../support/clones.ts';
import { run, type TestRepository } from '../support/repository.ts';
import { type GitServer, serve, type Transport } from '../support/servers.ts';

export async function guarded(
  transport: Transport = 'http',
): Promise<{
  readonly server: GitServer;
  readonly one: TestRepository;
  readonly two: TestRepository;
}> {
  const server = await serve(transport);
  const installed = run(server.folder, clone(server).env, ['install', '--server', '--json']);
  expect(`${installed.code} ${installed.stderr}`).toMatch(/^0 /);
  const [one, two] = clones(server, 2) as [TestRepository, TestRepository];
  one.git('push', '-q', 'origin', 'HEAD:refs/heads/main');
  two.git('fetch', '-q', 'origin');
  two.git('reset', '-q', '--hard', 'origin/main');
  return { server, one, two };
}

export function refusedPush(repo: TestRepository, ...args: readonly string[]): string {
  try {
    repo.git('push', ...args);
    return '';
  } catch (error) {
    return error instanceof Error && 'stderr' in error ? String(error.stderr) : 'failed';
  }
}
