/** A checkout where two sessions and a person are at work; `bob` holds src/held. */
import { expect } from 'vitest';
import type { Ran, TestRepository } from '../support/repository.ts';
import { checkout, ranIn, type Session, session } from '../support/sessions.ts';

export interface Scene {
  readonly repo: TestRepository;
  readonly ann: Session;
  readonly bob: Session;
  /** A person, without a session. */
  person(...args: string[]): Ran;
}

export interface Git {
  /** Arguments for git init. */
  readonly init: readonly string[];
  /** The folder that has it, if it is not the system's. */
  readonly path?: string;
}

export function scene({ init, path }: Git): Scene {
  const repo = checkout({
    init,
    env: path === undefined ? {} : { PATH: `${path}:${process.env['PATH'] ?? ''}` },
  });
  repo.write('src/held', 'held\n');
  repo.git('add', '.');
  repo.git('commit', '-q', '-m', 'held');
  const [ann, bob] = [session(repo, 'ann'), session(repo, 'bob')];
  expect(bob.coord('reserve', 'src/held').code).toBe(0);
  return { repo, ann, bob, person: (...args) => ranIn(repo.top, repo.env, 'git', args) };
}

/**
 * A branch beside the present one, made by a person in a clone, with one commit that changes these
 * paths.
 */
export function branchFrom(
  repo: TestRepository,
  name: string,
  paths: readonly string[],
  from = 'HEAD',
): void {
  repo.git('branch', name, from);
  repo.git('worktree', 'add', '-q', `../${name}`, name);
  const there = `${repo.top}/../${name}`;
  for (const path of paths) ranIn(there, repo.env, 'sh', ['-c', `echo ${name} >> ${path}`]);
  const done = ranIn(there, { ...repo.env, COORD_OVERRIDE: 'a scene' }, 'git', [
    'commit',
    '-q',
    '-a',
    '-m',
    `${name} changes ${paths.join(' ')}`,
  ]);
  if (done.code !== 0) throw new Error(done.stderr);
  repo.git('worktree', 'remove', '--force', `../${name}`);
}

export type Row = readonly [title: string, run: (scene: Scene) => void];

export const commit = (who: Session, path: string): void => {
  who.edit(path);
  expect(who.git('commit', '-q', '-m', `${who.name} edits ${path}`)).toMatchObject({ code: 0 });
};

export function refused(ran: Ran, word: RegExp | string): void {
  expect(ran.code === 0 ? 'went through' : 'refused').toBe('refused');
  expect(ran.stderr).toEqual(expect.stringMatching(word));
}
