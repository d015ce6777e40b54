/**
 * What else has a hand in this repository's hooks, and what could keep ours from running: named,
 * since none of it shows.
 */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { limits } from '../core/limits.ts';
import { hidingHooks } from '../git/hiding-hooks.ts';
import { hookEvents, hooksFolder, hookText } from '../git/hook-files.ts';
import { ours, takeOut } from '../git/hook-section.ts';
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

const lfsEvents = ['pre-push', 'post-checkout', 'post-commit', 'post-merge'];

/** The variables are those of whoever asks, not of the git that answers. */
export function hookSurprises(repository: Repository, env: NodeJS.ProcessEnv): readonly Finding[] {
  const index = env['GIT_INDEX_FILE'] ?? '';
  return [
    ...managersIn(repository),
    ...hidingHooks(repository.top).map((name) =>
      note(
        'hides work',
        `${name} puts away what is not staged while it runs, also what other agents have in the work tree: edits of agents wait meanwhile, an editor does not`,
      ),
    ),
    ...movedHooks(repository),
    ...switchedOff(repository),
    ...largeFiles(repository),
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

/** Other tools that write hooks. */
export function hookManagers(top: string): readonly string[] {
  const used = managers
    .filter(([, files]) => files.some((file) => existsSync(join(top, file))))
    .map(([name]) => name);
  return hasInPackage(top, 'simple-git-hooks') ? [...used, 'simple-git-hooks'] : used;
}

function managersIn({ top }: Repository): readonly Finding[] {
  return hookManagers(top).map((name) =>
    note(
      'manager',
      `${name} writes hooks here too; when it writes its own anew, coord's lines in them go, and the next coord command says so`,
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
  return [
    note(
      'hooksPath',
      `git looks for hooks in '${said}' (${origin}); coord install puts its own there`,
    ),
  ];
}

/** Without its hook a push sends no content of the files that git-lfs keeps. */
function largeFiles(repository: Repository): readonly Finding[] {
  const { top, commonDir } = repository;
  const attributes = [join(top, '.gitattributes'), join(commonDir, 'info', 'attributes')].map(
    (file) => regularText(file, limits.projectFileBytes),
  );
  if (!attributes.some((text) => text !== null && /\bfilter=lfs\b/.test(text))) return [];
  const folder = hooksFolder(repository);
  // husky runs the file beside its own folder, and lefthook runs git-lfs by itself.
  const hooks = [folder, dirname(folder)].map((place) => hookText(join(place, 'pre-push')) ?? '');
  if (hooks.some((text) => /git[ -]lfs|lefthook/.test(text))) return [];
  const others = lfsEvents.filter((event) => {
    const text = hookText(join(folder, event));
    return text !== null && takeOut(text) !== ours;
  });
  const next =
    others.length === 0 ? 'git lfs update --force && coord install' : 'git lfs update --manual';
  return [fail('git-lfs', 'no pre-push hook runs git-lfs: a push leaves its files behind', next)];
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
