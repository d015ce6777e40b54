/** What long walks have found, each as the few commands that show it. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { scene, went } from '../support/scene.ts';
import { checkout, ranIn, session } from '../support/sessions.ts';

const nextOf = (stderr: string): readonly string[] =>
  [...stderr.matchAll(/^ +next: (.*)$/gm)].map(([, command = '']) => command);

describe('a private index', () => {
  test('what HEAD has held meanwhile just as it is staged is committed, wherever HEAD is now', () => {
    const repo = checkout();
    const ann = session(repo, 'ann');
    const person = (...args: string[]) => ranIn(repo.top, repo.env, 'git', args);
    ann.edit('src/b');
    went(person('commit', '-q', '-a', '-m', 'of both'));
    went(person('switch', '-q', '--orphan', 'anew'));
    repo.write('first', 'first\n');
    went(person('add', 'first'));
    went(person('commit', '-q', '-m', 'first'));
    expect(ann.git('status', '--porcelain').stdout).toBe('');
    ann.edit('first');
    went(ann.git('commit', '-q', '-m', 'more'));
  });
});

describe('a rebase under way', () => {
  /** All commits have one author and one time, so that any of them may look like another made again. */
  function stopped() {
    const repo = checkout({ env: { GIT_AUTHOR_DATE: '2026-01-01T00:00:00Z' } });
    const [ann, bob] = [session(repo, 'ann'), session(repo, 'bob')];
    bob.edit('src/a');
    went(bob.git('commit', '-q', '-m', 'of bob'));
    ann.edit('src/b');
    went(ann.git('commit', '-q', '-m', 'of ann'));
    ann.edit('src/b');
    went(ann.git('commit', '-q', '-m', 'more of ann'));
    return { repo, ann, bob };
  }

  test('excuses no branch of somebody else that is moved beside it', () => {
    const { repo, ann } = stopped();
    repo.git('branch', 'kept', 'HEAD~2');
    went(ann.git('reset', '-q', '--hard', 'HEAD~3'));
    went(ann.git('switch', '-q', '-c', 'other'));
    ann.edit('src/c');
    went(ann.git('commit', '-q', '-m', 'one'));
    ann.edit('src/c');
    went(ann.git('commit', '-q', '-m', 'two'));
    const env = { ...ann.env, GIT_SEQUENCE_EDITOR: "sed -i '1s/^pick/edit/'" };
    went(ranIn(repo.top, env, 'git', ['rebase', '-q', '-i', 'HEAD~2']));
    expect(existsSync(join(repo.top, '.git/rebase-merge'))).toBe(true);
    repo.git('branch', '-D', 'main');
    const moved = ranIn(repo.top, repo.env, 'git', ['branch', '-f', 'kept', 'HEAD']);
    expect(moved.code).not.toBe(0);
    expect(moved.stderr).toContain('of bob');
  });

  test('lets nobody else leave what it has made again', () => {
    const { repo, ann } = stopped();
    went(ranIn(repo.top, repo.env, 'git', ['switch', '-q', '-c', 'side', 'HEAD~3']));
    for (const name of ['c', 'd']) {
      repo.write(`src/${name}`, 'of a person\n');
      repo.git('commit', '-q', '-a', '-m', `of a person, ${name}`);
    }
    went(ranIn(repo.top, repo.env, 'git', ['switch', '-q', 'main']));
    // Within one second a commit that is made again would be the very same.
    const env = {
      ...ann.env,
      GIT_COMMITTER_DATE: '2026-02-02T00:00:00Z',
      GIT_SEQUENCE_EDITOR: "sed -i '2s/^pick/edit/'",
    };
    went(ranIn(repo.top, env, 'git', ['rebase', '-q', '-i', '--force-rebase', 'HEAD~2']));
    const reset = ranIn(repo.top, repo.env, 'git', ['reset', '-q', '--hard', 'side']);
    expect(reset.code).not.toBe(0);
    expect(reset.stderr).toContain('of ann');
  });

  test('leaves commits of a person without a trailer, so that they stay theirs', () => {
    const repo = checkout();
    const ann = session(repo, 'ann');
    repo.git('switch', '-q', '-c', 'topic');
    repo.write('src/a', 'of a person\n');
    repo.git('commit', '-q', '-a', '-m', 'of a person');
    repo.git('switch', '-q', 'main');
    went(ann.git('status'));
    ann.edit('src/b');
    went(ann.git('commit', '-q', '-m', 'of ann'));
    went(ann.git('switch', '-q', 'topic'));
    went(ann.git('rebase', '-q', 'main'));
    expect(repo.git('log', '-1', '--format=%B')).not.toContain('Coord-Agent');
    const amended = ann.git('commit', '-q', '--amend', '-m', 'of ann now');
    expect(amended.code).not.toBe(0);
    expect(amended.stderr).toContain('of a person');
  });
});

describe('a refused reset', () => {
  test('is put back by one command, also where a folder has become a file', () => {
    const repo = checkout();
    const bob = session(repo, 'bob');
    repo.write('deep/down/z', 'z\n');
    repo.git('add', '.');
    repo.git('commit', '-q', '-m', 'a folder');
    went(bob.git('rm', '-r', '-q', 'deep/down'));
    repo.write('deep/down', 'a file\n');
    went(bob.git('add', 'deep/down'));
    went(bob.git('commit', '-q', '-m', 'a file'));
    went(bob.coord('reserve', 'src/e'));
    const { code, stderr } = ranIn(repo.top, repo.env, 'git', ['reset', '-q', '--hard', 'HEAD~1']);
    expect(code).not.toBe(0);
    const [restore = ''] = nextOf(stderr);
    expect(restore).toContain('git restore');
    went(ranIn(repo.top, repo.env, 'sh', ['-c', restore]));
    expect(readFileSync(join(repo.top, 'deep/down'), 'utf8')).toBe('a file\n');
    expect(repo.git('status', '--porcelain')).toBe('');
  });
});

describe('whose a commit is', () => {
  test('does not change with a branch that somebody else makes at it', () => {
    const { repo, ann, person } = scene();
    repo.git('worktree', 'add', '-q', '--detach', '../tree');
    const tree = join(repo.top, '../tree');
    const there = session(repo, 'dee', tree);
    there.edit('src/a');
    expect(there.git('commit', '-q', '-m', 'of dee').code).toBe(0);
    ann.edit('src/b');
    const oid = ranIn(tree, repo.env, 'git', ['rev-parse', 'HEAD']).stdout.trim();
    expect(person('branch', 'side', oid).code).toBe(0);
    expect(person('branch', '-q', '-D', 'side').code).toBe(0);
    expect(there.git('commit', '-q', '--amend', '-m', 'again of dee')).toMatchObject({ code: 0 });
  });
});

describe('a commit of all that holds nothing but what others have staged', () => {
  test('names no command that is refused again', () => {
    const { repo, ann, bob } = scene();
    ann.edit('src/a');
    const ran = bob.git('commit', '-q', '-a', '-m', 'bob');
    expect(ran.stderr).toMatch(/src\/a has uncommitted changes of ann .*\n {2}next: git status\n/);
    expect(repo.git('log', '-1', '--format=%s').trim()).toBe('base');
  });
});
