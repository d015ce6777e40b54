/**
 * Odd states of an index and of a repository: in each, what a session commits is what it staged,
 * while others commit.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { TestRepository } from '../support/repository.ts';
import { checkout, fileAt, pathsIn, ranIn, type Session, session } from '../support/sessions.ts';

interface Scene {
  readonly repo: TestRepository;
  readonly ann: Session;
  readonly bob: Session;
}

/** What makes the state, before the sessions begin. */
const states: Readonly<Record<string, (repo: TestRepository) => void>> = {
  'a split index': (repo) => {
    repo.git('config', 'core.splitIndex', 'true');
    repo.git('update-index', '--split-index');
  },
  'an index of version 4': (repo) => {
    repo.git('update-index', '--index-version', '4');
  },
  'a sparse checkout': (repo) => {
    repo.git('sparse-checkout', 'set', '--no-cone', '/*', '!src/e');
  },
  'a sparse index': (repo) => {
    repo.git('sparse-checkout', 'set', '--cone', '--sparse-index', 'src');
  },
  'an untracked cache': (repo) => {
    repo.git('update-index', '--untracked-cache');
  },
  'line ends that are converted': (repo) => {
    repo.git('config', 'core.autocrlf', 'true');
    writeFileSync(join(repo.top, '.gitattributes'), '* text=auto\n');
  },
  'a detached HEAD': (repo) => {
    repo.git('checkout', '-q', '--detach');
  },
  'a file that is assumed unchanged': (repo) => {
    repo.git('update-index', '--assume-unchanged', 'src/d');
  },
  'names with spaces, quotes and newlines': (repo) => {
    for (const name of ['a b', 'quo"te', 'new\nline', '-dash', 'ünï'])
      repo.write(`src/${name}`, 'x\n');
    repo.git('add', '.');
    repo.git('commit', '-q', '-m', 'names');
  },
};

test.for(
  Object.entries(states),
)('%s: two sessions commit in turn, each what it staged, and nothing is undone', ([, make]) => {
  const repo = checkout();
  make(repo);
  const [ann, bob] = [session(repo, 'ann'), session(repo, 'bob')];
  for (let round = 0; round < 3; round += 1) {
    ann.edit('src/a', `ann ${round}`);
    bob.edit('src/b', `bob ${round}`);
    expect(bob.git('commit', '-q', '-m', `bob ${round}`)).toMatchObject({ code: 0 });
    expect(pathsIn(repo)).toBe('src/b');
    expect(ann.git('commit', '-q', '-m', `ann ${round}`)).toMatchObject({ code: 0 });
    expect(pathsIn(repo)).toBe('src/a');
  }
  expect(fileAt(repo, 'src/a').match(/ann \d/g)).toEqual(['ann 0', 'ann 1', 'ann 2']);
  expect(fileAt(repo, 'src/b').match(/bob \d/g)).toEqual(['bob 0', 'bob 1', 'bob 2']);
  expect(repo.git('diff', '--cached', '--name-only')).toBe('');
  repo.git('fsck', '--strict', '--no-dangling');
});

describe('in the middle of something', () => {
  function conflict(): Scene {
    const repo = checkout();
    repo.git('branch', 'side');
    repo.git('worktree', 'add', '-q', '../side', 'side');
    const side = join(repo.top, '../side');
    writeFileSync(join(side, 'src/a'), 'side\n');
    ranIn(side, repo.env, 'git', ['commit', '-q', '-a', '-m', 'side']);
    writeFileSync(join(repo.top, 'src/a'), 'main\n');
    repo.git('commit', '-q', '-a', '-m', 'main');
    return { repo, ann: session(repo, 'ann'), bob: session(repo, 'bob') };
  }

  test('a merge with a conflict is resolved and committed in a session', () => {
    const { repo, ann } = conflict();
    expect(ann.git('merge', '-q', 'side').code).not.toBe(0);
    expect(ann.git('commit', '-q', '-m', 'too early').code).not.toBe(0);
    writeFileSync(join(repo.top, 'src/a'), 'both\n');
    ann.git('add', 'src/a');
    expect(ann.git('commit', '-q', '--no-edit')).toMatchObject({ code: 0 });
    expect(fileAt(repo, 'src/a')).toBe('both\n');
    expect(repo.git('log', '-1', '--format=%P').trim().split(' ').length).toBe(2);
  });

  test('a cherry-pick and a rebase with a conflict go on after it is resolved', () => {
    const { repo, ann } = conflict();
    expect(ann.git('cherry-pick', 'side').code).not.toBe(0);
    writeFileSync(join(repo.top, 'src/a'), 'picked\n');
    ann.git('add', 'src/a');
    expect(ann.git('-c', 'core.editor=true', 'cherry-pick', '--continue')).toMatchObject({
      code: 0,
    });
    expect(fileAt(repo, 'src/a')).toBe('picked\n');
    expect(ann.git('switch', '-q', '-c', 'mine', 'HEAD~1')).toMatchObject({ code: 0 });
    ann.edit('src/a', 'mine');
    ann.git('commit', '-q', '-m', 'mine');
    expect(ann.git('rebase', '-q', 'main').code).not.toBe(0);
    writeFileSync(join(repo.top, 'src/a'), 'rebased\n');
    ann.git('add', 'src/a');
    expect(ann.git('-c', 'core.editor=true', 'rebase', '--continue')).toMatchObject({ code: 0 });
    expect(fileAt(repo, 'src/a')).toBe('rebased\n');
    expect(repo.git('rev-parse', '--abbrev-ref', 'HEAD').trim()).toBe('mine');
    expect(ann.git('status', '--porcelain').stdout).toBe('');
  });

  test('stash and pop in a session bring back what was staged and what was not', () => {
    const { repo, ann } = conflict();
    ann.edit('src/b', 'staged');
    writeFileSync(join(repo.top, 'src/c'), 'not staged\n');
    expect(ann.git('stash', '-q')).toMatchObject({ code: 0 });
    expect(ann.git('status', '--porcelain').stdout).toBe('');
    expect(ann.git('stash', 'pop', '-q', '--index')).toMatchObject({ code: 0 });
    expect(ann.git('status', '--porcelain').stdout).toBe('M  src/b\n M src/c\n');
    expect(readFileSync(join(repo.top, 'src/c'), 'utf8')).toBe('not staged\n');
    expect(ann.git('commit', '-q', '-m', 'b')).toMatchObject({ code: 0 });
    expect(pathsIn(repo)).toBe('src/b');
  });

  test('add -p stages a part of a file, and that part is committed', () => {
    const { repo, ann, bob } = conflict();
    const text = readFileSync(join(repo.top, 'src/b'), 'utf8');
    writeFileSync(join(repo.top, 'src/b'), `first\n${text}last\n`);
    expect(
      ann.run('sh', '-c', 'printf "s\\ny\\nn\\n" | git add -p src/b >/dev/null'),
    ).toMatchObject({ code: 0 });
    bob.edit('src/c');
    bob.git('commit', '-q', '-m', 'c');
    expect(ann.git('commit', '-q', '-m', 'a part')).toMatchObject({ code: 0 });
    expect(fileAt(repo, 'src/b')).toBe(`first\n${text}`);
  });
});
