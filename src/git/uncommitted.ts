/**
 * Which paths of this work tree have changes that no commit on HEAD holds: in the work tree, in an
 * index, or as files that git does not know yet. What git ignores is nobody's. Where it cannot be
 * told, the path is named: whoever gives something up by this list gives up too little rather than
 * too much.
 */
import { existsSync, lstatSync } from 'node:fs';
import { join } from 'node:path';
import { CoordError } from '../core/errors.ts';
import type { Oid } from '../core/ids.ts';
import { headOf } from './head.ts';
import { gitWithIndex, stagedSince } from './index-file.ts';
import { hashObject } from './objects.ts';
import { withSubmodules } from './path-changes.ts';
import type { Repository } from './repository.ts';

/** An index, and the commit that it was brought to last; null where nobody noted it. */
interface KnownIndex {
  readonly file: string;
  readonly base: Oid | null;
}

export function uncommittedPaths(
  repository: Repository,
  indexes: readonly KnownIndex[],
): readonly string[] {
  const index = join(repository.gitDir, 'index');
  const head = headOf(repository).oid ?? hashObject(repository, 'tree', Buffer.alloc(0)).oid;
  const ask = (...args: readonly string[]): readonly string[] => listed(repository, index, args);
  const staged = indexes
    .filter(({ file }) => existsSync(file))
    .flatMap(({ file, base }) =>
      stagedSince(repository, file, base ?? head).map(({ path }) => path),
    );
  return [
    ...new Set([
      ...ask(
        'diff',
        '--name-only',
        '--no-renames',
        withSubmodules,
        '--no-ext-diff',
        '-z',
        head,
        '--',
      ),
      ...ask('ls-files', '--others', '--exclude-standard', '-z'),
      ...unlooked(repository, ask('ls-files', '-v', '-z')),
      ...staged,
    ]),
  ].sort();
}

/** Files that git was told not to look at: whether they are changed it does not say. */
function unlooked({ top }: Repository, rows: readonly string[]): readonly string[] {
  const marked = rows.filter((row) => /^[a-zS]/.test(row)).map((row) => row.slice(2));
  return marked.filter(
    (path) => lstatSync(join(top, path), { throwIfNoEntry: false }) !== undefined,
  );
}

function listed(repository: Repository, index: string, args: readonly string[]): readonly string[] {
  const { code, stdout, stderr } = gitWithIndex(repository, index, args);
  if (code !== 0)
    throw new CoordError(
      'git_failed',
      `git ${args[0] ?? ''} could not tell what is changed: ${stderr.split('\n')[0] ?? ''}`,
    );
  return stdout
    .toString('utf8')
    .split('\0')
    .filter((path) => path !== '');
}
