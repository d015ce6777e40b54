/** Programs that are started without coord's own variables, as a person or an agent program would. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { coordProgram, repository, type TestRepository } from '../support/repository.ts';

interface Elsewhere {
  readonly code: number | null;
  readonly stdout: string;
}

/** In a session of its own, as an editor or another terminal has. */
export async function elsewhere(
  repo: TestRepository,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Elsewhere> {
  const child = spawn(process.execPath, [coordProgram, ...args], {
    cwd: repo.top,
    env: { ...repo.env, ...env },
    detached: true,
  });
  let stdout = '';
  child.stdout.on('data', (text: Buffer) => {
    stdout += text.toString();
  });
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, stdout };
}

export function team(): TestRepository {
  const repo = repository();
  repo.git('config', 'user.email', 'ann@example.com');
  repo.write('src/a', 'a\n');
  repo.git('add', '.');
  repo.git('commit', '-q', '-m', 'begin');
  repo.coord(null, 'install');
  return repo;
}

export const nameIn = ({ stdout }: Elsewhere): string =>
  (JSON.parse(stdout) as { readonly agent: { readonly name: string } }).agent.name;
