/** What a command would take from others: work trees, ignored files, what two share. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { checkout, session } from '../support/sessions.ts';

describe('what a command would take from others', () => {
  test('both holders of what they share are asked, and what could not be kept is not said to be', () => {
    const repo = checkout();
    const [ann, bob] = [session(repo, 'ann'), session(repo, 'bob')];
    for (const who of [ann, bob]) who.coord('reserve', '--shared', 'src/b');
    repo.write('src/b', 'changed\n');
    for (const who of [ann, bob]) expect(who.git('restore', 'src/b').code).not.toBe(0);
    expect(ann.coord('release', '--all').code + bob.coord('release', '--all').code).toBe(0);
    ann.coord('reserve', 'src/b');
    repo.write('src/b', 'changed again\n');
    rmSync(join(repo.top, '.git/refs/coord/saved'), { recursive: true, force: true });
    repo.git('pack-refs', '--all');
    writeFileSync(join(repo.top, '.git/refs/coord/saved'), '');
    expect(ann.git('reset', '-q', '--hard').code).not.toBe(0);
    expect(readFileSync(join(repo.top, 'src/b'), 'utf8')).toBe('changed again\n');
  });

  test('a work tree is not removed with the unsaved work of another, however it is said', () => {
    const repo = checkout();
    repo.git('worktree', 'add', '-q', '-b', 'side', '../side');
    const [ann, bob] = [session(repo, 'ann'), session(repo, 'bob', join(repo.top, '../side'))];
    expect(bob.coord('reserve', 'src/b').code).toBe(0);
    writeFileSync(join(repo.top, '../side/src/b'), 'of bob\n');
    for (const words of [
      ['--force', '../side'],
      ['-f', '../side'],
      ['../side', '--force'],
      ['--force', 'side'],
    ])
      expect(ann.git('worktree', 'remove', ...words).code, words.join(' ')).not.toBe(0);
    expect(readFileSync(join(repo.top, '../side/src/b'), 'utf8')).toBe('of bob\n');
  });

  test('a work tree is not removed with commits of another that nothing but its HEAD reaches', () => {
    const repo = checkout();
    repo.git('worktree', 'add', '-q', '--detach', '../side');
    const [ann, bob] = [session(repo, 'ann'), session(repo, 'bob', join(repo.top, '../side'))];
    writeFileSync(join(repo.top, '../side/src/b'), 'of bob\n');
    expect(bob.git('commit', '-q', '-a', '-m', 'of bob')).toMatchObject({ code: 0 });
    const refused = ann.git('worktree', 'remove', '../side');
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('a commit of bob') });
    const [, next = ''] = /next: (.*)/.exec(refused.stderr) ?? [];
    // Its session is still there.
    expect(ann.run('sh', '-c', next).stderr).toMatch(/is in use by .*bob/);
    expect(bob.coord('session', 'end').code).toBe(0);
    // What runs coord for tests leaves the folder too.
    expect(ann.coord('status').code).toBe(0);
    expect(ann.git('worktree', 'remove', '../side')).toMatchObject({ code: 0 });
    expect(repo.git('log', '-1', '--format=%s', '--branches=kept-*').trim()).toBe('of bob');
  });

  test('what git ignores and somebody has reserved is not written over by another commit that holds it', () => {
    const repo = checkout();
    repo.git('checkout', '-q', '-b', 'feature');
    repo.write('.env', 'theirs\n');
    repo.git('add', '.env');
    repo.git('commit', '-q', '-m', 'env');
    repo.git('checkout', '-q', 'main');
    repo.write('.git/info/exclude', '.env\n');
    const [ann, bob] = [session(repo, 'ann'), session(repo, 'bob')];
    bob.coord('reserve', '.env');
    repo.write('.env', 'secret\n');
    for (const command of [
      ['merge', '-q', 'feature'],
      ['checkout', '-q', 'feature'],
      ['rebase', '-q', 'feature'],
    ])
      expect(ann.git(...command).code, command.join(' ')).not.toBe(0);
    expect(readFileSync(join(repo.top, '.env'), 'utf8')).toBe('secret\n');
    repo.git('branch', 'plain');
    expect(ann.git('switch', '-q', 'plain')).toMatchObject({ code: 0 });
  });
});
