/** A log of a newer version. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { repository } from '../support/repository.ts';

function execMktree(repo: ReturnType<typeof repository>, listing: string): string {
  mkdirSync(join(repo.top, 'tmp'));
  repo.write('tmp/listing', listing);
  return repo.git('-c', 'alias.mk=!git mktree <tmp/listing', 'mk').trim();
}

test('a log of a newer version is named and not written to [ARC-1.3, ARC-M5, F-SAFE-4]', () => {
  const repo = repository();
  repo.coord('ann', 'reserve', 'a');
  const tree = repo.git('ls-tree', 'refs/coord/log');
  repo.write('meta', '{"id":"log","version":9}\n');
  const blob = repo.git('hash-object', '-w', 'meta').trim();
  repo.write('tree', tree.replace(/blob [0-9a-f]+\tmeta/, `blob ${blob}\tmeta`));
  const made = repo
    .git('-c', 'core.quotePath=false', 'log', '-1', '--format=%B', 'refs/coord/log')
    .replace(/^Seq: 1$/m, 'Seq: 2');
  const newTree = execMktree(repo, tree.replace(/blob [0-9a-f]+\tmeta/, `blob ${blob}\tmeta`));
  const commit = repo.git('commit-tree', newTree, '-p', 'refs/coord/log', '-m', made).trim();
  repo.git('update-ref', 'refs/coord/log', commit);
  const refused = repo.coord('bob', 'reserve', 'b');
  expect(refused.code).toBe(69);
  expect(refused.json['error'].code).toBe('log_newer');
  expect(repo.git('rev-parse', 'refs/coord/log').trim()).toBe(commit);
});
