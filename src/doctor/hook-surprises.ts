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
  const { top } = repository;
  const used = [
    ...managers
      .filter(([, files]) => files.some((file) => existsSync(join(top, file))))
      .map(([name]) => name),
    ...(hasInPackage(top, 'simple-git-hooks') ? ['simple-git-hooks'] : []),
  ];
  const path = runPlain(repository.git, [
    '-C',
    top,
    'config',
    '--show-origin',
    '--get',
    'core.hooksPath',
  ])
    .stdout.toString('utf8')
    .trim();
  const [origin = '', said = ''] = path.split('\t');
  const switches = runPlain(repository.git, [
    '-C',
    top,
    'config',
    '--type=bool',
    '--get-regexp',
    '^hook\\..*\\.enabled$',
  ])
    .stdout.toString('utf8')
    .split('\n');
  const off = hookEvents.filter(
    (event) =>
      switches.includes(`hook.coord-${event}.enabled false`) ||
      switches.includes(`hook.${event}.enabled false`),
  );
  const index = env['GIT_INDEX_FILE'] ?? '';
  return [
    ...used.map((name) =>
      note(
        'manager',
        `${name} writes hooks here too; when it writes its own anew, coord's lines in them go, and a session says so at its start`,
        'coord install, after that',
      ),
    ),
    ...(path === ''
      ? []
      : [note('hooksPath', `git looks for hooks in '${said}' (${origin}); coord's are there`)]),
    ...(off.length === 0
      ? []
      : [
          fail(
            'switched off',
            `git's configuration switches hooks off: ${off.join(', ')}`,
            `git config --unset hook.coord-${off[0] ?? ''}.enabled`,
          ),
        ]),
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
