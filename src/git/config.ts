/**
 * Settings from git config. Asking git costs a process, so the files are looked through first: where
 * none of them mentions anything that concerns us, nothing is set. git alone reads what they mean.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CoordError } from '../core/errors.ts';
import { settingDefaults, settingsFrom, type Settings } from '../core/settings.ts';
import type { Repository } from './repository.ts';
import { runGit } from './run-git.ts';

const wanted = '^(coord\\..*|core\\.(ignorecase|precomposeunicode))$';
const mentioned = /\[\s*(coord|include)|ignorecase|precomposeunicode/i;

function configFiles({ commonDir, gitDir, git }: Repository): readonly string[] {
  const home = git.env['HOME'] ?? '';
  const system = git.env['GIT_CONFIG_SYSTEM'];
  const global = git.env['GIT_CONFIG_GLOBAL'];
  return [
    ...(system === undefined ? ['/etc/gitconfig', '/usr/local/etc/gitconfig', '/opt/homebrew/etc/gitconfig', '/usr/etc/gitconfig'] : [system]),
    ...(global === undefined ? [join(git.env['XDG_CONFIG_HOME'] ?? join(home, '.config'), 'git', 'config'), join(home, '.gitconfig')] : [global]),
    join(commonDir, 'config'), join(gitDir, 'config.worktree'),
  ];
}

function isMentioned(repository: Repository): boolean {
  const { env } = repository.git;
  const inEnvironment = Object.entries(env).some(([name, value]) => name.startsWith('GIT_CONFIG_') && value !== undefined && /coord\.|core\./i.test(value));
  return inEnvironment || configFiles(repository).some((file) => {
    try {
      return mentioned.test(readFileSync(file, 'utf8'));
    } catch {
      return false;
    }
  });
}

/** `extra` are `key=value` of this one command. */
export function readConfig(repository: Repository, extra: readonly string[]): ReadonlyMap<string, string> {
  if (extra.length === 0 && !isMentioned(repository)) return new Map();
  const { code, stdout, stderr } = runGit(repository.git, [`--git-dir=${repository.gitDir}`, ...extra.flatMap((setting) => ['-c', setting]), 'config', '-z', '--get-regexp', wanted]);
  // Exit 1 is git's way to say that nothing of the kind is set.
  if (code > 1) throw new CoordError('git_failed', `git could not read its configuration: ${stderr.split('\n')[0] ?? ''}`, 'git config --list --show-origin');
  return new Map(stdout.toString('utf8').split('\0').filter((row) => row !== '').map((row) => {
    const gap = row.indexOf('\n');
    return gap < 0 ? [row.toLowerCase(), 'true'] as const : [row.slice(0, gap).toLowerCase(), row.slice(gap + 1)] as const;
  }));
}

/** Sets keys of ours in the repository's own configuration, or takes them out where the value is null. */
export function setConfig(repository: Repository, values: Readonly<Record<string, string | null>>): void {
  for (const [key, value] of Object.entries(values)) {
    const { code, stderr } = runGit(repository.git, [`--git-dir=${repository.commonDir}`, 'config', '--local', ...(value === null ? ['--unset-all', key] : ['--replace-all', key, value])]);
    // Exit 5: there was nothing to take out.
    if (code !== 0 && !(value === null && code === 5)) throw new CoordError('git_failed', `git could not write its configuration: ${stderr.split('\n')[0] ?? ''}`, `git config ${key}`);
  }
}

export function readSettings(repository: Repository, extra: readonly string[]): Settings {
  for (const setting of extra) {
    const key = setting.split('=')[0] ?? '';
    if (!setting.includes('=') || !/^(coord\.[a-z]+|core\.(ignorecase|precomposeunicode))$/i.test(key) || (/^coord\./i.test(key) && !(key.toLowerCase() in settingDefaults))) {
      throw new CoordError('bad_setting', `there is no setting '${key}'`, `choose from ${Object.keys(settingDefaults).join(', ')}`);
    }
  }
  return settingsFrom(readConfig(repository, extra));
}
