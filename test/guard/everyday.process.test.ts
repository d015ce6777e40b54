/** Everyday git beside leases: what harms nobody goes through. Each row was refused, or failed, once. */
import { appendFileSync, existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { fileAt, pathsIn, ranIn } from '../support/sessions.ts';
import { commit, scene, went, refused } from '../support/scene.ts';

describe('files that change their kind', () => {
  test('[G1] a folder that becomes a file is committed by an agent', () => {
    const { repo, ann, bob } = scene();
    went(bob.coord('reserve', 'elsewhere'));
    went(ann.run('sh', '-c', 'mkdir d && echo 1 >d/x && git add . && git commit -qm 1'));
    went(ann.run('sh', '-c', 'rm -r d && echo f >d && git add -A && git commit -qm 2'));
    expect(pathsIn(repo)).toBe('d d/x');
  });

  test('[B2] a folder that becomes a file, by a person, and unsaved work beside it', () => {
    const { repo, ann, bob, shell } = scene();
    went(shell('mkdir k && echo 1 >k/x && git add k && git commit -qm k'));
    went(bob.coord('reserve', 'k'));
    went(ann.coord('reserve', 'src/a'));
    appendFileSync(join(repo.top, 'src/a'), 'unsaved\n');
    went(shell('git rm -rq --cached k && rm -r k && echo 1 >k'));
    went(bob.coord('rescue', 'save'));
    went(bob.git('add', '-A', 'k'));
    went(bob.git('commit', '-q', '-m', 'a file now'));
    expect(pathsIn(repo)).toBe('k k/x');
  });
});

describe('refs of all kinds', () => {
  test('[G3] a branch that is a symbolic ref', () => {
    const { repo, ann } = scene();
    repo.git('symbolic-ref', 'refs/heads/master', 'refs/heads/main');
    went(ann.git('symbolic-ref', 'HEAD', 'refs/heads/master'));
    commit(ann, 'src/a');
    expect(repo.git('log', '-1', '--format=%s', 'main').trim()).toBe('ann changes src/a');
  });

  test.for<readonly [string, (file: string) => void]>([
    ['of a commit that is missing', (file) => writeFileSync(file, `${'1'.repeat(40)}\n`)],
    ['that was emptied', (file) => writeFileSync(file, '')],
    ['of rubbish', (file) => writeFileSync(file, 'rubbish\n')],
  ])('[G5] a ref %s does not keep agents from committing', ([, spoil]) => {
    const { repo, ann, bob } = scene();
    went(bob.coord('reserve', 'elsewhere'));
    repo.git('branch', 'broken');
    repo.git('update-ref', 'refs/remotes/origin/broken', 'HEAD');
    for (const ref of ['refs/heads/broken', 'refs/remotes/origin/broken']) spoil(join(repo.top, '.git', ref));
    commit(ann, 'src/a');
    went(ann.git('commit', '-q', '--amend', '-m', 'again'));
    went(ann.git('reset', '-q', '--hard', 'HEAD~1'));
  });

  test('[G2] [U5] git worktree add in all its forms', () => {
    const { repo, ann, bob, person } = scene();
    went(bob.coord('reserve', 'elsewhere'));
    went(ann.git('worktree', 'add', '-q', '--detach', '../wt1'));
    went(ann.git('worktree', 'add', '-q', '../wt2', 'HEAD'));
    went(person('worktree', 'add', '-q', '--detach', '../wt3'));
    went(person('worktree', 'add', '-q', '-b', 'side', '../wt4'));
    expect(existsSync(join(repo.top, '../wt4/src/a'))).toBe(true);
  });

  test('[G2] core.worktree that names a folder which is gone', () => {
    const { repo, ann, bob } = scene();
    went(bob.coord('reserve', 'elsewhere'));
    repo.git('config', 'core.worktree', join(repo.top, '../gone'));
    const at = repo.git('rev-parse', 'HEAD').trim();
    went(ann.git('--git-dir=.git', '--work-tree=.', 'update-ref', 'refs/heads/x', at));
    went(ranIn(repo.top, { ...repo.env, GIT_DIR: '.git' }, 'git', ['update-ref', 'refs/heads/y', at]));
  });

  test('[U4] a branch at a commit that was dropped', () => {
    const { repo, ann, bob } = scene();
    commit(ann, 'src/a');
    const dropped = repo.git('rev-parse', 'HEAD').trim();
    went(ann.git('reset', '-q', '--hard', 'HEAD~1'));
    went(bob.coord('reserve', 'src/a'));
    went(ann.git('branch', 'recovered', dropped));
    went(ann.git('branch', 'recovered-again', dropped));
  });

  test('[G4] an amend that adds many files is taken back', () => {
    const { repo, ann, bob, person } = scene();
    went(bob.coord('reserve', 'elsewhere'));
    const many = (who: string): void => {
      for (let i = 0; i < 15; i += 1) repo.write(`${who}/f${i}`, `${i}\n`);
    };
    commit(ann, 'src/a');
    many('lib');
    went(ann.git('add', 'lib'));
    went(ann.git('commit', '-q', '--amend', '-m', 'many'));
    went(ann.git('reset', '-q', 'HEAD@{1}'));
    repo.git('commit', '-q', '--allow-empty', '-m', 'of a person');
    many('own');
    went(person('add', 'own'));
    went(person('commit', '-q', '--amend', '-m', 'many'));
    went(person('reset', '-q', 'HEAD@{1}'));
  });
});

describe('files that git is to forget', () => {
  test('[G8] [B13] git rm --cached of most files, by a person and by an agent', () => {
    const { repo, ann, bob, person } = scene();
    went(bob.coord('reserve', 'elsewhere'));
    for (let i = 0; i < 15; i += 1) repo.write(`lib/f${i}`, `${i}\n`);
    went(person('add', 'lib'));
    went(person('commit', '-q', '-m', 'lib'));
    went(person('rm', '-rq', '--cached', 'lib'));
    went(person('commit', '-q', '-m', 'forget lib'));
    went(ann.git('rm', '-rq', '--cached', 'src'));
    went(ann.git('commit', '-q', '-m', 'forget src'));
    expect(repo.git('ls-tree', '-r', '--name-only', 'HEAD')).toBe('');
    expect(ann.git('status', '--porcelain').stdout).toBe('?? lib/\n?? src/\n');
  });

  test('[B13] a commit that deletes every file', () => {
    const { repo, ann, bob } = scene();
    went(bob.coord('reserve', 'elsewhere'));
    went(ann.git('rm', '-rq', '.'));
    went(ann.git('commit', '-q', '-m', 'nothing left'));
    expect(repo.git('ls-tree', '-r', '--name-only', 'HEAD')).toBe('');
    repo.write('new', 'new\n');
    went(ann.git('add', 'new'));
    went(ann.git('commit', '-q', '-m', 'from the beginning'));
    expect(pathsIn(repo)).toBe('new');
  });
});

describe('an index of one\'s own', () => {
  test('[G6] a person puts back an own change with it', () => {
    const { repo, bob, person } = scene();
    went(bob.coord('reserve', 'elsewhere'));
    appendFileSync(join(repo.top, 'src/d'), 'more\n');
    went(person('commit', '-q', '-a', '-m', 'more'));
    const env = { ...repo.env, GIT_INDEX_FILE: join(repo.top, '../own') };
    went(ranIn(repo.top, env, 'git', ['read-tree', 'HEAD']));
    went(ranIn(repo.top, env, 'git', ['checkout', '-q', 'HEAD~1', '--', 'src/d']));
    went(ranIn(repo.top, env, 'git', ['commit', '-q', '-m', 'less']));
  });
});

describe('the base of a private index', () => {
  test('[B3] commits after switch --orphan', () => {
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

  test.for([['rebase', '-q', '--root'], ['rebase', '-q', '-i', '--root'], ['rebase', '-q', '--root', '--onto', 'main']])(
    '[B4] git %s %s %s %s',
    (command) => {
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
    },
  );

  test('[B5] what reset --soft stages is committed', () => {
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

  test('[B6] nothing staged is no commit, also after somebody else has committed', () => {
    const { repo, ann, bob, person } = scene();
    commit(bob, 'src/b');
    const head = repo.git('rev-parse', 'HEAD');
    const nothing = ann.git('commit', '-m', 'x');
    expect([nothing.code, nothing.stderr]).toEqual([1, expect.stringContaining('nothing to commit')]);
    expect(person('commit', '-m', 'x').code).toBe(1);
    expect(repo.git('rev-parse', 'HEAD')).toBe(head);
    went(ann.git('commit', '-q', '--allow-empty', '-m', 'empty on purpose'));
  });

  test('[B8] a session\'s status and diff after somebody else has committed', () => {
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
    ['a patch', 'git format-patch -q -1 --stdout >../p && git reset -q --hard HEAD~1 && git am -q ../p'],
    ['a rebase', 'git branch -q side HEAD~1 && git commit -q --amend -m x && git rebase -q side'],
    ['a merge', 'git branch side && git reset -q --hard HEAD~1 && git merge -q side'],
    ['update-ref', 'git update-ref HEAD HEAD~1 && git reset -q --hard'],
  ])('[B9] a person\'s status is true after %s of an agent', ([, line]) => {
    const { repo, ann, person } = scene();
    commit(ann, 'src/a');
    repo.write('new', 'staged by a person\n');
    went(person('add', 'new'));
    went(ann.run('sh', '-c', line));
    expect(person('status', '--porcelain').stdout).toBe('A  new\n');
  });

  test('[B11] a session amends what it made by am, commit-tree and cherry-pick', () => {
    const { repo, ann, bob } = scene();
    commit(bob, 'src/b');
    went(ann.run('sh', '-c', 'git format-patch -q -1 --stdout >../p'));
    went(bob.git('reset', '-q', '--hard', 'HEAD~1'));
    // Another second: else it would be the very same commit again.
    went(ann.run('env', 'GIT_COMMITTER_DATE=2001-01-01T00:00:00Z', 'git', 'am', '-q', '../p'));
    went(ann.git('commit', '-q', '--amend', '-m', 'as ann has it'));
    went(ann.run('sh', '-c', 'git update-ref HEAD $(git commit-tree HEAD^{tree} -p HEAD -m plumbing)'));
    went(ann.git('reset', '-q', '--hard', 'HEAD~1'));
    commit(bob, 'src/c');
    refused(ann.git('commit', '-q', '--amend', '-m', 'mine now'), 'on no branch');
    expect(repo.git('log', '-1', '--format=%s').trim()).toBe('bob changes src/c');
  });

  test('[B12] git commit -- b, while another staged path was changed upstream', () => {
    const { repo, ann, bob } = scene();
    ann.edit('src/a', 'of ann');
    ann.edit('src/b', 'of ann');
    went(bob.run('sh', '-c', 'git show HEAD:src/a >../a && echo of bob >>../a'
      + ' && git update-index --cacheinfo 100644,$(git hash-object -w ../a),src/a'));
    went(bob.git('commit', '-q', '-m', 'bob'));
    went(ann.git('commit', '-q', '-m', 'x', '--', 'src/b'));
    expect(pathsIn(repo)).toBe('src/b');
    expect(fileAt(repo, 'src/a')).toContain('of bob');
  });

  test('[B14] after a switch by another session the first commit says so, and the next goes through', () => {
    const { repo, ann, bob } = scene();
    ann.edit('src/a');
    went(bob.git('switch', '-q', '-c', 'side'));
    refused(ann.git('commit', '-q', '-m', 'x'), /HEAD was switched from main to side by bob/);
    went(ann.git('commit', '-q', '-m', 'x'));
    expect(repo.git('log', '-1', '--format=%s', 'side').trim()).toBe('x');
  });

  test('[B14] a session that was told at another command commits at once', () => {
    const { ann, bob } = scene();
    went(bob.git('switch', '-q', '-c', 'side'));
    const added = ann.run('sh', '-c', 'echo x >>src/a; git add src/a');
    expect(added.stderr).toMatch(/note: HEAD was switched from main to side by bob/);
    went(ann.git('commit', '-q', '-m', 'x'));
  });

  test('[B14] git symbolic-ref HEAD is the session\'s own switch and keeps what is staged', () => {
    const { repo, ann } = scene();
    repo.git('branch', 'side');
    ann.edit('src/a');
    went(ann.git('symbolic-ref', 'HEAD', 'refs/heads/side'));
    went(ann.git('commit', '-q', '-m', 'x'));
    expect(pathsIn(repo, 'side')).toBe('src/a');
  });
});
