/** git as the user who commits would run it, with the hooks of the repository. */
import { CoordError } from '../core/errors.ts';
import type { Repository } from '../git/repository.ts';
import { type GitResult, runPlain } from '../git/run-git.ts';

export type UserGit = (args: readonly string[], input?: string) => GitResult;

/** What git would find in the environment of the shell: who commits, and the stage. */
export function userGit({ git, top }: Repository, env: NodeJS.ProcessEnv, index: string): UserGit {
  const said = Object.entries(env).filter(([name]) =>
    /^GIT_(AUTHOR|COMMITTER)_(NAME|EMAIL|DATE)$|^COORD_/.test(name),
  );
  const program = {
    ...git,
    env: { ...git.env, ...Object.fromEntries(said), GIT_INDEX_FILE: index },
  };
  return (args, input = '') => runPlain(program, ['-C', top, ...args], input, top);
}

export interface RefusedByHook {
  readonly kind: 'hook';
  readonly name: string;
  readonly said: string;
}

/** The repository's hooks before a commit; they may change the message in this file. */
export function runHooks(git: UserGit, file: string): RefusedByHook | null {
  for (const [name, ...args] of [
    ['pre-commit'],
    ['prepare-commit-msg', file, 'message'],
    ['commit-msg', file],
  ] as const) {
    const said = git(['hook', 'run', '--ignore-missing', name, '--', ...args]);
    if (said.stderr.includes('is not a git command'))
      throw new CoordError(
        'git_too_old',
        'coord commit needs git 2.36 or newer, which can run hooks',
        'git commit',
      );
    if (said.code !== 0) return { kind: 'hook', name, said: said.stderr };
  }
  return null;
}

export function expectSuccess({ code, stdout, stderr }: GitResult): string {
  if (code !== 0) throw new CoordError('git_failed', stderr.split('\n')[0] ?? 'git failed');
  return stdout.toString('utf8').trim();
}
