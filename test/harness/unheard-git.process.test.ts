/** Sessions of a program that runs git without hooks, and takes no command that is rewritten. */
import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import type { TestRepository } from '../support/repository.ts';
import { checkout } from '../support/sessions.ts';

const shim = resolve(import.meta.dirname, '../../hooks/agent-hook');
let repo: TestRepository;

/** As Gemini CLI runs its hooks; this process, which it takes for the program, allows no command. */
function shell(moment: string, command: string, env: NodeJS.ProcessEnv = {}): string {
  const payload = { session_id: 'one', cwd: repo.top, tool_name: 'x', tool_input: { command } };
  const { status, stdout } = spawnSync('sh', [shim, 'gemini', moment], {
    cwd: repo.top,
    env: { ...repo.env, COORD_NODE: process.execPath, GEMINI_SESSION_ID: 'one', ...env },
    input: JSON.stringify(payload),
    encoding: 'utf8',
  });
  expect(status).toBe(0);
  return stdout;
}

/** As its shells run it. */
function run(command: string): string {
  const before = shell('before-shell', command);
  if (before !== '') return before;
  spawnSync(
    'sh',
    ['-c', `export GIT_CONFIG_PARAMETERS="'core.hooksPath'='/nowhere'"; ${command}`],
    { cwd: repo.top, env: { ...repo.env, GEMINI_CLI: '1' } },
  );
  return shell('after-shell', command);
}

beforeEach(() => {
  repo = checkout();
  for (const path of ['a', 'b', 'c']) repo.write(path, `${path}\n`);
  repo.git('add', '.');
  repo.git('commit', '-qm', 'files');
  repo.coord('bob', 'reserve', 'b');
  repo.write('b', 'of bob\n');
});

it.each([
  'git add b && git commit -m x',
  'git add . && git commit -m x',
  'git commit -m x -- b',
  'git commit -am x',
  "sh -c 'git commit -m x b'",
])('%s is refused before it runs, with what is held', (command) => {
  repo.write('a', 'mine\n');
  expect(run(command)).toMatch(/"decision":"deny".*\bb\b.*bob/);
});

it('what is staged is judged as the hook would: also where it says nothing of it', () => {
  repo.git('add', 'b');
  const said = run('git commit -m x');
  expect(said).toMatch(/b is held by bob.*next: coord reserve/);
  // Without it a person at its terminal sees nothing of a refusal.
  const { reason, systemMessage } = JSON.parse(said);
  expect(systemMessage).toBe(reason);
});

it('a commit of free files is not touched, from the index of the repository, and is its own', () => {
  repo.write('a', 'mine\n');
  repo.git('add', 'a');
  expect(run('git commit -m mine')).not.toContain('deny');
  expect(repo.git('show', '--format=%s', '--name-only').trim()).toBe('mine\n\na');
  expect(run('git commit --amend -m better')).not.toContain('deny');
  expect(repo.git('show', '--format=%s', '--name-only').trim()).toBe('better\n\na');
  expect(() => repo.git('reset', '--soft', 'HEAD~1')).toThrow(/a commit of gemini-\w+/);
});

it('no command is rewritten; with BASH_ENV its shells are told by a note of its process', () => {
  expect(shell('before-shell', 'git status')).toBe('');
  const env = { BASH_ENV: `${repo.top}/.git/coord/shell` };
  expect(shell('before-shell', 'git status && ls', env)).toBe('');
  repo.coord(null, 'install', '--harness', 'none');
  const said = spawnSync('bash', ['-c', 'echo "$COORD_AGENT"; command -v git'], {
    env: { ...repo.env, ...env, GEMINI_CLI: '1' },
    // From a socket bash would read another file.
    stdio: ['ignore', 'pipe', 'pipe'],
    encoding: 'utf8',
  });
  expect(said.stdout).toMatch(/^gemini-\w+\n.*\/hooks\/bin\/git\n$/);
});
