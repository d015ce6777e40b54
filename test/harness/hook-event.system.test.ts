/**
 * What a harness should not send, and coord in a state that it should not be in: an edit is refused
 * with the reason, all else is one line.
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type TestRepository, temporaryFolder } from '../support/repository.ts';
import { checkout } from '../support/sessions.ts';

const shim = resolve(import.meta.dirname, '../../hooks/agent-hook');

interface Said {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

function ask(
  repo: TestRepository,
  moment: string,
  input: string | Buffer,
  env: Readonly<Record<string, string>> = {},
  program = shim,
): Said {
  const { status, stdout, stderr } = spawnSync('sh', [program, 'claude', moment], {
    cwd: repo.top,
    env: { ...repo.env, COORD_NODE: process.execPath, ...env },
    input,
    encoding: 'utf8',
    timeout: 60_000,
  });
  return { code: status ?? -1, stdout, stderr };
}

const edit = (
  repo: TestRepository,
  path: unknown,
  more: Readonly<Record<string, unknown>> = {},
): string =>
  JSON.stringify({
    session_id: 's1',
    cwd: repo.top,
    hook_event_name: 'PreToolUse',
    tool_name: 'Edit',
    tool_input: { file_path: path },
    ...more,
  });

function denied({ code, stdout, stderr }: Said): string {
  if (code === 2) return stderr;
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return String(JSON.parse(stdout).hookSpecificOutput.permissionDecisionReason);
}

describe('a payload that cannot be read', () => {
  test.for<readonly [string, (repo: TestRepository) => string | Buffer]>([
    ['nothing', () => ''],
    ['no JSON', () => 'edit please'],
    ['cut off', (repo) => edit(repo, '/x').slice(0, 40)],
    ['a list', () => '[]'],
    ['null', () => 'null'],
    ['bytes', () => Buffer.from([0xff, 0xfe, 0, 1])],
    ['no session', (repo) => edit(repo, join(repo.top, 'src/a'), { session_id: undefined })],
    [
      'a session that is a number',
      (repo) => edit(repo, join(repo.top, 'src/a'), { session_id: 7 }),
    ],
    ['a path that is a list', (repo) => edit(repo, ['src/a'])],
    ['a path that is empty', (repo) => edit(repo, '')],
    ['an input that is a text', (repo) => edit(repo, 'x', { tool_input: 'src/a' })],
    ['no tool', (repo) => edit(repo, 'x', { tool_name: undefined })],
    ['a path with a zero byte', (repo) => edit(repo, 'src/a\0b')],
  ])('%s: the edit is refused with a reason, a command is let through with a line', ([, input]) => {
    const repo = checkout();
    expect(denied(ask(repo, 'before-edit', input(repo)))).toMatch(
      /coord could not judge this edit, so it is refused: .+\nNext: coord doctor/s,
    );
    const shell = ask(repo, 'after-shell', input(repo));
    expect({ code: shell.code, stdout: shell.stdout }).toEqual({ code: 0, stdout: '' });
    expect(shell.stderr.trim().split('\n').length).toBeLessThanOrEqual(1);
  });

  test('50 MB are judged like anything else', () => {
    const repo = checkout();
    expect(
      ask(
        repo,
        'before-edit',
        edit(repo, join(repo.top, 'src/a'), {
          tool_input: { content: 'x'.repeat(50 * 1_048_576), file_path: join(repo.top, 'src/a') },
        }),
      ),
    ).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(repo.coord(null, 'status').json['leases']).toHaveLength(1);
    expect(
      denied(
        ask(
          repo,
          'before-edit',
          edit(repo, join(repo.top, 'src/a'), {
            session_id: 's2',
            pad: 'y'.repeat(50 * 1_048_576),
          }),
        ),
      ),
    ).toContain('held by');
  });

  test('an unknown moment and an unknown harness say so, and end with 0', () => {
    const repo = checkout();
    for (const words of [
      ['claude', 'before-lunch'],
      ['clippy', 'before-edit'],
    ]) {
      const { status, stderr } = spawnSync('sh', [shim, ...words], {
        cwd: repo.top,
        env: { ...repo.env, COORD_NODE: process.execPath },
        input: '{}',
        encoding: 'utf8',
      });
      expect([0, 2].includes(status ?? -1)).toBe(true);
      expect(stderr).toEqual(expect.stringContaining('coord'));
    }
  });
});

describe('what is edited', () => {
  test.for<readonly [string, (repo: TestRepository) => string, readonly string[]]>([
    ['outside the repository', () => '/tmp/elsewhere', []],
    ['in .git', (repo) => join(repo.top, '.git/config'), []],
    ['ignored by git', (repo) => join(repo.top, 'out/made'), []],
    ['behind a link', (repo) => join(repo.top, 'link'), ['src/b']],
    ['below a folder that is a link', (repo) => join(repo.top, 'linked/c'), ['src/c']],
    ['new', (repo) => join(repo.top, 'new/deep/file'), ['new/deep/file']],
    [
      'with a name like a pattern',
      (repo) => join(repo.top, 'app/[id]/*.ts'),
      ['app/\\[id\\]/\\*.ts'],
    ],
    ['relative', () => 'src/d', ['src/d']],
    ['with quotes', (repo) => join(repo.top, 'a "b" $(c)'), ['a "b" $(c)']],
  ])('%s', ([, path, leases]) => {
    const repo = checkout();
    repo.write('.gitignore', 'out\n');
    symlinkSync('src/b', join(repo.top, 'link'));
    symlinkSync('src', join(repo.top, 'linked'));
    const said = ask(repo, 'before-edit', edit(repo, path(repo)));
    expect({ code: said.code, stdout: said.stdout }).toEqual({ code: 0, stdout: '' });
    expect(
      repo
        .coord(null, 'status')
        .json['leases'].flatMap(({ patterns }: { patterns: readonly string[] }) => patterns),
    ).toEqual(leases);
  });

  test('coord.edit: require wants it reserved, conflict looks only at what others hold; an MCP tool that is named is judged', () => {
    const repo = checkout();
    repo.git('config', 'coord.edit', 'require');
    expect(denied(ask(repo, 'before-edit', edit(repo, join(repo.top, 'src/a'))))).toMatch(
      /reserve src\/a before you edit it.*coord reserve -- src\/a/s,
    );
    repo.git('config', 'coord.edit', 'conflict');
    expect(ask(repo, 'before-edit', edit(repo, join(repo.top, 'src/a'))).stdout).toBe('');
    expect(repo.coord(null, 'status').json['leases']).toEqual([]);
    repo.coord('bob', 'reserve', 'src/a');
    expect(denied(ask(repo, 'before-edit', edit(repo, join(repo.top, 'src/a'))))).toContain(
      'held by bob',
    );
    repo.git('config', 'coord.editTools', 'mcp__fs__write=target');
    expect(
      denied(
        ask(
          repo,
          'before-edit',
          edit(repo, '', {
            tool_name: 'mcp__fs__write',
            tool_input: { target: join(repo.top, 'src/a') },
          }),
        ),
      ),
    ).toContain('held by bob');
  });
});

describe('coord in a bad state', () => {
  /** The program as it stands, with something wrong with it. */
  function broken(change: (folder: string) => void): string {
    const folder = temporaryFolder();
    for (const name of ['dist', 'hooks'])
      cpSync(resolve(import.meta.dirname, '../..', name), join(folder, name), { recursive: true });
    change(folder);
    return join(folder, 'hooks/agent-hook');
  }

  test.for<readonly [string, (folder: string) => void]>([
    ['is cut in half', (folder) => writeFileSync(join(folder, 'dist/hot.cjs'), 'throw 1;')],
    ['is gone', (folder) => rmSync(join(folder, 'dist'), { recursive: true })],
    [
      'ends at once with 1',
      (folder) => writeFileSync(join(folder, 'dist/coord.cjs'), 'process.exit(1)'),
    ],
    [
      'dies',
      (folder) =>
        writeFileSync(join(folder, 'dist/coord.cjs'), 'process.kill(process.pid, "SIGKILL")'),
    ],
  ])(
    'its program %s: the edit is refused with a reason, never with 1, unless coord.onError=warn',
    ([, change]) => {
      const repo = checkout();
      const program = broken(change);
      expect(
        denied(ask(repo, 'before-edit', edit(repo, join(repo.top, 'src/a')), {}, program)),
      ).toMatch(/refused.*coord doctor/s);
      for (const moment of ['before-shell', 'after-shell', 'session-start', 'session-end'])
        expect(ask(repo, moment, edit(repo, 'x'), {}, program).code, moment).toBe(0);
      repo.git('config', 'coord.onError', 'warn');
      expect(
        ask(repo, 'before-edit', edit(repo, join(repo.top, 'src/a')), {}, program),
      ).toMatchObject({ code: 0, stdout: '', stderr: expect.stringContaining('let through') });
    },
  );

  test('no node, a log that cannot be read, a git that fails: the edit is refused', () => {
    const repo = checkout();
    expect(
      denied(
        ask(repo, 'before-edit', edit(repo, join(repo.top, 'src/a')), {
          COORD_NODE: '/nowhere/node',
        }),
      ),
    ).toMatch(/refused/);
    repo.coord('bob', 'reserve', 'src/b');
    writeFileSync(join(repo.top, '.git/refs/coord/log'), 'nonsense\n');
    expect(denied(ask(repo, 'before-edit', edit(repo, join(repo.top, 'src/a'))))).toMatch(
      /refused/,
    );
    repo.git('config', 'coord.onError', 'warn');
    expect(ask(repo, 'before-edit', edit(repo, join(repo.top, 'src/a')))).toMatchObject({
      code: 0,
      stdout: '',
    });
  });

  test('no repository: nothing is guarded and nothing is said', () => {
    const repo = checkout();
    const folder = temporaryFolder();
    mkdirSync(join(folder, 'x'));
    chmodSync(join(folder, 'x'), 0o755);
    expect(
      ask(repo, 'before-edit', edit(repo, join(folder, 'x/a'), { cwd: join(folder, 'x') })),
    ).toEqual({ code: 0, stdout: '', stderr: '' });
  });
});

describe('the shim', () => {
  test('says yes by itself to exactly what was noted, until the log moves, the path differs or the payload is odd', () => {
    const repo = checkout();
    repo.git('config', 'coord.breakAfter', '0s');
    const starts = (input: string): number => {
      const log = join(repo.top, '../starts');
      rmSync(log, { force: true });
      const counting = join(repo.top, '../counting');
      writeFileSync(counting, `#!/bin/sh\necho x >> '${log}'\nexec '${process.execPath}' "$@"\n`, {
        mode: 0o755,
      });
      const { status, stdout } = spawnSync('sh', [shim, 'claude', 'before-edit'], {
        cwd: repo.top,
        env: { ...repo.env, COORD_NODE: counting },
        input,
        encoding: 'utf8',
      });
      expect(status).toBe(0);
      return (
        spawnSync('cat', [log], { encoding: 'utf8' }).stdout.length / 2 + (stdout === '' ? 0 : 100)
      );
    };
    const a = join(repo.top, 'src/a');
    expect(starts(edit(repo, a))).toBe(1);
    expect(starts(edit(repo, a))).toBe(0);
    expect(
      starts(
        edit(repo, a, {
          tool_input: { file_path: a, old_string: 'x\n"file_path":"/y"', new_string: '\\' },
        }),
      ),
    ).toBe(0);
    // Odd: a second path, an escape that could spell anything, another session, a subagent.
    expect(
      starts(
        `{"session_id":"s1","cwd":${JSON.stringify(repo.top)},"tool_name":"Edit","tool_input":{"file_path":${JSON.stringify(a)},"x":{"file_path":"/y"}}}`,
      ),
    ).toBe(1);
    expect(starts(edit(repo, a).replace('file_path', 'file\\u005fpath'))).toBe(1);
    expect(starts(edit(repo, `${repo.top}/src/../src/a`))).toBe(1);
    expect(starts(edit(repo, a, { agent_id: 'child' }))).toBe(1);
    expect(starts(edit(repo, a, { session_id: 's2' }))).toBe(101);
    // Whatever takes the lease away moves the log.
    expect(starts(edit(repo, a))).toBe(1);
    const [lease] = repo
      .coord(null, 'status')
      .json['leases'].filter(({ agent }: { agent: { name: string } }) => !agent.name.includes('/'));
    expect(repo.coord('bob', 'break', lease.id, '--reason', 'stuck').code).toBe(0);
    expect(repo.coord('bob', 'reserve', 'src/a').code).toBe(1);
  });
});
