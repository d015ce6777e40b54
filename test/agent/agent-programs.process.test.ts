/** Agent programs that say so by a variable. */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { commandsFor, driver, shapes } from '../support/harness.ts';
import { coordProgram, type TestRepository } from '../support/repository.ts';
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

describe('a shell of a program that gives it no id of a session', () => {
  const shell = { GEMINI_CLI: '1' };
  const who = async (repo: TestRepository): Promise<string> =>
    nameIn(await elsewhere(repo, ['whoami', '--json'], shell));

  /** A session whose program is this very process. */
  function begun(session: string): {
    readonly repo: TestRepository;
    readonly end: (why: string) => void;
    readonly start: (session: string, why: string) => void;
  } {
    const repo = team();
    repo.coord(null, 'install', '--harness', 'gemini');
    const hooks = driver(repo, 'gemini');
    const start = (one: string, why: string): void => {
      hooks.start({ session: one }, why, { GEMINI_SESSION_ID: one });
    };
    start(session, 'startup');
    return {
      repo,
      start,
      end: (why) => hooks.end({ session }, why, { GEMINI_SESSION_ID: session }),
    };
  }

  test('is of the session whose hooks are of the same process', async () => {
    const { repo, end } = begun('5e55a000-0000-4000-8000-0000aaaa0001');
    expect(await who(repo)).toBe('gemini-aaaa0001');
    expect(repo.coord(null, 'whoami').json['agent'].kind).toBe('person');
    end('exit');
    expect(await who(repo)).toMatch(/^gemini\.[0-9a-f]{4}$/);
  });

  test('is of its own process also where another process has a session', async () => {
    const { repo } = begun('5e55a000-0000-4000-8000-0000aaaa0001');
    const [command = ''] = commandsFor(repo, shapes.gemini, 'SessionStart');
    const other = '5e55a000-0000-4000-8000-0000bbbb0002';
    const payload = JSON.stringify({
      ...shapes.gemini.common(repo, 'SessionStart', { session: other }),
      source: 'startup',
    });
    // The program is a shell here, with a hook and a command as its children.
    const program = [
      `printf %s "$PAYLOAD" | GEMINI_SESSION_ID=${other} sh -c "$HOOK" >&2`,
      `GEMINI_CLI=1 sh -c '"$NODE" "$COORD" whoami --json; :'`,
      ':',
    ].join('\n');
    const ran = spawnSync('sh', ['-c', program], {
      cwd: repo.top,
      env: {
        ...repo.env,
        PAYLOAD: payload,
        HOOK: command,
        NODE: process.execPath,
        COORD: coordProgram,
      },
      encoding: 'utf8',
    });
    expect(nameIn({ code: 0, stdout: ran.stdout }), ran.stderr).toBe('gemini-bbbb0002');
    expect(await who(repo)).toBe('gemini-aaaa0001');
  });

  test('is of none where the process only has the number of one that has ended', async () => {
    const session = '5e55a000-0000-4000-8000-0000aaaa0001';
    const { repo } = begun(session);
    const file = join(repo.top, '.git/coord/sessions', `gemini-${session}`);
    const known = JSON.parse(readFileSync(file, 'utf8')) as { process: { start: string } };
    known.process.start = '1';
    writeFileSync(file, JSON.stringify(known));
    expect(await who(repo)).toMatch(/^gemini\.[0-9a-f]{4}$/);
  });

  test('is of none where one process has two sessions at once', async () => {
    const { repo, start } = begun('5e55a000-0000-4000-8000-0000aaaa0001');
    start('5e55a000-0000-4000-8000-0000cccc0003', 'startup');
    expect(await who(repo)).toMatch(/^gemini\.[0-9a-f]{4}$/);
  });

  test('goes on as the same agent after its session was cleared', async () => {
    const { repo, start, end } = begun('5e55a000-0000-4000-8000-0000aaaa0001');
    end('clear');
    start('5e55a000-0000-4000-8000-0000cccc0003', 'clear');
    expect(await who(repo)).toBe('gemini-aaaa0001');
  });
});

describe('an agent program that documents a variable', () => {
  test.for([
    ['GEMINI_CLI', '1', 'gemini'],
    ['CURSOR_AGENT', '1', 'cursor'],
    ['CLINE_ACTIVE', 'true', 'cline'],
    ['QWEN_CODE', '1', 'qwen'],
    ['KILO', '1', 'kilo'],
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
