/** The files of a work tree as a kept tree has them, byte for byte, and its index. */
import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { CoordError } from '../core/errors.ts';
import type { Oid } from '../core/ids.ts';
import { readObject } from './read-objects.ts';
import type { Repository } from './repository.ts';
import { runGit } from './run-git.ts';

interface Put {
  readonly head: Oid;
  readonly files: Oid;
  /** Of what is staged; null where that is what HEAD has. */
  readonly index: Oid | null;
}

/** What HEAD has is put there by git, with its filters; what differs from it as it was. */
export function putTree(place: Repository, { head, files, index }: Put): void {
  const ask = (...args: readonly string[]): Buffer => {
    const { code, stdout, stderr } = runGit(
      place.git,
      [`--git-dir=${place.gitDir}`, `--work-tree=${place.top}`, ...args],
      '',
      place.top,
    );
    if (code !== 0)
      throw new CoordError(
        'git_failed',
        `git ${args[0] ?? ''} could not put files back: ${stderr.split('\n')[0] ?? ''}`,
      );
    return stdout;
  };
  ask('read-tree', '--reset', '-u', head);
  const rows = ask('diff-tree', '-r', '-z', '--raw', '--no-abbrev', '--no-renames', head, files)
    .toString('latin1')
    .split('\0');
  for (let i = 0; i + 1 < rows.length; i += 2) {
    const [, mode = '', oid = '', kind = ''] =
      /^:\d+ (\d+) \S+ (\S+) (\w)/.exec(rows[i] ?? '') ?? [];
    const file = Buffer.concat([
      Buffer.from(`${place.top}/`),
      Buffer.from(rows[i + 1] ?? '', 'latin1'),
    ]);
    // A submodule is a repository of its own.
    if (mode === '160000') continue;
    rmSync(file, { recursive: true, force: true });
    if (kind === 'D') continue;
    put(place, file, mode, oid);
  }
  if (index !== null) ask('read-tree', '--reset', index);
}

function put(place: Repository, file: Buffer, mode: string, oid: Oid): void {
  const folder = dirname(file.toString('latin1'));
  mkdirSync(Buffer.from(folder, 'latin1'), { recursive: true });
  const body = readObject(place, oid, 'blob');
  if (mode === '120000') symlinkSync(body, file);
  else {
    writeFileSync(file, body);
    chmodSync(file, mode === '100755' ? 0o755 : 0o644);
  }
}
