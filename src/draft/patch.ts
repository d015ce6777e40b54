/** What a draft changes, as git itself writes it: a patch, or the same in numbers. */
import type { Repository } from '../git/repository.ts';
import { git } from '../git/run-git.ts';
import type { Draft } from './in-hand.ts';

/** Whatever its user has set: `git apply` is to take it. */
const plain: readonly string[] = [
  '--no-color',
  '--no-ext-diff',
  '--no-textconv',
  '--no-relative',
  '--src-prefix=a/',
  '--dst-prefix=b/',
  '--find-renames',
  '--submodule=short',
];

export function patchOf(repository: Repository, draft: Draft, form: 'patch' | 'stat'): Buffer {
  const shape = form === 'patch' ? ['--patch', '--binary'] : ['--stat'];
  const { gitDir, top } = repository;
  const args = ['diff-tree', '-r', ...shape, ...plain, draft.base, draft.tree];
  return git(repository.git, [`--git-dir=${gitDir}`, `--work-tree=${top}`, ...args]);
}
