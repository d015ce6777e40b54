/**
 * A repository for files that were taken out of another one: git finds in it the same commit,
 * branches, tags, configuration and objects, and whatever a command does there stays there. Its
 * hooks are off, because nobody's work is done in it.
 */
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { CoordError } from '../core/errors.ts';
import type { Head } from './head.ts';
import { copyWithTime } from './index-file.ts';
import type { Repository } from './repository.ts';
import { runGit } from './run-git.ts';

/** Files that say what git looks at and how, in the folder of all work trees and of this one. */
const shared = ['info/exclude', 'info/attributes', 'shallow'];
const own = ['info/sparse-checkout'];

export function plantRepository(
  repository: Repository,
  folder: string,
  { oid, branch }: Head,
  index: string,
): void {
  const { commonDir, gitDir } = repository;
  const place = join(folder, '.git');
  for (const below of ['objects/info', 'refs', 'info'])
    mkdirSync(join(place, below), { recursive: true });
  for (const name of shared) copyIfThere(join(commonDir, name), join(place, name));
  for (const name of own) copyIfThere(join(gitDir, name), join(place, name));
  writeFileSync(join(place, 'objects/info/alternates'), `${quoted(join(commonDir, 'objects'))}\n`);
  writeFileSync(join(place, 'packed-refs'), packedRefs(repository));
  writeFileSync(join(place, 'config'), configOf(repository));
  writeFileSync(join(place, 'HEAD'), branch === null ? `${oid ?? ''}\n` : `ref: ${branch}\n`);
  // It may have moved since.
  if (branch !== null && oid !== null) {
    mkdirSync(dirname(join(place, branch)), { recursive: true });
    writeFileSync(join(place, branch), `${oid}\n`);
  }
  copyWithTime(index, join(place, 'index'));
}

function copyIfThere(from: string, to: string): void {
  try {
    copyFileSync(from, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}

function packedRefs(repository: Repository): string {
  const { code, stdout, stderr } = runGit(repository.git, [
    `--git-dir=${repository.commonDir}`,
    'for-each-ref',
    '--format=%(objectname) %(refname)%(if)%(*objectname)%(then)%0a^%(*objectname)%(end)',
    'refs/heads/',
    'refs/remotes/',
    'refs/tags/',
  ]);
  if (code !== 0)
    throw new CoordError(
      'git_failed',
      `git for-each-ref could not list the branches: ${stderr.split('\n')[0] ?? ''}`,
    );
  return `# pack-refs with: peeled fully-peeled sorted \n${stdout.toString('utf8')}`;
}

/** All that is configured there holds here too, but for what would act. */
function configOf({ commonDir, gitDir, hash }: Repository): string {
  const format = hash === 'sha1' ? '0' : '1\n[extensions]\n\tobjectFormat = sha256';
  return `[core]
	repositoryFormatVersion = ${format}
[include]
	path = ${quoted(join(commonDir, 'config'))}
	path = ${quoted(join(gitDir, 'config.worktree'))}
[core]
	bare = false
	hooksPath = /dev/null
	fsmonitor = false
	splitIndex = false
[hook "reference-transaction"]
	enabled = false
[gc]
	auto = 0
[maintenance]
	auto = false
`;
}

/** As git's configuration and its list of alternates both read it. */
function quoted(path: string): string {
  return `"${path.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`;
}
