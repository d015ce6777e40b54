/**
 * Operations on top of a log, a server's or the repository's own, that coord itself would never
 * write.
 */
import { execFileSync } from 'node:child_process';
import type { TestRepository } from './repository.ts';

export interface Forgery {
  /** The commit as git keeps it, on top of the log as it is there. */
  readonly commit?: (text: string) => string;
  /** A file of the state, `leases` unless it is named. */
  readonly file?: string;
  readonly content?: (text: string) => string;
}

/** An operation that no coord would write. */
export function forged(repo: TestRepository, forgery: Forgery): string {
  repo.git('fetch', '-q', 'origin', 'refs/coord/log');
  return forgedOn(repo, repo.git('rev-parse', 'FETCH_HEAD').trim(), forgery);
}

/** Puts one on the repository's own log. */
export function forge(repo: TestRepository, forgery: Forgery): void {
  repo.git(
    'update-ref',
    'refs/coord/log',
    forgedOn(repo, repo.git('rev-parse', 'refs/coord/log').trim(), forgery),
  );
}

function forgedOn(
  repo: TestRepository,
  tip: string,
  { commit = (text) => text, file = 'leases', content }: Forgery,
): string {
  const next = repo
    .git('cat-file', 'commit', tip)
    .replace(/^parent .*\n/m, '')
    .replace(/^(tree .*\n)/, `$1parent ${tip}\n`)
    .replace(/^Seq: (\d+)$/m, (_, seq) => `Seq: ${Number(seq) + 1}`)
    .replace(/^Nonce: ..../m, 'Nonce: 0123');
  if (content === undefined) return write(repo, 'commit', commit(next));
  const listed = repo.git('ls-tree', tip);
  const isThere = listed.includes(`\t${file}\n`);
  const blob = write(repo, 'blob', content(isThere ? repo.git('show', `${tip}:${file}`) : ''));
  const rows = isThere
    ? listed.replace(new RegExp(` [0-9a-f]{40}\\t${file}$`, 'm'), ` ${blob}\t${file}`)
    : `${listed}100644 blob ${blob}\t${file}\n`;
  const tree = execFileSync('git', ['mktree'], {
    cwd: repo.top,
    env: repo.env,
    input: rows,
    encoding: 'utf8',
  }).trim();
  return write(repo, 'commit', commit(next.replace(/^tree .*/, `tree ${tree}`)));
}

function write(repo: TestRepository, kind: string, text: string): string {
  return execFileSync('git', ['hash-object', '-w', '-t', kind, '--stdin'], {
    cwd: repo.top,
    env: repo.env,
    input: text,
    encoding: 'utf8',
  }).trim();
}
