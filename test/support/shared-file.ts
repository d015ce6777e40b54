/** Two sessions that change one file by lines, and what they have in hand of it. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { ClaudeSession } from './claude-sessions.ts';
import type { Options, Ran, TestRepository } from './repository.ts';
import { checkout } from './sessions.ts';

export const numbered = (count: number, end = '\n'): string =>
  Array.from({ length: count }, (_, i) => `line ${i + 1}${end}`).join('');

export interface SharedFile {
  readonly repo: TestRepository;
  readonly ann: ClaudeSession;
  readonly ben: ClaudeSession;
}

/** `shared` has these lines, and nobody has changed it. */
export function sharedFile(text = numbered(20), options: Options = {}): SharedFile {
  const repo = checkout(options);
  repo.git('config', 'coord.editMode', 'lines');
  repo.git('config', 'core.autocrlf', 'false');
  writeFileSync(join(repo.top, 'shared'), text);
  writeFileSync(join(repo.top, 'other'), 'other\n');
  repo.git('add', 'shared', 'other');
  repo.git('commit', '-qm', 'shared');
  return { repo, ann: new ClaudeSession(repo, 'ann'), ben: new ClaudeSession(repo, 'ben') };
}

/** ann has changed line 3 of it, ben line 12. */
export function changedByBoth(text?: string, options?: Options): SharedFile {
  const made = sharedFile(text, options);
  const end = text?.includes('\r') === true ? '\r\n' : '\n';
  const said = [
    made.ann.edit('shared', `line 3${end}`, `line 3 of ann${end}`),
    made.ben.edit('shared', `line 12${end}`, `line 12 of ben${end}`),
  ].join('');
  if (said !== '') throw new Error(said);
  return made;
}

export function textOf({ repo }: Pick<SharedFile, 'repo'>, name = 'shared'): string {
  return readFileSync(join(repo.top, name), 'latin1');
}

export function json(ran: Ran): Readonly<Record<string, any>> {
  return JSON.parse(ran.stdout);
}

export function nameOf(session: ClaudeSession): string {
  return json(session.shell('coord whoami --json'))['agent'].name;
}

/** Lines that a patch adds and removes. */
export function changed(patch: string): readonly string[] {
  return patch.split('\n').filter((line) => /^[+-](?![+-]{2} )/.test(line));
}

/** The lines that a commit adds. */
export function addedIn(repo: TestRepository, commit: string): readonly string[] {
  return repo
    .git('show', '--format=', '-U0', commit)
    .split('\n')
    .filter((line) => /^\+[^+]/.test(line))
    .map((line) => line.slice(1));
}

/** After what both have changed, each commit holds its author's line, and nothing is left. */
export function eachCommits({ repo, ann, ben }: SharedFile): void {
  for (const [session, line] of [
    [ann, 'line 3 of ann'],
    [ben, 'line 12 of ben'],
  ] as const) {
    expect(session.bash('git commit -qam own')).toMatchObject({ code: 0 });
    expect(addedIn(repo, 'HEAD')).toEqual([line]);
  }
  expect(repo.git('status', '--short')).toBe('');
}
