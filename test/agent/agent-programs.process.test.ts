/** Agent programs that say so by a variable. */
import { spawnSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import type { TestRepository } from '../support/repository.ts';
import { elsewhere, nameIn, team } from './elsewhere.ts';

/** In a session of its own, as an editor or another terminal has. */
function spawnGit(
  repo: TestRepository,
  env: Readonly<Record<string, string>>,
  ...args: readonly string[]
): { readonly code: number | null; readonly stderr: string } {
  const { status, stderr } = spawnSync('git', args, { cwd: repo.top, env, encoding: 'utf8' });
  return { code: status, stderr };
}

describe('an agent program that documents a variable', () => {
  test.for([
    ['GEMINI_CLI', '1', 'gemini'],
    ['CURSOR_AGENT', '1', 'cursor'],
    ['CLINE_ACTIVE', 'true', 'cline'],
    ['QWEN_CODE', '1', 'qwen'],
    ['OPENCODE', '1', 'opencode'],
    ['COPILOT_CLI', '1', 'copilot'],
    ['AUGMENT_AGENT', '1', 'auggie'],
    ['AGENT', 'amp', 'amp'],
    ['AGENT', 'goose', 'goose'],
    ['AI_AGENT', 'x', 'agent'],
  ] as const)('%s=%s is %s, and no person', async ([variable, value, name]) => {
    const repo = team();
    const env = { [variable]: value };
    const first = await elsewhere(repo, ['whoami', '--json'], env);
    expect(JSON.parse(first.stdout).agent).toMatchObject({
      kind: 'agent',
      name: expect.stringMatching(new RegExp(`^${name}\\.[0-9a-f]{4}$`)),
    });
    // Each of its commands has a terminal of its own, and it is one agent all the same.
    expect(nameIn(await elsewhere(repo, ['whoami', '--json'], env))).toBe(nameIn(first));
    expect(repo.coord(null, 'whoami').json['agent'].kind).toBe('person');
  });

  test('a program that is made of another sets both, and is itself', async () => {
    const repo = team();
    const both = { GEMINI_CLI: '1', QWEN_CODE: '1' };
    expect(nameIn(await elsewhere(repo, ['whoami', '--json'], both))).toMatch(/^qwen\./);
  });

  test('a variable that is off says nothing', async () => {
    const repo = team();
    const off = await elsewhere(repo, ['whoami', '--json'], { GEMINI_CLI: '0', AGENT: '' });
    expect(JSON.parse(off.stdout).agent.kind).toBe('person');
  });

  test("its commits are guarded as those of agents, not let through as a person's", () => {
    const repo = team();
    repo.coord('bob', 'reserve', 'src/a');
    repo.write('src/a', 'mine\n');
    repo.git('add', '.');
    const env = { ...repo.env, GEMINI_CLI: '1' };
    const ran = spawnGit(repo, env, 'commit', '-q', '-m', 'x');
    expect({ code: ran.code, stderr: ran.stderr }).toEqual({
      code: 1,
      stderr: expect.stringContaining('src/a is held by bob'),
    });
    expect(ran.stderr).not.toContain('COORD_OVERRIDE');
  });
});
