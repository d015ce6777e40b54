/** What no hook is told of: a patch that a program takes out of a command, and what is typed. */
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { TestRepository } from '../support/repository.ts';
import { checkout } from '../support/sessions.ts';
import { ask, edit, scene, shell } from './shell-scene.ts';

describe('a patch in a command', () => {
  const patch = (file: string): string =>
    `apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: ${file}\n@@\n-git\n+coord\n*** End Patch\nEOF`;
  const held = (repo: TestRepository, path: string): string =>
    JSON.stringify(repo.coord(null, 'check', path).json['blockers']);

  test('is refused as an edit is, where somebody holds the file', () => {
    const repo = scene();
    for (const command of [patch('src/b'), `cd src && ${patch('b')}`, `true; ${patch('src/b')}`])
      expect(shell(repo, 'two', 'before-shell', command)).toMatch(
        /"deny"[^]*src\/b is held by claude-[^]*Next: /,
      );
  });

  test('reserves the file, also for who is alone, and is left as it is', () => {
    const repo = checkout();
    ask(repo, 'one', 'session-start', { source: 'startup' });
    shell(repo, 'one', 'before-shell', './make');
    expect(shell(repo, 'one', 'before-shell', patch('src/b'))).toBe('');
    expect(held(repo, 'src/b')).toMatch(/"name":"claude-/);
    expect(shell(repo, 'one', 'before-shell', patch('src/c'))).toBe('');
    expect(held(repo, 'src/c')).toMatch(/"name":"claude-/);
    expect(shell(repo, 'two', 'before-shell', patch('src/c'))).toContain('deny');
  });
});

describe('a shell that stays open', () => {
  const heard = (repo: TestRepository): string => ask(repo, 'one', 'prompt', {});

  test.for([
    'bash',
    'cd src && /bin/sh -i',
    'python3',
  ])('%s: what is typed into it is told at the next call, once', (command) => {
    const repo = scene();
    shell(repo, 'two', 'before-shell', command, 'call-1');
    appendFileSync(join(repo.top, 'src/a'), 'typed\n');
    const said = shell(repo, 'two', 'before-shell', './x', 'call-2');
    const [, who = '', at = ''] = /src\/a[^]*rescue diff (\w+)\/(\d+)/.exec(said) ?? [];
    const saved = `refs/coord/saved/${who}/${at.padStart(15, '0')}:src/a`;
    expect(repo.git('show', saved)).toMatch(/of one\n$/);
    expect(heard(repo)).toMatch(/src\/a/);
    expect(shell(repo, 'two', 'after-shell', './x', 'call-2')).toBe('');
    expect(ask(repo, 'two', 'prompt', {})).toBe('');
    appendFileSync(join(repo.top, 'src/a'), 'typed again\n');
    expect(shell(repo, 'two', 'after-shell', command, 'call-1')).toMatch(/src\/a/);
    expect(ask(repo, 'two', 'prompt', {})).toBe('');
  });

  test('it is seen also by who was alone when it was opened, and at the end of the session', () => {
    const repo = checkout();
    ask(repo, 'two', 'session-start', { source: 'startup' });
    shell(repo, 'two', 'before-shell', './make', 'call-0');
    shell(repo, 'two', 'before-shell', 'bash', 'call-1');
    edit(repo, 'one', 'src/a');
    shell(repo, 'two', 'before-shell', './make', 'call-2');
    appendFileSync(join(repo.top, 'src/a'), 'typed\n');
    ask(repo, 'two', 'session-end', { reason: 'exit' });
    expect(heard(repo)).toMatch(/src\/a/);
  });
});
