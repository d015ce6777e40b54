/**
 * Releases of coord as they were packed, kept in fixtures/releases, to run beside the one that is
 * tested.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type Ran, run, type TestRepository } from './repository.ts';
import { runFolder } from './templates.ts';

const top = resolve(import.meta.dirname, '../..');

/** The program of that release, with the packages that are installed here. */
export function released(version: string): string {
  const folder = mkdtempSync(join(runFolder() ?? tmpdir(), 'release-'));
  execFileSync('tar', [
    '-xzf',
    join(top, 'fixtures/releases', `git-coord-${version}.tar.gz`),
    '-C',
    folder,
  ]);
  symlinkSync(join(top, 'node_modules'), join(folder, 'package', 'node_modules'));
  return join(folder, 'package', 'dist', 'coord.cjs');
}

/** A command of that program. */
export function runReleased(
  program: string,
  repo: TestRepository,
  agent: string,
  ...args: readonly string[]
): Ran {
  return run(repo.top, repo.env, ['--agent', agent, '--json', ...args], [], program);
}

/** The format of the log. */
export function formatOf(repo: TestRepository): unknown {
  const [first = ''] = repo.git('show', 'refs/coord/log:meta').split('\n');
  return (JSON.parse(first) as Readonly<Record<string, unknown>>)['version'];
}
