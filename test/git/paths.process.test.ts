/** A file has one key, whichever way it was reached. */
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { at, repository } from '../support/repository.ts';

test('one file has one key from a subdirectory, ./, an absolute path, a symlinked parent and a linked work tree [ARCH-4, ARC-M4, A3]', () => {
  const repo = repository();
  repo.write('src/deep/a.ts');
  symlinkSync('src', join(repo.top, 'link'));
  repo.git('add', '.');
  repo.git('commit', '-q', '-m', 'files');
  repo.git('worktree', 'add', '-q', '../linked');
  repo.coord('ann', 'reserve', 'src/deep/a.ts');
  const linked = at(join(repo.top, '..', 'linked'), repo.env);
  const seen = [
    at(join(repo.top, 'src'), repo.env).coord('bob', 'check', 'deep/a.ts'),
    at(join(repo.top, 'src/deep'), repo.env).coord('bob', 'check', '../deep/./a.ts'),
    repo.coord('bob', 'check', './src//deep/a.ts'),
    repo.coord('bob', 'check', join(repo.top, 'src/deep/a.ts')),
    repo.coord('bob', 'check', 'link/deep/a.ts'),
    linked.coord('bob', 'check', 'src/deep/a.ts'),
    linked.coord('bob', 'check', join(linked.top, 'src/deep')),
    repo.coord('bob', 'check', 'src'),
  ];
  expect(seen.map(({ json }) => json['result'])).toEqual(Array.from({ length: 8 }, () => 'held'));
  expect(repo.coord('bob', 'check', '../elsewhere').json['error'].code).toBe('path_outside');
  expect(repo.coord('bob', 'check', '/etc/passwd').json['error'].code).toBe('path_outside');
});
