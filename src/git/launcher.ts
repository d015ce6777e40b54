/**
 * The launcher: a script in the folder that all work trees of a repository share. It alone knows
 * where coord and node are on this machine, so that hooks in tracked files can be equal on all of
 * them. An alias of the repository finds it from its subfolders and linked work trees.
 */
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { setConfig } from './config.ts';
import { quote, type Shim } from './hook-section.ts';
import { dropLocal, localPath, writeLocal } from './local.ts';
import type { Repository } from './repository.ts';
import { runGit, runPlain } from './run-git.ts';

const name = 'hook';
const shellName = 'shell';
const alias = 'alias.coord-hook';
/**
 * git runs it at the top of the work tree, where a linked one has a file that names its folder: no
 * other git is needed to find it, nor another shell to run it. git looks on the PATH before it reads
 * an alias: without a launcher nothing is left to try.
 */
const aliased = [
  '!g=.git; [ ! -f $g ] || read -r _ g < $g; [ ! -f "$g/commondir" ] || g=${g%/worktrees/*}; h=$g/coord/hook',
  '[ -f "$h" ] || h=$(git rev-parse --git-common-dir)/coord/hook; . "$h"',
].join('; ');
/** Read into its own shell, coord's shim costs no further process. */
function launcherText({ node, file }: Shim): string {
  return [
    '#!/bin/sh',
    '# Made by coord install; coord uninstall takes it away. Where coord is on this machine.',
    `coord_hooks=${quote(dirname(file))} COORD_NODE=${quote(node)}`,
    '[ ! -f "$coord_hooks/agent-hook" ] || . "$coord_hooks/agent-hook"',
    '# It is gone from there, and nobody else is asked to say so but the beginning of a session.',
    'export COORD_NODE',
    '! coord_found=$(command -v git-coord-hook) || exec "$coord_found" "$@"',
    '[ "$2" != session-start ]',
    '',
  ].join('\n');
}

/** The shells of agents begin with it. */
export function shellFile({ commonDir }: Repository): string {
  return localPath(commonDir, shellName);
}

function shellText({ file }: Shim): string {
  return [
    '# Made by coord install; coord uninstall takes it away. Whose shell this is (hooks/shell-agent).',
    '# bash says where it reads this from; for other shells whoever reads it has said so.',
    `coord_common=\${coord_common-\${BASH_SOURCE%/coord/shell}} coord_hooks=${quote(dirname(file))}`,
    '[ ! -f "$coord_hooks/shell-agent" ] || . "$coord_hooks/shell-agent"',
    'unset coord_common coord_hooks',
    '',
  ].join('\n');
}

export function installLauncher(repository: Repository, shim: Shim): void {
  const file = localPath(repository.commonDir, name);
  const draft = `${file}.draft`;
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(draft, launcherText(shim));
  chmodSync(draft, 0o755);
  renameSync(draft, file);
  writeLocal(repository.commonDir, shellName, shellText(shim));
  setConfig(repository, { [alias]: aliased });
}

/** As it stands here, into a repository where it is tried. */
export function copyLauncher(from: Repository, top: string): void {
  const file = localPath(from.commonDir, name);
  const copy = localPath(join(top, '.git'), name);
  mkdirSync(dirname(copy), { recursive: true });
  if (existsSync(file)) copyFileSync(file, copy);
  const command = aliasIn(from);
  if (command !== '') runPlain(from.git, ['-C', top, 'config', alias, command]);
}

/** What was taken away, or would be. */
export function uninstallLauncher(repository: Repository, dryRun: boolean): readonly string[] {
  const file = localPath(repository.commonDir, name);
  const isAliased = aliasIn(repository) === aliased;
  const isThere = existsSync(file);
  if (!dryRun) {
    rmSync(file, { force: true });
    dropLocal(repository.commonDir, shellName);
    if (isAliased) setConfig(repository, { [alias]: null });
  }
  return [...(isThere ? [file] : []), ...(isAliased ? [alias] : [])];
}

function aliasIn({ git, top }: Repository): string {
  return runGit(git, ['-C', top, 'config', '--local', '--get', alias])
    .stdout.toString('utf8')
    .replace(/\n$/, '');
}
