/**
 * What a program does to files that somebody else holds shows afterwards, however it is done, and
 * nothing else does.
 */
import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { TestRepository } from '../support/repository.ts';
import { checkout, session } from '../support/sessions.ts';
import { ask, edit, scene, shell } from './shell-scene.ts';

describe('after a command of another', () => {
  test.for<readonly [string, string, (repo: TestRepository) => void]>([
    ['written to', 'src/a', (repo) => appendFileSync(join(repo.top, 'src/a'), 'more\n')],
    ['deleted', 'src/a', (repo) => rmSync(join(repo.top, 'src/a'))],
    ['deleted, untracked', 'src/new', (repo) => rmSync(join(repo.top, 'src/new'))],
    ['put back as it was committed', 'src/a', (repo) => repo.git('checkout', '-q', '--', 'src/a')],
    [
      'written with an old time',
      'src/a',
      (repo) => {
        writeFileSync(join(repo.top, 'src/a'), 'x\n');
        utimesSync(join(repo.top, 'src/a'), 1_600_000_000, 1_600_000_000);
      },
    ],
    ['given another mode', 'src/a', (repo) => chmodSync(join(repo.top, 'src/a'), 0o755)],
    [
      'clean, and committed otherwise',
      'src/b',
      (repo) => {
        appendFileSync(join(repo.top, 'src/b'), 'x\n');
        repo.git('add', 'src/b');
      },
    ],
    [
      'replaced by a rename',
      'src/a',
      (repo) => renameSync(join(repo.top, 'src/c'), join(repo.top, 'src/a')),
    ],
  ])('a file that is %s is told to both', ([, path, change]) => {
    const repo = scene();
    shell(repo, 'two', 'before-shell', './generate');
    change(repo);
    expect(shell(repo, 'two', 'after-shell', './generate')).toContain(
      `changed ${path}, held by claude-`,
    );
    expect(ask(repo, 'one', 'prompt', {})).toContain(`has changed ${path}`);
  });

  test('nothing that changed is nothing that is told; a new file with an old time is reserved', () => {
    const repo = scene();
    shell(repo, 'two', 'before-shell', './look');
    expect(shell(repo, 'two', 'after-shell', './look')).toBe('');
    shell(repo, 'two', 'before-shell', './unpack');
    writeFileSync(join(repo.top, 'src/unpacked'), 'x\n');
    utimesSync(join(repo.top, 'src/unpacked'), 1_600_000_000, 1_600_000_000);
    expect(shell(repo, 'two', 'after-shell', './unpack')).toBe('');
    expect(repo.coord(null, 'check', 'src/unpacked').json['blockers']).toMatchObject([
      { agent: { name: expect.stringMatching(/^claude-/) } },
    ]);
  });

  test('two commands of one session at once, one of which only reads, do not hide what the other does', () => {
    const repo = scene();
    shell(repo, 'two', 'before-shell', 'make', 'call-1');
    shell(repo, 'two', 'before-shell', 'ls', 'call-2');
    shell(repo, 'two', 'before-shell', './other', 'call-3');
    appendFileSync(join(repo.top, 'src/a'), 'by make\n');
    expect(shell(repo, 'two', 'after-shell', 'ls', 'call-2')).toBe('');
    expect(shell(repo, 'two', 'after-shell', 'make', 'call-1')).toContain(
      'changed src/a, held by claude-',
    );
  });

  test('what its holder edits meanwhile is its own', () => {
    const repo = scene();
    shell(repo, 'two', 'before-shell', './long');
    edit(repo, 'one', 'src/a');
    appendFileSync(join(repo.top, 'src/a'), 'by its holder\n');
    expect(shell(repo, 'two', 'after-shell', './long')).toBe('');
  });

  test('what its holder changes meanwhile by a command of its own is its own [H6]', () => {
    const repo = scene();
    shell(repo, 'two', 'before-shell', './long');
    shell(repo, 'one', 'before-shell', './format');
    appendFileSync(join(repo.top, 'src/a'), 'by its holder\n');
    shell(repo, 'one', 'after-shell', './format');
    expect(shell(repo, 'two', 'after-shell', './long')).toBe('');
    expect(ask(repo, 'one', 'prompt', {})).toBe('');
  });

  test('while its holder is at a command too, both are told that it is not known [H6]', () => {
    const repo = scene();
    shell(repo, 'two', 'before-shell', './long');
    shell(repo, 'one', 'before-shell', './format');
    appendFileSync(join(repo.top, 'src/a'), 'by whom?\n');
    const told = shell(repo, 'two', 'after-shell', './long');
    expect(told).toMatch(/src\/a changed, held by claude-.* not known/);
    expect(told).not.toContain('your command changed');
    expect(ask(repo, 'one', 'prompt', {})).toMatch(/src\/a, .* while a command of .* not known/);
  });

  test('what a person holds may have been changed in an editor [H6]', () => {
    const repo = checkout();
    repo.coord(null, 'reserve', 'src/a');
    shell(repo, 'two', 'before-shell', './long');
    appendFileSync(join(repo.top, 'src/a'), 'by whom?\n');
    expect(shell(repo, 'two', 'after-shell', './long')).toContain('not known');
  });

  test('in another work tree of the repository the work of others is theirs too', () => {
    const repo = checkout();
    repo.git('worktree', 'add', '-q', '-b', 'side', '../side');
    const there = join(repo.top, '../side');
    edit(repo, 'one', '../side/src/a');
    appendFileSync(join(there, 'src/a'), 'of one\n');
    expect(shell(repo, 'two', 'before-shell', `cd '${there}' && git reset --hard`)).toContain(
      'deny',
    );
    const two = session(repo, 'by-hand');
    expect(two.git('-C', there, 'reset', '-q', '--hard')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('src/a: claude-'),
    });
    expect(readFileSync(join(there, 'src/a'), 'utf8')).toContain('of one');
  });

  test('subagents of one session are not alone with each other', () => {
    const repo = checkout();
    const as = (
      moment: string,
      subagent: string,
      more: Readonly<Record<string, unknown>>,
    ): string => ask(repo, 'one', moment, { agent_id: subagent, ...more });
    as('before-edit', 'x', {
      tool_name: 'Edit',
      tool_input: { file_path: join(repo.top, 'src/a') },
    });
    as('before-shell', 'y', { tool_name: 'Bash', tool_input: { command: 'true' } });
    expect(
      as('before-shell', 'y', { tool_name: 'Bash', tool_input: { command: 'rm src/a' } }),
    ).toContain('deny');
  });
});

describe('what a shim may not take for nothing', () => {
  const start = (repo: TestRepository, session: string): string =>
    ask(repo, session, 'session-start', { source: 'startup' });
  const heldBy = (repo: TestRepository): readonly string[] =>
    repo
      .coord(null, 'status')
      .json['leases'].flatMap(
        ({ agent, patterns }: { agent: { name: string }; patterns: readonly string[] }) =>
          patterns.map((path) => `${agent.name.slice(0, 10)} ${path}`),
      );

  test('a file that one alone puts in place with an old time is its own from then on', () => {
    const repo = checkout();
    start(repo, 'one');
    for (const command of ['make', 'mv new src/a']) {
      if (command !== 'make') {
        writeFileSync(join(repo.top, '.git/new'), 'of one\n');
        utimesSync(join(repo.top, '.git/new'), 1_600_000_000, 1_600_000_000);
      }
      shell(repo, 'one', 'before-shell', command);
      // A command takes longer than a tick of the file system's clock.
      if (command !== 'make')
        spawnSync(process.execPath, ['-e', "fs.renameSync('.git/new', 'src/a')"], {
          cwd: repo.top,
        });
      shell(repo, 'one', 'after-shell', command);
    }
    expect(heldBy(repo)).toEqual([expect.stringContaining('src/a')]);
  });

  test.for([
    "git log -1 --out'put'=src/a",
    "git diff '--output=src/a'",
    'git log -1 --output=src/a',
  ])('%s is no command that only reads', (command) => {
    const repo = scene();
    start(repo, 'two');
    shell(repo, 'two', 'before-shell', command);
    spawnSync('sh', ['-c', command], { cwd: repo.top, env: repo.env });
    expect(shell(repo, 'two', 'after-shell', command)).toContain('changed src/a, held by claude-');
  });

  test('a folder that has become a link is what it leads to, also where its file was noted a moment ago', () => {
    const repo = checkout();
    for (const path of ['d/f', 'e/f']) repo.write(path, 'x\n');
    edit(repo, 'two', 'e/f');
    expect(edit(repo, 'one', 'd/f')).not.toContain('deny');
    renameSync(join(repo.top, 'd'), join(repo.top, 'd.old'));
    symlinkSync('e', join(repo.top, 'd'));
    expect(edit(repo, 'one', 'd/f')).toContain('"permissionDecision":"deny"');
  });
});
