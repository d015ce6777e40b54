/** A checkout in which two sessions and a person are at work, and a git past the sessions' own. */
import { expect } from 'vitest';
import type { Ran, TestRepository } from '../support/repository.ts';
import { checkout, ranIn, type Session, session } from '../support/sessions.ts';

export interface Scene {
  readonly repo: TestRepository;
  readonly ann: Session;
  readonly bob: Session;
  person(...args: string[]): Ran;
}

export function scene(): Scene {
  const repo = checkout();
  return {
    repo,
    ann: session(repo, 'ann'),
    bob: session(repo, 'bob'),
    person: (...args) => ranIn(repo.top, repo.env, 'git', args),
  };
}

export function commit(who: Session, path: string): void {
  who.edit(path);
  expect(who.git('commit', '-q', '-m', `${who.name} edits ${path}`)).toMatchObject({ code: 0 });
}
