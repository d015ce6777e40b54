/**
 * What a command in the work tree would see: tracked and untracked files, without what git ignores.
 */
import { existsSync, lstatSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, normalize } from 'node:path';
import { CoordError } from '../core/errors.ts';
import type { Oid } from '../core/ids.ts';
import { limits } from '../core/limits.ts';
import { copyWithTime, gitWithIndex } from './index-file.ts';
import { localDraft, wallAge } from './local.ts';
import { withSubmodules } from './path-changes.ts';
import type { Repository } from './repository.ts';
import { runGit } from './run-git.ts';
import { temporaryFolder, temporaryFolders } from './temporary-folder.ts';

function withDraft<T>(repository: Repository, work: (draft: string) => T): T {
  const draft = localDraft(repository.gitDir);
  try {
    return work(draft);
  } finally {
    for (const file of [draft, `${draft}.lock`]) rmSync(file, { force: true });
  }
}

function asked(repository: Repository, draft: string, args: readonly string[], input = ''): string {
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
  return stdout.toString('utf8').trim();
}

/** The tree of all that, as an index of its own makes it; nothing but objects is left behind. */
export function testedTree(repository: Repository): Oid {
  return withDraft(repository, (draft) => {
    const index = join(repository.gitDir, 'index');
    if (existsSync(index)) copyWithTime(index, draft);
    const entries = asked(repository, draft, ['ls-files', '-z', '-s', '-v'])
      .split('\0')
      .map((row) => /^(.) (\d{6}) \S+ \d\t(.*)$/s.exec(row))
      .filter((row) => row !== null);
    // What git was told not to look at is looked at; what a sparse checkout left out was not tested
    // as anything else.
    const unseen = entries
      .filter(
        ([, tag = '', , path = '']) =>
          /[a-z]/.test(tag) ||
          (tag === 'S' &&
            lstatSync(join(repository.top, path), { throwIfNoEntry: false }) !== undefined),
      )
      .map(([, , , path = '']) => path);
    for (const bit of unseen.length === 0 ? [] : ['--no-assume-unchanged', '--no-skip-worktree'])
      asked(repository, draft, ['update-index', '-z', bit, '--stdin'], `${unseen.join('\0')}\0`);
    if (entries.some(([, , mode]) => mode === '160000')) refuseDirtySubmodules(repository, draft);
    asked(repository, draft, ['add', '--all', '--', '.']);
    return asked(repository, draft, ['write-tree']);
  });
}

/** A tree names a submodule's commit: changes beyond that cannot be told. */
function refuseDirtySubmodules(repository: Repository, draft: string): void {
  const dirty = asked(repository, draft, ['diff-files', withSubmodules, '--raw', '-z'])
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

const copyPrefix = 'coord-verify-';

/** Of runs that were killed long ago. */
function tidyOldCopies(): void {
  const mine = process.getuid?.();
  for (const path of temporaryFolders(copyPrefix)) {
    const stat = lstatSync(path, { throwIfNoEntry: false });
    if (stat === undefined || stat.uid !== mine || wallAge(stat.mtimeMs) < limits.remainsAgeMs)
      continue;
    try {
      rmSync(path, { recursive: true, force: true });
    } catch {
      // Somebody else's to clear away.
    }
  }
}

/**
 * The files of a tree in a folder of their own, with some ignored folders of the work tree linked
 * in.
 */
export class TreeCopy {
  readonly folder: string;
  readonly #repository: Repository;
  readonly #index: string;
  readonly #links: readonly string[];

  constructor(repository: Repository, tree: Oid, links: readonly string[]) {
    this.#repository = repository;
    this.#links = links.map((link) => normalize(link).replace(/\/$/, ''));
    tidyOldCopies();
    this.folder = temporaryFolder(copyPrefix);
    this.#index = join(this.folder, '..', `${basename(this.folder)}.index`);
    try {
      this.#git('read-tree', tree);
      this.#git('checkout-index', '--all', '--force', '--index');
      for (const link of this.#links) this.#link(link);
    } catch (error) {
      this.remove();
      throw error;
    }
  }

  #git(...args: readonly string[]): string {
    const { git, gitDir } = this.#repository;
    const { code, stdout, stderr } = runGit(
      { ...git, env: { ...git.env, GIT_INDEX_FILE: this.#index } },
      [`--git-dir=${gitDir}`, `--work-tree=${this.folder}`, ...args],
      '',
      this.folder,
    );
    if (code !== 0)
      throw new CoordError(
        'git_failed',
        `git ${args[0] ?? ''} could not take the commit out: ${stderr.trim().split('\n').at(-1) ?? ''}`,
      );
    return stdout.toString('utf8');
  }

  #link(link: string): void {
    if (isAbsolute(link) || link.split('/').includes('..') || link === '.')
      throw new CoordError('usage', `'${link}' is no folder below the top of the repository`);
    const place = join(this.folder, link);
    if (lstatSync(place, { throwIfNoEntry: false }) !== undefined)
      throw new CoordError(
        'usage',
        `'${link}' is in the commit itself`,
        'link what git ignores, such as node_modules',
      );
    mkdirSync(dirname(place), { recursive: true });
    symlinkSync(join(this.#repository.top, link), place);
  }

  /** Is it still what was taken out, but for what git ignores? */
  isUnchanged(): boolean {
    this.#git('update-index', '-q', '--really-refresh');
    const others = this.#git('ls-files', '-z', '--others', '--exclude-standard')
      .split('\0')
      .filter((path) => path !== '' && !this.#links.includes(path));
    return others.length === 0 && this.#git('diff-files', withSubmodules, '--name-only') === '';
  }

  /** What a process that was left behind still writes there stays for the system to clear away. */
  remove(): void {
    for (const path of [this.folder, this.#index, `${this.#index}.lock`]) {
      try {
        rmSync(path, { recursive: true, force: true });
      } catch {
        // Said above.
      }
    }
  }
}
