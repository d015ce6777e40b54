/**
 * Settings from git config. Asking git costs a process, so the files are looked through first:
 * where none of them mentions anything that concerns us, nothing is set. git alone reads what they
 * mean.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { closest } from '../core/closest.ts';
import { CoordError } from '../core/errors.ts';
import { type Settings, settingByKey, settingsFrom } from '../core/settings.ts';
import type { Repository } from './repository.ts';
import { runGit } from './run-git.ts';
import { teamOf } from './team-file.ts';

const sections = '^(coord|core|remote|credential|http|url|ssh|protocol)\\.';
const wanted = /^(coord\..*|core\.(ignorecase|precomposeunicode))$/i;
const mentioned = /\[\s*(coord|include)|ignorecase|precomposeunicode/i;

export function configFiles({ commonDir, gitDir, git }: Repository): readonly string[] {
  const home = git.env['HOME'] ?? '';
  const system = git.env['GIT_CONFIG_SYSTEM'];
  const global = git.env['GIT_CONFIG_GLOBAL'];
  return [
    ...(system === undefined
      ? [
          '/etc/gitconfig',
          '/usr/local/etc/gitconfig',
          '/opt/homebrew/etc/gitconfig',
          '/usr/etc/gitconfig',
        ]
      : [system]),
    ...(global === undefined
      ? [
          join(git.env['XDG_CONFIG_HOME'] ?? join(home, '.config'), 'git', 'config'),
          join(home, '.gitconfig'),
        ]
      : [global]),
    join(commonDir, 'config'),
    join(gitDir, 'config.worktree'),
  ];
}

function isMentioned(repository: Repository): boolean {
  const { env } = repository.git;
  const inEnvironment = Object.entries(env).some(
    ([name, value]) =>
      name.startsWith('GIT_CONFIG_') && value !== undefined && /coord\.|core\./i.test(value),
  );
  return (
    inEnvironment ||
    configFiles(repository).some((file) => {
      try {
        return mentioned.test(readFileSync(file, 'utf8'));
      } catch {
        return false;
      }
    })
  );
}

export interface ConfigRow {
  readonly scope: string;
  readonly key: string;
  readonly value: string;
}

/** Asked once by a process for everything that anybody here wants to know. */
const asked = new WeakMap<Repository, readonly ConfigRow[]>();

/**
 * What git has under the sections that concern us, or reaching a remote, in its order; `extra` are
 * `key=value` of this one command.
 */
export function configRows(
  repository: Repository,
  extra: readonly string[] = [],
): readonly ConfigRow[] {
  const known = extra.length === 0 ? asked.get(repository) : undefined;
  if (known !== undefined) return known;
  const { code, stdout, stderr } = runGit(repository.git, [
    `--git-dir=${repository.gitDir}`,
    ...extra.flatMap((setting) => ['-c', setting]),
    'config',
    '-z',
    '--show-scope',
    '--includes',
    '--get-regexp',
    sections,
  ]);
  // Exit 1 is git's way to say that nothing of the kind is set.
  if (code > 1)
    throw new CoordError(
      'git_failed',
      `git could not read its configuration: ${stderr.split('\n')[0] ?? ''}`,
      'git config --list --show-origin',
    );
  const words = stdout.toString('utf8').split('\0');
  const rows = words.flatMap((word, at): ConfigRow[] => {
    if (at % 2 === 0) return [];
    const gap = word.indexOf('\n');
    return [
      {
        scope: words[at - 1] ?? '',
        key: gap < 0 ? word : word.slice(0, gap),
        value: gap < 0 ? 'true' : word.slice(gap + 1),
      },
    ];
  });
  if (extra.length === 0) asked.set(repository, rows);
  return rows;
}

/** The team's file says what nobody else says. */
export function readConfig(
  repository: Repository,
  extra: readonly string[],
): ReadonlyMap<string, string> {
  const agreed = teamOf(repository)?.settings ?? new Map<string, string>();
  return new Map([...agreed, ...readGitConfig(repository, extra)]);
}

/** What git itself has. */
function readGitConfig(
  repository: Repository,
  extra: readonly string[],
): ReadonlyMap<string, string> {
  if (extra.length === 0 && !isMentioned(repository)) return new Map();
  const found = new Map<string, string>();
  for (const { key: said, value } of configRows(repository, extra)) {
    const key = said.toLowerCase();
    const setting = settingByKey.get(key);
    const before = setting?.isMany === true ? found.get(key) : undefined;
    const all = before === undefined ? value : `${before}${setting?.between ?? ' '}${value}`;
    if (wanted.test(key)) found.set(key, all);
  }
  return found;
}

/**
 * Sets keys of ours in the repository's own configuration, or takes them out where the value is
 * null.
 */
export function setConfig(
  repository: Repository,
  values: Readonly<Record<string, string | null>>,
): void {
  setConfigIn(repository, values, 'local');
}

/** For this repository, or for all of this user. */
export type Scope = 'local' | 'global';

export function setConfigIn(
  repository: Repository,
  values: Readonly<Record<string, string | null>>,
  scope: Scope,
): void {
  asked.delete(repository);
  for (const [key, value] of Object.entries(values)) {
    const { code, stderr } = runGit(repository.git, [
      `--git-dir=${repository.commonDir}`,
      'config',
      `--${scope}`,
      ...(value === null ? ['--unset-all', key] : ['--replace-all', key, value]),
    ]);
    // Exit 5: there was nothing to take out.
    if (code !== 0 && !(value === null && code === 5))
      throw new CoordError(
        'git_failed',
        `git could not write its configuration: ${stderr.split('\n')[0] ?? ''}`,
        `git config ${key}`,
      );
  }
}

function nearSetting(key: string): string | null {
  return closest(key.toLowerCase(), [...settingByKey.keys()]);
}

/** Keys below coord. that mean nothing, with what may have been meant. */
export function unknownSettings(
  repository: Repository,
): readonly { readonly key: string; readonly near: string | null }[] {
  return [...readGitConfig(repository, []).keys()]
    .filter((key) => key.startsWith('coord.') && !settingByKey.has(key))
    .map((key) => ({ key, near: nearSetting(key) }));
}

export function readSettings(repository: Repository, extra: readonly string[]): Settings {
  for (const setting of extra) {
    const key = setting.split('=')[0] ?? '';
    if (
      !setting.includes('=') ||
      !/^(coord\.[a-z]+|core\.(ignorecase|precomposeunicode))$/i.test(key) ||
      (/^coord\./i.test(key) && !settingByKey.has(key.toLowerCase()))
    ) {
      const near = nearSetting(key);
      throw new CoordError(
        'bad_setting',
        `there is no setting '${key}'`,
        near === null ? 'coord doctor lists them' : `did you mean: ${near}`,
      );
    }
  }
  return settingsFrom(readConfig(repository, extra));
}
