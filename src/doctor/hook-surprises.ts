/**
 * What else has a hand in this repository's hooks, and what could keep ours from running: named,
 * since none of it shows.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { limits } from '../core/limits.ts';
import { hookEvents } from '../git/hook-files.ts';
import { regularText } from '../git/regular-file.ts';
import type { Repository } from '../git/repository.ts';
import { runPlain } from '../git/run-git.ts';
import { type Finding, fail, note } from './findings.ts';

const managers: readonly (readonly [name: string, files: readonly string[]])[] = [
  ['husky', ['.husky']],
  [
    'lefthook',
    ['lefthook.yml', '.lefthook.yml', 'lefthook.yaml', 'lefthook.toml', 'lefthook.json'],
  ],
  ['pre-commit', ['.pre-commit-config.yaml']],
  ['overcommit', ['.overcommit.yml']],
];

function hasInPackage(top: string, word: string): boolean {
  return (
    regularText(join(top, 'package.json'), limits.projectFileBytes)?.includes(`"${word}"`) === true
  );
}

/** The variables are those of whoever asks, not of the git that answers. */
export function hookSurprises(repository: Repository, env: NodeJS.ProcessEnv): readonly Finding[] {
  const index = env['GIT_INDEX_FILE'] ?? '';
  return [
    ...managersIn(repository),
    ...movedHooks(repository),
    ...switchedOff(repository),
    ...(env['HUSKY'] === '0'
      ? [note('manager', 'HUSKY=0 is set: husky runs no hook, nor what is in its folder')]
      : []),
    ...(index !== '' && index !== env['COORD_STAGE']
      ? [
          fail(
            'index',
            `GIT_INDEX_FILE is set to '${index}': every git that is started here works on it, in whatever repository`,
            'unset GIT_INDEX_FILE',
          ),
        ]
      : []),
  ];
}

function managersIn({ top }: Repository): readonly Finding[] {
  const used = managers
    .filter(([, files]) => files.some((file) => existsSync(join(top, file))))
    .map(([name]) => name);
  const others = hasInPackage(top, 'simple-git-hooks') ? ['simple-git-hooks'] : [];
  return [...used, ...others].map((name) =>
    note(
      'manager',
      `${name} writes hooks here too; when it writes its own anew, coord's lines in them go, and a session says so at its start`,
      'coord install, after that',
    ),
  );
}

function configOf({ git, top }: Repository, ...args: readonly string[]): string {
  return runPlain(git, ['-C', top, 'config', ...args])
    .stdout.toString('utf8')
    .trim();
}

function movedHooks(repository: Repository): readonly Finding[] {
  const path = configOf(repository, '--show-origin', '--get', 'core.hooksPath');
  const [origin = '', said = ''] = path.split('\t');
  if (path === '') return [];
  return [note('hooksPath', `git looks for hooks in '${said}' (${origin}); coord's are there`)];
}

function switchedOff(repository: Repository): readonly Finding[] {
  const said = configOf(repository, '--type=bool', '--get-regexp', '^hook\\..*\\.enabled$');
  const switches = said.split('\n');
  const off = hookEvents.filter((event) =>
    [`hook.coord-${event}`, `hook.${event}`].some((name) =>
      switches.includes(`${name}.enabled false`),
    ),
  );
  if (off.length === 0) return [];
  const next = `git config --unset hook.coord-${off[0] ?? ''}.enabled`;
  return [fail('switched off', `git's configuration switches hooks off: ${off.join(', ')}`, next)];
}
