/** What a command in the work tree would see: tracked and untracked files, without what git ignores. */
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { CoordError } from '../core/errors.ts';
import type { Oid } from '../core/ids.ts';
import { gitWithIndex } from './index-file.ts';
import { localDraft } from './local.ts';
import type { Repository } from './repository.ts';

function withDraft<T>(repository: Repository, work: (draft: string) => T): T {
  const draft = localDraft(repository.gitDir);
  try {
    return work(draft);
  } finally {
    for (const file of [draft, `${draft}.lock`]) rmSync(file, { force: true });
  }
}

function asked(repository: Repository, draft: string, args: readonly string[]): string {
  const { code, stdout, stderr } = gitWithIndex(repository, draft, args);
  if (code !== 0) throw new CoordError('git_failed', `git ${args[0] ?? ''} could not read the work tree: ${stderr.trim().split('\n').at(-1) ?? ''}`);
  return stdout.toString('utf8').trim();
}

/** The tree of all that, as an index of its own makes it; nothing but objects is left behind. */
export function testedTree(repository: Repository): Oid {
  return withDraft(repository, (draft) => {
    const index = join(repository.gitDir, 'index');
    if (existsSync(index)) {
      const { atimeMs, mtimeMs } = statSync(index);
      copyFileSync(index, draft);
      // Files that are as young as the copy would be read again.
      utimesSync(draft, atimeMs / 1_000, Math.floor(mtimeMs) / 1_000);
    }
    asked(repository, draft, ['add', '--all', '--', '.']);
    return asked(repository, draft, ['write-tree']);
  });
}

/** The files of a tree in a folder of their own, with some of the work tree's ignored folders linked in; gone afterwards. */
export async function inCopyOf<T>(repository: Repository, tree: Oid, links: readonly string[], work: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'coord-verify-'));
  try {
    withDraft(repository, (draft) => {
      asked(repository, draft, ['read-tree', tree]);
      asked(repository, draft, ['checkout-index', '--all', '--force', `--prefix=${folder}/`]);
    });
    for (const link of links) {
      mkdirSync(dirname(join(folder, link)), { recursive: true });
      symlinkSync(join(repository.top, link), join(folder, link));
    }
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
