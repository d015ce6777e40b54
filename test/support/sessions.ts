/**
 * Agents with sessions in one checkout, as they really work: through the environment that `session
 * start` gave them.
 */
import { spawnSync } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  at,
  coordProgram,
  type Environment,
  hermetic,
  keyOf,
  make,
  type Options,
  type Ran,
  said,
  type TestRepository,
  temporaryFolder,
} from './repository.ts';
import { fromTemplate, refreshIndex } from './templates.ts';

export interface Session {
  readonly name: string;
  readonly env: Environment;
  /** A program of this session's shell: git is the one that is first on its PATH. */
  run(program: string, ...args: string[]): Ran;
  git(...args: string[]): Ran;
  coord(...args: string[]): Ran;
  /** Adds a line to a file and stages it. */
  edit(path: string, line?: string): void;
}

export function ranIn(
  cwd: string,
  env: Environment,
  program: string,
  args: readonly string[],
): Ran {
  const child = spawnSync(program, args, { cwd, env, encoding: 'utf8', timeout: 60_000 });
  return { code: child.status ?? -1, stdout: child.stdout, stderr: child.stderr, json: {} };
}

export function session(
  repo: TestRepository,
  name: string,
  cwd = repo.top,
  program = coordProgram,
): Session {
  const started = said(cwd, repo.env, ['session', 'start', name, '--json'], [], program);
  if (started.code !== 0) throw new Error(`no session: ${started.stdout}${started.stderr}`);
  const env: Environment = { ...repo.env, ...started.json['env'] };
  const here: Session = {
    name,
    env,
    run: (program, ...args) => ranIn(cwd, env, program, args),
    git: (...args) => ranIn(cwd, env, 'git', args),
    coord: (...args) => said(cwd, env, ['--json', ...args], [], program),
    edit: (path, line = `${name} was here`) => {
      appendFileSync(join(cwd, path), `${line}\n`);
      const added = here.git('add', '--', path);
      if (added.code !== 0) throw new Error(added.stderr);
    },
  };
  return here;
}

/** A checkout with some files, coord's hooks in it unless they are switched off. */
export function checkout({
  guarded = true,
  ...options
}: Options & { readonly guarded?: boolean } = {}): TestRepository {
  const home = temporaryFolder();
  const repo = at(join(home, 'repo'), hermetic(home, options.env));
  fromTemplate(`checkout ${String(guarded)} ${keyOf(options)}`, home, (place) =>
    fill(make(place, options), guarded),
  );
  refreshIndex(repo.top, repo.env);
  return repo;
}

function fill(repo: TestRepository, guarded: boolean): void {
  for (const name of ['a', 'b', 'c', 'd', 'e'])
    repo.write(`src/${name}`, Array.from({ length: 9 }, (_, i) => `${name} ${i}\n`).join(''));
  repo.git('add', '.');
  repo.git('commit', '-q', '-m', 'base');
  if (guarded) {
    const installed = said(repo.top, repo.env, ['install']);
    if (installed.code !== 0) throw new Error(installed.stderr);
  }
}

/** The paths that a commit changes. */
export function pathsIn(repo: TestRepository, commit = 'HEAD'): string {
  return repo
    .git('diff-tree', '-r', '--no-commit-id', '--name-only', '--root', commit)
    .trim()
    .split('\n')
    .join(' ');
}

export function fileAt(repo: TestRepository, path: string, commit = 'HEAD'): string {
  return repo.git('show', `${commit}:${path}`);
}
