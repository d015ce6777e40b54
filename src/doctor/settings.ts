/** Which settings apply, and where they come from. */

import type { RealWorld } from '../agent/world.ts';
import { CoordError } from '../core/errors.ts';
import { formatDuration } from '../core/instant.ts';
import { settingByKey } from '../core/settings.ts';
import { teamFile } from '../core/team.ts';
import { readConfig, unknownSettings } from '../git/config.ts';
import type { Repository } from '../git/repository.ts';
import { runGit } from '../git/run-git.ts';
import { teamOf } from '../git/team-file.ts';
import { type Finding, fail, note, ok, type Setting } from './findings.ts';

export function settingsFinding(world: RealWorld): Finding {
  try {
    return ok(
      'settings',
      `ttl ${formatDuration(world.settings.ttlMs)}, grace ${formatDuration(world.settings.graceMs)}`,
    );
  } catch (error) {
    if (error instanceof CoordError)
      return fail(
        'settings',
        error.message,
        error.hint ?? 'git config --show-origin --get-regexp ^coord',
      );
    throw error;
  }
}

export function unknownFindings(repository: Repository): readonly Finding[] {
  return unknownSettings(repository).map(({ key, near }) =>
    note(
      'settings',
      `there is no setting '${key}', so it means nothing`,
      near === null ? `git config --unset ${key}` : `did you mean: git config ${near}`,
    ),
  );
}

/** What stands in the team's file and does not count. */
export function teamFindings(repository: Repository): readonly Finding[] {
  return (teamOf(repository)?.problems ?? []).map(({ key, says, next }) =>
    key === null
      ? fail('team', `${teamFile} counts for nothing: ${says}`, next)
      : note('team', `'${key}' in ${teamFile} counts for nothing: ${says}`, next),
  );
}

export function settingsOf(repository: Repository, extra: readonly string[]): readonly Setting[] {
  const said = readConfig(repository, extra);
  const agreed = teamOf(repository);
  const origins = runGit(repository.git, [
    `--git-dir=${repository.gitDir}`,
    ...extra.flatMap((setting) => ['-c', setting]),
    'config',
    '-z',
    '--show-origin',
    '--get-regexp',
    '^coord\\.',
  ])
    .stdout.toString('utf8')
    .split('\0');
  const originOf = (key: string): string => {
    const at = origins.findLastIndex((row) => row.toLowerCase().startsWith(`${key}\n`));
    if (at > 0) return origins[at - 1] ?? '';
    return agreed?.settings.has(key) === true ? `file:${teamFile}` : 'default';
  };
  const keys = new Set([
    ...settingByKey.keys(),
    ...[...said.keys()].filter((key) => key.startsWith('coord.')),
  ]);
  return [...keys].map((key) => ({
    key,
    value: said.get(key) ?? settingByKey.get(key)?.usual ?? '',
    origin: originOf(key),
  }));
}
