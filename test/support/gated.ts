/** Repositories with a gate: what has to have passed, and what was found missing. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Options, type Ran, repository, type TestRepository } from './repository.ts';
import { type Session, session } from './sessions.ts';

/** A repository that wants `sh test.sh` to have passed, and counts how often it runs. */
export function gated(options: Options = {}): TestRepository {
  const repo = repository(options);
  repo.write('.coord.json', '{"gate": {"require": ["sh test.sh"]}}');
  repo.write('.gitignore', 'runs\n');
  repo.write('test.sh', 'echo run >> runs; echo output of the test; test ! -e broken\n');
  repo.write('src/a', 'one\n');
  repo.git('add', '.');
  repo.git('commit', '-q', '-m', 'base');
  return repo;
}

export const runs = (repo: TestRepository): number =>
  existsSync(join(repo.top, 'runs'))
    ? readFileSync(join(repo.top, 'runs'), 'utf8').trim().split('\n').length
    : 0;
export const verify = (repo: TestRepository, agent: string, ...args: string[]): Ran =>
  repo.coord(agent, 'verify', ...args, '--', 'sh', 'test.sh');
export const tree = (repo: TestRepository, name = 'HEAD'): string =>
  repo.git('rev-parse', `${name}^{tree}`).trim();
export const missing = (ran: Ran): readonly string[] =>
  ran.json['missing'].map(({ what }: { what: string }) => what);

/** Ann works at the gate; what happens before, in between and after is a test's own. */
export function story(): { readonly repo: TestRepository; readonly ann: Session } {
  const repo = gated();
  repo.coord(null, 'install');
  return { repo, ann: session(repo, 'ann') };
}

export function commits(ann: Session, message = 'work', ...more: readonly string[]): void {
  ann.edit('src/a');
  const made = ann.git('commit', '-q', '-m', message, ...more);
  if (made.code !== 0) throw new Error(made.stderr);
}
