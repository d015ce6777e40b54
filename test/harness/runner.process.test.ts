/** Hooks that are installed for one harness and run by another, with its marks around them. */
import { spawnSync } from 'node:child_process';
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { commandsFor, driver, shapes } from '../support/harness.ts';
import { at, type TestRepository } from '../support/repository.ts';
import { checkout } from '../support/sessions.ts';

const marks = { copilot: 'COPILOT_CLI', claude: 'CLAUDECODE', cursor: 'CURSOR_VERSION' } as const;
const session = '0a1b2c3d-1111-4222-8333-444455556666';

/** As Copilot CLI tells the hooks of Claude Code. */
const told = (repo: TestRepository, tool: string, input: unknown): string =>
  JSON.stringify({ session_id: session, cwd: repo.top, tool_name: tool, tool_input: input });

/** The hook of Claude Code before this tool, in an environment that these programs have made, in turn. */
function hooked(
  repo: TestRepository,
  programs: readonly (keyof typeof marks)[],
  tool: string,
  input: unknown,
): string {
  const [command = ''] = commandsFor(repo, shapes.claude, 'PreToolUse', tool);
  // Whoever was started later is younger: a tick of the clock by which processes are known.
  const within = programs.map((name) => `export ${marks[name]}=1; sleep 0.02; "$@"; exit $?`);
  const words = within.flatMap((text) => ['sh', '-c', text, 'sh']);
  const [file = 'sh', ...args] = [...words, 'sh', '-c', command];
  const { status, stdout, stderr } = spawnSync(file, args, {
    cwd: repo.top,
    env: repo.env,
    input: told(repo, tool, input),
    encoding: 'utf8',
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  return stdout;
}

function installed(...names: readonly string[]): TestRepository {
  const repo = checkout();
  const { code } = repo.text(null, 'install', ...names.flatMap((name) => ['--harness', name]));
  expect(code).toBe(0);
  repo.coord('bob', 'reserve', 'src/b');
  return repo;
}

const holder = (repo: TestRepository, path: string): unknown =>
  repo.coord(null, 'check', path).json['blockers'].map(({ agent }: any) => agent.name)[0];

describe('run by Copilot CLI', () => {
  test('says nothing where Copilot CLI has hooks of its own, in the project or of its user', () => {
    for (const isUser of [false, true]) {
      const repo = installed('claude', ...(isUser ? [] : ['copilot']));
      if (isUser) repo.text(null, 'install', '--user', '--harness', 'copilot');
      const path = join(repo.top, 'src/b');
      expect(hooked(repo, ['copilot'], 'Edit', { path, old_str: 'a', new_str: 'b' })).toBe('');
      expect(hooked(repo, ['copilot'], 'Bash', { command: 'git stash' })).toBe('');
    }
  });

  test('answers as Copilot CLI where it has none', () => {
    const repo = installed('claude');
    const path = (name: string) => ({ path: join(repo.top, name), old_str: 'a', new_str: 'b' });
    expect(hooked(repo, ['copilot'], 'Edit', path('src/a'))).toBe('');
    expect(holder(repo, 'src/a')).toMatch(/^copilot-/);
    expect(JSON.parse(hooked(repo, ['copilot'], 'Edit', path('src/b')))).toMatchObject({
      permissionDecision: 'deny',
      permissionDecisionReason: expect.stringContaining('held by bob'),
    });
    const patch = `*** Begin Patch\n*** Update File: src/b\n@@\n-a\n+b\n*** End Patch\n`;
    expect(hooked(repo, ['copilot'], 'Edit', patch)).toContain('held by bob');
  });

  test('is its own where its program runs within the other', () => {
    const repo = installed('claude', 'copilot');
    const edit = { file_path: join(repo.top, 'src/b'), old_string: 'a', new_string: 'b' };
    for (const programs of [['claude'], ['copilot', 'claude']] as const)
      expect(JSON.parse(hooked(repo, programs, 'Edit', edit))).toHaveProperty(
        'hookSpecificOutput.permissionDecision',
        'deny',
      );
    expect(hooked(repo, ['claude', 'copilot'], 'Edit', { path: edit.file_path })).toBe('');
  });
});

test('run by Cursor, says nothing where Cursor has hooks of its own', () => {
  const edit = { file_path: 'src/b', contents: 'x' };
  expect(hooked(installed('claude', 'cursor'), ['cursor'], 'Edit', edit)).toBe('');
  expect(hooked(installed('claude'), ['cursor'], 'Edit', edit)).toContain('held by bob');
});

describe('Copilot CLI', () => {
  const plugged = () => {
    const repo = installed('copilot');
    return { repo, drive: driver(repo, 'copilot') };
  };

  test('is given another command without a decision, which would allow what its user has not', () => {
    const { drive } = plugged();
    drive.start({ session }, 'new');
    const { json } = drive.beforeShell({ session }, 'git status');
    expect(Object.keys(json)).toEqual(['modifiedArgs']);
    expect(json['modifiedArgs'].command).toMatch(/^export COORD_AGENT=.*; git status$/);
  });

  test('has subagents that are children, and theirs; the end of one frees only what is its own', () => {
    const { repo, drive } = plugged();
    drive.start({ session }, 'new');
    const child = { session, subagent: 'aaaaaaaa-1111-4222-8333-111111111111' };
    const inner = { session: child.subagent, subagent: 'bbbbbbbb-1111-4222-8333-222222222222' };
    drive.beforeEdit({ session }, join(repo.top, 'src/d'));
    expect(drive.shape.contextOf(drive.moment('subagentStart', child).json)).toMatch(
      /you are copilot-\w{8}\/11111111/,
    );
    expect(drive.beforeEdit(child, join(repo.top, 'src/d')).stdout).toBe('');
    expect(drive.beforeEdit(child, join(repo.top, 'src/a')).stdout).toBe('');
    drive.moment('subagentStart', inner);
    expect(drive.beforeEdit(inner, join(repo.top, 'src/a')).stdout).toBe('');
    expect(drive.beforeEdit(inner, join(repo.top, 'src/c')).stdout).toBe('');
    expect(holder(repo, 'src/c')).toMatch(/^copilot-\w{8}\/11111111\/22222222$/);
    drive.moment('subagentStop', inner, { response: 'Done.' });
    expect(holder(repo, 'src/c')).toBeUndefined();
    drive.moment('subagentStop', child, { response: 'Done.' });
    expect(holder(repo, 'src/a')).toBeUndefined();
    expect(holder(repo, 'src/d')).toMatch(/^copilot-\w{8}$/);
  });

  test('tells a command of its session by a variable, whoever runs it', () => {
    const { repo, drive } = plugged();
    drive.start({ session }, 'new');
    drive.beforeEdit({ session }, join(repo.top, 'src/a'));
    const env = { ...repo.env, COPILOT_CLI: '1', COPILOT_AGENT_SESSION_ID: session };
    expect(at(repo.top, env).coord(null, 'whoami').json['agent'].name).toBe(holder(repo, 'src/a'));
  });

  test('is said to be not in force where its own files do not trust the folder, or switch hooks off', () => {
    const { repo } = plugged();
    const home = join(repo.env['HOME'] ?? '', '.copilot');
    const put = (file: string, text: string): void => {
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
    };
    const says = (env: Readonly<Record<string, string>> = {}): string =>
      at(repo.top, { ...repo.env, ...env })
        .coord(null, 'doctor')
        .json['checks'].find(({ check }: { check: string }) => check === 'copilot').says;
    expect(says()).toMatch(/^not in force: .*--trust-folder$/);
    expect(says({ COPILOT_ALLOW_ALL: 'true' })).toMatch(/^tried as /);
    const config = (folder: string): string =>
      `// Managed.\n{ "trusted_folders": ["/x]y\\"", ${JSON.stringify(folder)}] }\n`;
    for (const [folder, isTrusted] of [
      [`${repo.top}-other`, false],
      [join(repo.top, 'src'), false],
      [repo.top, true],
      [dirname(repo.top), true],
    ] as const) {
      put(join(home, 'config.json'), config(folder));
      expect(says(), folder).toMatch(isTrusted ? /^tried as / : /^not in force: /);
    }
    put(join(repo.top, '../elsewhere/config.json'), '{}');
    expect(says({ COPILOT_HOME: join(repo.top, '../elsewhere') })).toMatch(/^not in force: /);
    put(join(repo.top, '.github/copilot/settings.local.json'), '{ "disableAllHooks": true }');
    expect(says()).toMatch(/^not in force: .*settings\.local\.json/);
  });
});

describe('Cursor', () => {
  test('tells of an end of a subagent without which it was: its session goes on', () => {
    const repo = installed('cursor');
    const drive = driver(repo, 'cursor');
    drive.start({ session });
    drive.beforeEdit({ session }, join(repo.top, 'src/a'));
    drive.moment('subagentStop', { session }, { subagent_type: 'explore', status: 'completed' });
    expect(holder(repo, 'src/a')).toMatch(/^cursor-/);
  });

  test('hears after a command what concerns it, which no moment before has swallowed', () => {
    const repo = installed('cursor');
    const drive = driver(repo, 'cursor');
    drive.start({ session });
    drive.beforeEdit({ session }, join(repo.top, 'src/a'));
    const lease = repo
      .coord(null, 'status')
      .json['leases'].find(({ patterns }: { patterns: readonly string[] }) =>
        patterns.includes('src/a'),
      ).id;
    expect(repo.coord('bob', 'ask', lease, '--reason', 'mine').code).toBe(0);
    drive.beforeEdit({ session }, join(repo.top, 'src/c'));
    drive.beforeShell({ session }, 'python3 x.py');
    appendFileSync(join(repo.top, 'src/a'), 'x\n');
    expect(drive.shape.contextOf(drive.afterShell({ session }, 'python3 x.py').json)).toMatch(
      /bob .*asks you for src\/a/,
    );
  });
});
