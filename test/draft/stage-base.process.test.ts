/**
 * A private index beside the commits of others: its session and a person see and commit what is
 * theirs.
 */
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { commit, refused, scene, went } from '../support/scene.ts';
import { fileAt, pathsIn } from '../support/sessions.ts';

describe('the base of a private index', () => {
  test('follows git switch --orphan: what is committed then is what was staged [B3]', () => {
    const { repo, ann, bob } = scene();
    went(bob.coord('reserve', 'elsewhere'));
    went(ann.git('switch', '-q', '--orphan', 'x'));
    for (const name of ['one', 'two', 'three']) {
      repo.write(name, name);
      went(ann.git('add', name));
      went(ann.git('commit', '-q', '-m', name));
    }
    expect(repo.git('log', '--format=%s').trim()).toBe('three\ntwo\none');
    expect(ann.git('status', '--porcelain').stdout).toBe('');
  });

  test.for([
    ['rebase', '-q', '--root'],
    ['rebase', '-q', '-i', '--root'],
    ['rebase', '-q', '--root', '--onto', 'main'],
  ])('git %s %s %s %s [B4]', (command) => {
    const { repo, ann, bob } = scene();
    went(bob.coord('reserve', 'elsewhere'));
    went(ann.git('switch', '-q', '--orphan', 'x'));
    for (const name of ['one', 'two']) {
      repo.write(name, name);
      went(ann.git('add', name));
      went(ann.git('commit', '-q', '-m', name));
    }
    const editor = 'GIT_SEQUENCE_EDITOR=sed -i -e s/^pick/reword/';
    went(ann.run('env', editor, 'GIT_EDITOR=true', 'git', ...command));
    expect(repo.git('log', '-2', '--format=%s').trim()).toBe('two\none');
    expect(repo.git('symbolic-ref', 'HEAD').trim()).toBe('refs/heads/x');
  });

  test('what reset --soft stages is committed [B5]', () => {
    const { repo, ann, bob, person } = scene();
    went(bob.coord('reserve', 'elsewhere'));
    commit(ann, 'src/a');
    commit(ann, 'src/b');
    const tip = repo.git('rev-parse', 'HEAD').trim();
    const before = repo.git('rev-parse', 'HEAD~2^{tree}');
    went(ann.git('reset', '-q', '--hard', 'HEAD~2'));
    went(ann.git('reset', '-q', '--soft', tip));
    expect(ann.git('diff', '--cached', '--name-only').stdout).toBe('src/a\nsrc/b\n');
    went(ann.git('commit', '-q', '-m', 'back'));
    expect(repo.git('rev-parse', 'HEAD^{tree}')).toBe(before);
    went(person('reset', '-q', '--hard'));
    repo.git('commit', '-q', '--allow-empty', '-m', 'a person');
    appendFileSync(join(repo.top, 'src/c'), 'a person\n');
    went(person('commit', '-q', '-a', '-m', 'more'));
    const own = repo.git('rev-parse', 'HEAD').trim();
    went(person('reset', '-q', '--hard', 'HEAD~1'));
    went(person('reset', '-q', '--soft', own));
    went(person('commit', '-q', '-m', 'back again'));
    expect(repo.git('rev-parse', 'HEAD^{tree}')).toBe(repo.git('rev-parse', `${own}~1^{tree}`));
  });

  test('nothing staged is no commit, also after somebody else has committed [B6]', () => {
    const { repo, ann, bob, person } = scene();
    commit(bob, 'src/b');
    const head = repo.git('rev-parse', 'HEAD');
    const nothing = ann.git('commit', '-m', 'x');
    expect({ code: nothing.code, stderr: nothing.stderr }).toEqual({
      code: 1,
      stderr: expect.stringContaining('nothing to commit'),
    });
    expect(person('commit', '-m', 'x').code).toBe(1);
    expect(repo.git('rev-parse', 'HEAD')).toBe(head);
    went(ann.git('commit', '-q', '--allow-empty', '-m', 'empty on purpose'));
  });

  test("a session's status and diff show its own work alone after somebody else has committed [B8]", () => {
    const { ann, bob } = scene();
    for (const path of ['src/b', 'src/c', 'src/d']) {
      ann.edit('src/a');
      commit(bob, path);
      expect(ann.git('status', '--porcelain').stdout).toBe('M  src/a\n');
      expect(ann.git('diff', '--cached', '--name-only').stdout).toBe('src/a\n');
    }
  });

  test.for<readonly [string, string]>([
    ['a reset', 'git reset -q --hard HEAD~1'],
    ['a soft reset', 'git reset -q --soft HEAD~1 && git stash -q'],
    [
      'a patch',
      'git format-patch -q -1 --stdout >../p && git reset -q --hard HEAD~1 && git am -q ../p',
    ],
    ['a rebase', 'git branch -q side HEAD~1 && git commit -q --amend -m x && git rebase -q side'],
    ['a merge', 'git branch side && git reset -q --hard HEAD~1 && git merge -q side'],
    ['update-ref', 'git update-ref HEAD HEAD~1 && git reset -q --hard'],
  ])("a person's status is true after %s of an agent [B9]", ([, line]) => {
    const { repo, ann, person } = scene();
    commit(ann, 'src/a');
    repo.write('new', 'staged by a person\n');
    went(person('add', 'new'));
    went(ann.run('sh', '-c', line));
    expect(person('status', '--porcelain').stdout).toBe('A  new\n');
  });

  test('a session amends what it made by am, commit-tree and cherry-pick [B11]', () => {
    const { repo, ann, bob } = scene();
    commit(bob, 'src/b');
    went(ann.run('sh', '-c', 'git format-patch -q -1 --stdout >../p'));
    went(bob.git('reset', '-q', '--hard', 'HEAD~1'));
    // Another second: else it would be the very same commit again.
    went(ann.run('env', 'GIT_COMMITTER_DATE=2001-01-01T00:00:00Z', 'git', 'am', '-q', '../p'));
    went(ann.git('commit', '-q', '--amend', '-m', 'as ann has it'));
    went(
      ann.run('sh', '-c', 'git update-ref HEAD $(git commit-tree HEAD^{tree} -p HEAD -m plumbing)'),
    );
    went(ann.git('reset', '-q', '--hard', 'HEAD~1'));
    commit(bob, 'src/c');
    refused(ann.git('commit', '-q', '--amend', '-m', 'mine now'), 'on no branch');
    expect(repo.git('log', '-1', '--format=%s').trim()).toBe('bob changes src/c');
  });

  test('git commit -- b goes while another staged path was changed upstream [B12]', () => {
    const { repo, ann, bob } = scene();
    ann.edit('src/a', 'of ann');
    ann.edit('src/b', 'of ann');
    went(
      bob.run(
        'sh',
        '-c',
        'git show HEAD:src/a >../a && echo of bob >>../a' +
          ' && git update-index --cacheinfo 100644,$(git hash-object -w ../a),src/a',
      ),
    );
    went(bob.git('commit', '-q', '-m', 'bob'));
    went(ann.git('commit', '-q', '-m', 'x', '--', 'src/b'));
    expect(pathsIn(repo)).toBe('src/b');
    expect(fileAt(repo, 'src/a')).toContain('of bob');
  });

  test('after a switch by another session the first commit says so, and the next goes through [B14]', () => {
    const { repo, ann, bob } = scene();
    ann.edit('src/a');
    went(bob.git('switch', '-q', '-c', 'side'));
    refused(ann.git('commit', '-q', '-m', 'x'), /HEAD was switched from main to side by bob/);
    went(ann.git('commit', '-q', '-m', 'x'));
    expect(repo.git('log', '-1', '--format=%s', 'side').trim()).toBe('x');
  });

  test('a session that was told at another command commits at once [B14]', () => {
    const { ann, bob } = scene();
    went(bob.git('switch', '-q', '-c', 'side'));
    const added = ann.run('sh', '-c', 'echo x >>src/a; git add src/a');
    expect(added.stderr).toMatch(/note: HEAD was switched from main to side by bob/);
    went(ann.git('commit', '-q', '-m', 'x'));
  });

  test("git symbolic-ref HEAD is the session's own switch and keeps what is staged [B14]", () => {
    const { repo, ann } = scene();
    repo.git('branch', 'side');
    ann.edit('src/a');
    went(ann.git('symbolic-ref', 'HEAD', 'refs/heads/side'));
    went(ann.git('commit', '-q', '-m', 'x'));
    expect(pathsIn(repo, 'side')).toBe('src/a');
  });
});

test("a session's status is true after a person has switched to a branch without a commit [B3]", () => {
  const { repo, ann, bob, person } = scene();
  went(bob.coord('reserve', 'elsewhere'));
  repo.write('new', 'new\n');
  went(ann.git('add', 'new'));
  went(person('switch', '-q', '--orphan', 'o'));
  expect(ann.git('status', '--porcelain').stdout).toBe('A  new\n');
  went(person('switch', '-q', 'main'));
  expect(ann.git('status', '--porcelain').stdout).toBe('A  new\n');
});

test("a rebase that is continued and skipped stays its session's own", () => {
  const { ann, bob, shell } = scene();
  went(
    shell(
      'git switch -q -c side && echo side >src/b && git commit -qam side && git switch -q main',
    ),
  );
  commit(bob, 'src/b');
  commit(bob, 'src/c');
  commit(bob, 'src/d');
  expect(bob.git('rebase', '-q', 'side').code).not.toBe(0);
  expect(bob.git('rebase', '--continue').code).not.toBe(0);
  went(bob.git('rebase', '--skip'));
  commit(ann, 'src/a');
});
