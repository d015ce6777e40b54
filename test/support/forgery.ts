/** Operations on top of the log of a server that coord itself would never write. */
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
export function forged(repo: TestRepository, { commit = (text) => text, file = 'leases', content }: Forgery): string {
  repo.git('fetch', '-q', 'origin', 'refs/coord/log');
  const tip = repo.git('rev-parse', 'FETCH_HEAD').trim();
  const next = repo.git('cat-file', 'commit', tip).replace(/^parent .*\n/m, '').replace(/^(tree .*\n)/, `$1parent ${tip}\n`)
    .replace(/^Seq: (\d+)$/m, (_, seq) => `Seq: ${Number(seq) + 1}`).replace(/^Nonce: ..../m, 'Nonce: 0123');
  if (content === undefined) return write(repo, 'commit', commit(next));
  const blob = write(repo, 'blob', content(repo.git('show', `${tip}:${file}`)));
  const rows = repo.git('ls-tree', tip).replace(new RegExp(` [0-9a-f]{40}\\t${file}$`, 'm'), ` ${blob}\t${file}`);
  const tree = execFileSync('git', ['mktree'], { cwd: repo.top, env: repo.env, input: rows, encoding: 'utf8' }).trim();
  return write(repo, 'commit', commit(next.replace(/^tree .*/, `tree ${tree}`)));
}

function write(repo: TestRepository, kind: string, text: string): string {
  return execFileSync('git', ['hash-object', '-w', '-t', kind, '--stdin'], { cwd: repo.top, env: repo.env, input: text, encoding: 'utf8' }).trim();
}
