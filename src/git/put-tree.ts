/** The files of a work tree as a kept tree has them, byte for byte, and its index. */
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { CoordError } from '../core/errors.ts';
import type { Oid } from '../core/ids.ts';
import { fileAt, folderOfFile } from './byte-names.ts';
import { gitWithIndex } from './index-file.ts';
import { putBack } from './kept-files.ts';
import { localDraft } from './local.ts';
import { readObject } from './read-objects.ts';
import type { Repository } from './repository.ts';
import type { WorkTree } from './work-trees.ts';

interface Put {
  readonly head: Oid;
  readonly files: Oid;
  /** What the index is to hold; null where it stays as it is. */
  readonly index: Oid | null;
}

/**
 * What HEAD has is put there by git, with its filters; what differs from it as it was. The index of
 * the work tree stays as it is, unless another one is given.
 */
export function putTree(place: Repository, { head, files, index }: Put): void {
  const draft = localDraft(place.gitDir);
  const own = join(place.gitDir, 'index');
  const ask = (file: string, ...args: readonly string[]): Buffer => {
    const { code, stdout, stderr } = gitWithIndex(place, file, args);
    if (code === 0) return stdout;
    throw new CoordError(
      'git_failed',
      `git ${args[0] ?? ''} could not put files back: ${stderr.split('\n')[0] ?? ''}`,
    );
  };
  try {
    ask(draft, 'read-tree', '--reset', '-u', head);
    putDifferences(place, ask(draft, ...differences, head, files));
  } finally {
    for (const file of [draft, `${draft}.lock`]) rmSync(file, { force: true });
  }
  if (index !== null) ask(own, 'read-tree', '--reset', index);
}

export function refreshIndex(place: Repository): void {
  gitWithIndex(place, join(place.gitDir, 'index'), ['update-index', '-q', '--refresh']);
}

/**
 * What git had of a work tree that is made anew: a merge that was under way with its index, and the
 * reflog, which keeps commits that nothing else reaches.
 */
export function bringAdmin(repository: Repository, id: string, { gitDir }: WorkTree): void {
  const log = join(gitDir, 'logs', 'HEAD');
  const index = join(gitDir, 'index');
  const made = existsSync(log) ? readFileSync(log) : Buffer.alloc(0);
  const beside = `${index}.made`;
  rmSync(log, { force: true });
  if (existsSync(index)) renameSync(index, beside);
  putBack(repository.commonDir, id, 'git', gitDir);
  if (existsSync(log)) appendFileSync(log, made);
  else if (made.length > 0) writeFileSync(log, made);
  // One that is not whole by itself is of no use.
  const isSound = gitWithIndex({ ...repository, gitDir }, index, ['ls-files', '-s']).code === 0;
  if (existsSync(beside) && !(existsSync(index) && isSound)) renameSync(beside, index);
  rmSync(beside, { force: true });
}

/**
 * Its files are there under another name: they get their place, and their link to what git has.
 * `head`: a branch or a commit that it is to be on now.
 */
export function reviveTree(tree: WorkTree, path: string, head: string | null): WorkTree {
  writeFileSync(join(tree.path, '.git'), `gitdir: ${tree.gitDir}\n`);
  if (head !== null) {
    const text = /^[0-9a-f]{40,64}$/.test(head) ? head : `ref: refs/heads/${head}`;
    writeFileSync(join(tree.gitDir, 'HEAD'), `${text}\n`);
  }
  writeFileSync(join(tree.gitDir, 'gitdir'), `${join(path, '.git')}\n`);
  mkdirSync(dirname(path), { recursive: true });
  renameSync(tree.path, path);
  return { ...tree, path, isThere: true };
}

const differences = ['diff-tree', '-r', '-z', '--raw', '--no-abbrev', '--no-renames'] as const;

function putDifferences(place: Repository, listed: Buffer): void {
  const rows = listed.toString('latin1').split('\0');
  const changes = rows.flatMap((row, i) => {
    const [, was = '', mode = '', oid = '', kind = ''] =
      i % 2 === 0 ? (/^:(\d+) (\d+) \S+ (\S+) (\w)/.exec(row) ?? []) : [];
    const file = fileAt(place.top, rows[i + 1] ?? '');
    // A submodule is a repository of its own.
    return kind === '' || [was, mode].includes('160000') ? [] : [{ mode, oid, kind, file }];
  });
  // First what goes: a file may stand where a folder was.
  for (const { file } of changes.filter(({ kind }) => kind === 'D')) rmSync(file, { force: true });
  for (const { mode, oid, file } of changes.filter(({ kind }) => kind !== 'D')) {
    rmSync(file, { recursive: true, force: true });
    put(place, file, mode, oid);
  }
}

function put(place: Repository, file: Buffer, mode: string, oid: Oid): void {
  mkdirSync(folderOfFile(file), { recursive: true });
  const body = readObject(place, oid, 'blob');
  if (mode === '120000') symlinkSync(body, file);
  else {
    writeFileSync(file, body);
    chmodSync(file, mode === '100755' ? 0o755 : 0o644);
  }
}
