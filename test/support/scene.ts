/** One checkout at work: two sessions, ann and bob, and a person who uses plain git beside them. */
import { expect } from 'vitest';
import type { Ran, TestRepository } from './repository.ts';
import { checkout, ranIn, type Session, session } from './sessions.ts';

export interface Scene {
  readonly repo: TestRepository;
  readonly ann: Session;
  readonly bob: Session;
  /** git of a person, who has no session. */
  person(...args: string[]): Ran;
  /** A shell line of a person. */
  shell(line: string): Ran;
}

export function scene(cwdOfAnn?: (repo: TestRepository) => string): Scene {
  const repo = checkout();
  const cwd = cwdOfAnn?.(repo) ?? repo.top;
  return {
    repo,
    ann: session(repo, 'ann', cwd),
    bob: session(repo, 'bob'),
    person: (...args) => ranIn(repo.top, repo.env, 'git', args),
    shell: (line) => ranIn(repo.top, repo.env, 'sh', ['-c', line]),
  };
}

/** Stages a new line in each file and commits them. */
export function commit(who: Session, ...paths: readonly string[]): void {
  for (const path of paths) who.edit(path, `${who.name} changes ${path}`);
  went(who.git('commit', '-q', '-m', `${who.name} changes ${paths.join(' ')}`));
}

export function went(ran: Ran): Ran {
  expect({ code: ran.code, stderr: ran.code === 0 ? '' : ran.stderr }).toEqual({
    code: 0,
    stderr: '',
  });
  return ran;
}

/** Refused by coord, in these words. */
export function refused(ran: Ran, words: RegExp | string): Ran {
  expect(ran.code === 0 ? 'went through' : 'refused').toBe('refused');
  expect(ran.stderr).toEqual(expect.stringMatching(words));
  expect(ran.stderr).toContain('coord: refused');
  return ran;
}

/** The commands that a refusal prints, as they are to be typed. */
export function nextOf(ran: Ran): readonly string[] {
  return [...ran.stderr.matchAll(/^ {2}next: (.+)$/gm)].map((match) => match[1] ?? '');
}
