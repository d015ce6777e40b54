/** Places where coord is installed, as on the machines of a team. */
import { cpSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Ran, run, type TestRepository, temporaryFolder } from './repository.ts';

const root = resolve(import.meta.dirname, '../..');

export interface Machine {
  /** Of the package. */
  readonly folder: string;
  /** Where a PATH finds it. */
  readonly bin: string;
  install(repo: TestRepository, ...harnesses: readonly string[]): Ran;
}

export function machine(name = 'machine'): Machine {
  const home = join(temporaryFolder(), name);
  const folder = join(home, 'lib/git-coord');
  const bin = join(home, 'bin');
  const programs = readdirSync(join(root, 'dist')).filter((file) => file.endsWith('.cjs'));
  for (const part of ['hooks', 'package.json', ...programs.map((file) => `dist/${file}`)])
    cpSync(join(root, part), join(folder, part), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  mkdirSync(bin);
  // As npm links it: from where the link is.
  symlinkSync('../lib/git-coord/hooks/agent-hook', join(bin, 'git-coord-hook'));
  return {
    folder,
    bin,
    install: (repo, ...harnesses) =>
      run(
        repo.top,
        repo.env,
        ['install', '--json', ...harnesses.flatMap((one) => ['--harness', one])],
        [],
        join(folder, 'dist/coord.cjs'),
      ),
  };
}
