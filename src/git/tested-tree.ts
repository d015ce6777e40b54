/**
 * What a command in the work tree would see: tracked and untracked files, without what git ignores.
 */
import { existsSync, lstatSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { CoordError } from '../core/errors.ts';
import type { Oid } from '../core/ids.ts';
import { copyWithTime, gitWithIndex } from './index-file.ts';
import { localDraft } from './local.ts';
import { withSubmodules } from './path-changes.ts';
import type { Repository } from './repository.ts';
import { runGit } from './run-git.ts';

/** git on a draft of an index; names that are no text come as latin1. */
export type Ask = (
  args: readonly string[],
  input?: string | Buffer,
  encoding?: 'utf8' | 'latin1',
) => string;

/**
 * With a draft of this index that hides no file: what git was told not to look at is looked at, and
 * what a sparse checkout left out is only where somebody has put it. Nothing but objects is left
 * behind.
 */
export function onDraftOf<T>(repository: Repository, index: string, work: (ask: Ask) => T): T {
  const draft = localDraft(repository.gitDir);
  const ask: Ask = (args, input = '', encoding = 'utf8') =>
    asked(repository, draft, args, input).toString(encoding);
  try {
    if (existsSync(index)) copyWithTime(index, draft);
    const unseen = entriesIn(ask)
      .filter(
        ({ tag, path }) =>
          /[a-z]/.test(tag) ||
          (tag === 'S' &&
            lstatSync(join(repository.top, path), { throwIfNoEntry: false }) !== undefined),
      )
      .map(({ path }) => path);
    for (const bit of unseen.length === 0 ? [] : ['--no-assume-unchanged', '--no-skip-worktree'])
      ask(['update-index', '-z', bit, '--stdin'], `${unseen.join('\0')}\0`);
    return work(ask);
  } finally {
    for (const file of [draft, `${draft}.lock`]) rmSync(file, { force: true });
  }
}

interface IndexEntry {
  readonly tag: string;
  readonly mode: string;
  readonly path: string;
}

function entriesIn(ask: Ask): readonly IndexEntry[] {
  return ask(['ls-files', '-z', '-s', '-v'])
    .split('\0')
    .flatMap((row) => {
      const [, tag = '', mode = '', path = ''] = /^(.) (\d{6}) \S+ \d\t(.*)$/s.exec(row) ?? [];
      return path === '' ? [] : [{ tag, mode, path }];
    });
}

function asked(
  repository: Repository,
  draft: string,
  args: readonly string[],
  input: string | Buffer,
): Buffer {
  const { code, stdout, stderr } = gitWithIndex(
    repository,
    draft,
    [
      '-c',
      'core.checkStat=default',
      '-c',
      'core.trustctime=true',
      '-c',
      'core.ignoreStat=false',
      ...args,
    ],
    input,
  );
  if (code !== 0)
    throw new CoordError(
      'git_failed',
      `git ${args[0] ?? ''} could not read the work tree: ${stderr.trim().split('\n')[0] ?? ''}`,
    );
  return stdout;
}

/** The tree of all that, as an index of its own makes it. */
export function testedTree(repository: Repository): Oid {
  return onDraftOf(repository, join(repository.gitDir, 'index'), (ask) => {
    if (entriesIn(ask).some(({ mode }) => mode === '160000'))
      refuseDirtySubmodules(repository, ask);
    ask(['add', '--all', '--', '.']);
    return ask(['write-tree']).trim();
  });
}

/** A tree names a submodule's commit: changes beyond that cannot be told. */
function refuseDirtySubmodules(repository: Repository, ask: Ask): void {
  const dirty = ask(['diff-files', withSubmodules, '--raw', '-z'])
    .split('\0')
    .flatMap((row, i, rows) =>
      /^:160000 160000 (\S+) (\S+) M$/.test(row) ? (rows[i + 1] ?? []) : [],
    )
    .filter(
      (path) =>
        runGit(repository.git, [
          '-C',
          join(repository.top, path),
          'status',
          '--porcelain',
          '--ignore-submodules=none',
        ]).stdout.length > 0,
    );
  if (dirty.length > 0)
    throw new CoordError(
      'not_testable',
      `submodule ${dirty.map((path) => `'${path}'`).join(', ')} holds changes that no commit has, so no tree can tell what was tested`,
      'commit them there, or verify a commit: coord verify --at HEAD -- ...',
    );
}
