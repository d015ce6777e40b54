/** What can come back: snapshots as files, compared with the work tree and put back into it or elsewhere. */
import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { RealWorld } from '../agent/world.ts';
import { gitWithIndex, withSubmodules } from '../git/index-file.ts';
import { readObject } from '../git/objects.ts';
import { runGit } from '../git/run-git.ts';
import { withIndexOf, type Saved, type SavedEntry } from '../git/snapshot.ts';

export function filesOf({ repository }: RealWorld, { tree }: Saved): readonly SavedEntry[] {
  const { stdout } = runGit(repository.git, [`--git-dir=${repository.commonDir}`, 'ls-tree', '-r', '-z', tree]);
  return stdout.toString('utf8').split('\0').flatMap((line) => {
    const [, mode = '', oid = '', path = ''] = /^(\d+) blob ([0-9a-f]+)\t(.+)$/s.exec(line) ?? [];
    return path === '' ? [] : [{ mode, oid, path }];
  });
}

/** What bringing it back would change in the work tree, as a patch. */
export function differenceOf(world: RealWorld, saved: Saved): string {
  const { repository } = world;
  return withIndexOf(repository, filesOf(world, saved), (index) => (
    gitWithIndex(repository, index, ['diff-files', '-p', '-R', '--no-ext-diff', '--no-color', withSubmodules]).stdout.toString('utf8')));
}

/** Byte for byte, below a folder that is not the work tree unless that is asked for. */
export function bringBack(world: RealWorld, saved: Saved, folder: string): readonly string[] {
  return filesOf(world, saved).map(({ mode, oid, path }) => {
    const file = join(folder, path);
    mkdirSync(dirname(file), { recursive: true });
    const body = readObject(world.repository, oid, 'blob');
    rmSync(file, { force: true });
    if (mode === '120000') symlinkSync(body.toString('utf8'), file);
    else {
      writeFileSync(file, body);
      chmodSync(file, mode === '100755' ? 0o755 : 0o644);
    }
    return path;
  });
}
