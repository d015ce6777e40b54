/**
 * What can come back: snapshots of unsaved work, and what was staged in a session that has ended. Both
 * are files with their content, to be listed, compared with the work tree and put back.
 */
import { chmodSync, mkdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { RealWorld } from '../agent/world.ts';
import { gitWithIndex, stagedSince, withSubmodules } from '../git/index-file.ts';
import { listLocal, localPath, readLocal } from '../git/local.ts';
import { readObject } from '../git/objects.ts';
import type { Repository } from '../git/repository.ts';
import { runGit } from '../git/run-git.ts';
import { quarantine } from '../stage/stage.ts';
import { savedOf, withIndexOf, type Saved, type SavedEntry } from './saved-work.ts';

/** Newest first. */
export function rescuable(world: RealWorld): readonly Saved[] {
  return [...savedOf(world), ...retired(world.repository)].sort((a, b) => b.at - a.at);
}

/** Private indexes that held staged work when their sessions ended. */
function retired({ gitDir }: Repository): readonly Saved[] {
  return listLocal(gitDir, quarantine).flatMap((agentId): readonly Saved[] => {
    const stat = statSync(localPath(gitDir, `${quarantine}/${agentId}/index`), { throwIfNoEntry: false });
    if (stat === undefined) return [];
    const trailer = readLocal(gitDir, `${quarantine}/${agentId}/trailer`) ?? '';
    const [, agent = agentId] = /^Coord-Agent: (\S+) \(/m.exec(trailer) ?? [];
    return [{ id: `${agentId}/staged`, ref: '', agentId, agent, at: stat.mtimeMs, tree: '', why: 'its session ended, with this staged' }];
  });
}

export function filesOf({ repository }: RealWorld, { tree, agentId }: Saved): readonly SavedEntry[] {
  if (tree === '') return stagedIn(repository, agentId);
  const { stdout } = runGit(repository.git, [`--git-dir=${repository.commonDir}`, 'ls-tree', '-r', '-z', tree]);
  return stdout.toString('utf8').split('\0').flatMap((line) => {
    const [, mode = '', oid = '', path = ''] = /^(\d+) blob ([0-9a-f]+)\t(.+)$/s.exec(line) ?? [];
    return path === '' ? [] : [{ mode, oid, path }];
  });
}

function stagedIn(repository: Repository, agentId: string): readonly SavedEntry[] {
  const folder = `${quarantine}/${agentId}`;
  const [base = ''] = (readLocal(repository.gitDir, `${folder}/base`) ?? '').split('\n');
  const index = localPath(repository.gitDir, `${folder}/index`);
  return stagedSince(repository, index, base).flatMap(({ path, after }) => {
    const [mode = '', oid = ''] = after?.split(' ') ?? [];
    return after === null || mode === '160000' ? [] : [{ mode, oid, path }];
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
