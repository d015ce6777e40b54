/**
 * What a harness should not send, and coord in a state that it should not be in: an edit is refused
 * with the reason, all else is one line.
 */
import { spawnSync } from 'node:child_process';
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { TestRepository } from '../support/repository.ts';
import { checkout } from '../support/sessions.ts';
import { ask, denied, edit, shim } from './asked-hook.ts';

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
        edit(repo, join(repo.top, 'src/large'), {
          tool_input: {
            content: 'x'.repeat(50 * 1_048_576),
            file_path: join(repo.top, 'src/large'),
          },
        }),
      ),
    ).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(repo.coord(null, 'status').json['leases']).toHaveLength(1);
    expect(
      denied(
        ask(
          repo,
          'before-edit',
          edit(repo, join(repo.top, 'src/large'), {
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
      expect(status).toBe(0);
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
