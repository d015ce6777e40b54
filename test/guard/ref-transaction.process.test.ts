/** Refs that move at once, without a branch or after a git that was killed. */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, expect, test } from 'vitest';
import { checkout, pathsIn, ranIn, session } from '../support/sessions.ts';

describe('a move of refs', () => {
  test('two branches that go or move at once are judged together', () => {
    const repo = checkout();
    const [ann, bob] = [session(repo, 'ann'), session(repo, 'bob')];
    expect(bob.git('switch', '-q', '-c', 'p').code).toBe(0);
    bob.edit('src/b');
    expect(bob.git('commit', '-q', '-m', 'bob').code).toBe(0);
    expect(bob.git('switch', '-q', 'main').code).toBe(0);
    repo.git('branch', 'q', 'p');
    const main = repo.git('rev-parse', 'main').trim();
    for (const lines of [
      'delete refs/heads/p\ndelete refs/heads/q\n',
      `update refs/heads/p ${main}\nupdate refs/heads/q ${main}\n`,
    ]) {
      expect(
        ann.run('sh', '-c', `printf '${lines.replaceAll('\n', '\\n')}' | git update-ref --stdin`)
          .code,
      ).not.toBe(0);
    }
    expect(ann.git('branch', '-D', 'q')).toMatchObject({ code: 0 });
  });

  test("with a detached HEAD, and by branch -M, nobody's commit is left behind", () => {
    const repo = checkout();
    repo.git('branch', 'other');
    repo.git('checkout', '-q', '--detach');
    const [ann, bob] = [session(repo, 'ann'), session(repo, 'bob')];
    ann.edit('src/a');
    expect(ann.git('commit', '-q', '-m', 'of ann').code).toBe(0);
    const made = repo.git('rev-parse', 'HEAD').trim();
    for (const command of [
      ['reset', '-q', 'HEAD~1'],
      ['commit', '-q', '--amend', '-m', 'bob'],
      ['checkout', '-q', 'main'],
      ['checkout', '-q', 'main', '--'],
      ['switch', '-q', '-'],
      ['checkout', '-q', '-B', 'other', 'main'],
      ['switch', '-q', '--orphan', 'new'],
      ['rebase', '-q', 'main', 'other'],
      ['symbolic-ref', 'HEAD', 'refs/heads/main'],
    ]) {
      expect(bob.git(...command).code, command.join(' ')).not.toBe(0);
      expect(repo.git('rev-parse', 'HEAD').trim()).toBe(made);
    }
    expect(ann.git('switch', '-q', '-c', 'kept').code).toBe(0);
    expect(ann.git('switch', '-q', 'main').code).toBe(0);
    for (const flags of [
      ['-M'],
      ['-C'],
      ['-m', '-f'],
      ['-fm'],
      ['--move', '--force'],
      ['-c', '-f'],
    ])
      expect(bob.git('branch', ...flags, 'other', 'kept').code, flags.join(' ')).not.toBe(0);
    expect(repo.git('rev-parse', 'kept').trim()).toBe(made);
  });

  test("a merge that had nothing to do does not claim a person's later one", () => {
    const repo = checkout();
    repo.git('checkout', '-q', '-b', 'side');
    repo.git('commit', '-q', '--allow-empty', '-m', 'side');
    repo.git('checkout', '-q', 'main');
    repo.git('commit', '-q', '--allow-empty', '-m', 'main');
    const ann = session(repo, 'ann');
    expect(ann.git('merge', '-q', 'HEAD').code).toBe(0);
    expect(ranIn(repo.top, repo.env, 'git', ['merge', '-q', '--no-edit', 'side'])).toMatchObject({
      code: 0,
    });
  });

  test('what a killed git was about to note is not noted by a later one under its number', () => {
    const repo = checkout();
    const [ann, bob] = [session(repo, 'ann'), session(repo, 'bob')];
    ann.edit('src/a');
    bob.edit('src/b', 'of bob');
    expect(bob.git('commit', '-q', '-m', 'bob').code).toBe(0);
    const name = relative(
      join(repo.top, '.git/coord'),
      join(ann.env['COORD_STAGE'] ?? '', '../base'),
    );
    const hook = join(import.meta.dirname, '../../hooks/git-hook');
    writeFileSync(
      join(repo.top, '.git/coord/pending-4242'),
      `${repo.git('rev-parse', 'HEAD').trim()}\n${name}\n`,
    );
    const zero = '0'.repeat(40);
    const tag = repo.git('rev-parse', 'HEAD~1').trim();
    execFileSync('sh', [hook, 'reference-transaction', 'committed'], {
      cwd: repo.top,
      env: { ...repo.env, COORD_GIT_PID: '4242' },
      input: `${zero} ${tag} refs/tags/t\n`,
    });
    expect(ann.git('commit', '-q', '--no-verify', '-m', 'ann')).toMatchObject({ code: 0 });
    expect(pathsIn(repo)).toBe('src/a');
    expect(repo.git('show', 'HEAD:src/b')).toEqual(expect.stringContaining('of bob'));
  });

  test('a log that was emptied opens nothing', () => {
    const repo = checkout();
    const [ann, bob] = [session(repo, 'ann'), session(repo, 'bob')];
    bob.coord('reserve', 'src/a');
    ann.edit('src/a');
    writeFileSync(join(repo.top, '.git/refs/coord/log'), '');
    expect(ann.git('commit', '-q', '-m', 'x').code).not.toBe(0);
    expect(pathsIn(repo)).not.toBe('src/a');
  });

  test('a hook script that wants all variables set goes on working', () => {
    const repo = checkout({ guarded: false });
    for (const name of ['pre-commit', 'prepare-commit-msg', 'commit-msg', 'post-commit'])
      writeFileSync(join(repo.top, '.git/hooks', name), '#!/bin/sh -eu\n:\n', { mode: 0o755 });
    expect(repo.coord(null, 'install').code).toBe(0);
    session(repo, 'ann');
    repo.write('src/a', 'a person\n');
    expect(ranIn(repo.top, repo.env, 'git', ['commit', '-q', '-a', '-m', 'x'])).toMatchObject({
      code: 0,
      stderr: '',
    });
  });
});
