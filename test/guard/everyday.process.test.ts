/**
 * Everyday git beside leases: what harms nobody goes through. Each row was refused, or failed,
 * once.
 */
import { appendFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { commit, refused, scene, went } from '../support/scene.ts';
import { fileAt, pathsIn, ranIn } from '../support/sessions.ts';

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
    for (const ref of ['refs/heads/broken', 'refs/remotes/origin/broken'])
      spoil(join(repo.top, '.git', ref));
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
    went(
      ranIn(repo.top, { ...repo.env, GIT_DIR: '.git' }, 'git', ['update-ref', 'refs/heads/y', at]),
    );
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

describe("an index of one's own", () => {
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

describe('what git itself stumbles over', () => {
  test('a .gitmodules that is in conflict, and settings that hide submodules', () => {
    const { repo, ann, bob, shell } = scene();
    went(
      shell(
        'git init -q ../part && git -C ../part commit -q --allow-empty -m part' +
          ' && git -c protocol.file.allow=always submodule --quiet add ../part part && git commit -qm part' +
          ' && git config diff.ignoreSubmodules all',
      ),
    );
    went(bob.coord('reserve', 'part'));
    went(ann.run('sh', '-c', 'git -C part commit -q --allow-empty -m more && git add -f part'));
    refused(ann.git('commit', '-q', '-m', 'part'), 'part is held by bob');
    repo.write('.gitmodules', '<<<<<<< ours\n');
    refused(ann.git('commit', '-q', '-m', 'part'), 'part is held by bob');
    went(ann.git('reset', '-q', '--', 'part'));
    commit(ann, 'src/a');
    went(ann.git('reset', '-q', '--soft', 'HEAD~1'));
    went(ann.git('switch', '-q', '-c', 'other'));
  });

  test('[U4] a branch goes whose commits another work tree stands on', () => {
    const { repo, ann, bob, person } = scene();
    commit(ann, 'src/a');
    went(person('worktree', 'add', '-q', '--detach', '../side'));
    went(person('branch', 'side'));
    went(ann.git('switch', '-q', '-c', 'older', 'HEAD~1'));
    // One that is being made has no commit yet.
    mkdirSync(join(repo.top, '.git/worktrees/new'), { recursive: true });
    writeFileSync(join(repo.top, '.git/worktrees/new/HEAD'), `${'0'.repeat(40)}\n`);
    went(person('branch', '-D', 'side'));
    went(ranIn(join(repo.top, '../side'), repo.env, 'git', ['branch', '-q', '-D', 'main']));
    refused(bob.git('worktree', 'remove', '../side'), 'a commit of ann');
  });
});

describe('others at work in the same checkout', () => {
  test.for([
    ['-q', '-a', '-m', 'more'],
    ['-qam', 'more'],
    ['-q', '-m', 'more', 'new'],
    ['-q', '-m', 'more', '--', 'new'],
  ])("commit %j takes an edit of a file that came with another's commit just before", (words) => {
    const { repo, ann, bob } = scene();
    went(bob.git('status'));
    repo.write('new', 'of ann\n');
    went(ann.git('add', 'new'));
    went(ann.git('commit', '-q', '-m', 'new'));
    appendFileSync(join(repo.top, 'new'), 'of bob\n');
    went(bob.git('commit', ...words));
    expect(pathsIn(repo)).toBe('new');
    expect(fileAt(repo, 'new')).toBe('of ann\nof bob\n');
  });

  test('a commit does not land in the middle of a rebase of somebody else', () => {
    const { repo, ann, bob, shell } = scene();
    went(
      shell(
        'git switch -q -c side && echo side >src/b && git commit -qam side && git switch -q main',
      ),
    );
    commit(bob, 'src/b');
    expect(bob.git('rebase', '-q', 'side').code).not.toBe(0);
    ann.edit('src/a');
    refused(ann.git('commit', '-q', '-m', 'x'), 'a rebase of bob is in progress');
    refused(ann.git('commit', '-q', '--no-verify', '-m', 'x'), 'a rebase of bob is in progress');
    went(bob.git('rebase', '--abort'));
    went(ann.git('commit', '-q', '-m', 'x'));
    expect(fileAt(repo, 'src/a')).toContain('ann was here');
  });

  test('whose commit is left on no branch by a switch of a person is told', () => {
    const { repo, ann, person } = scene();
    went(ann.git('switch', '-q', '--detach'));
    commit(ann, 'src/a');
    const oid = repo.git('rev-parse', 'HEAD').trim();
    went(person('switch', '-q', 'main'));
    expect(ann.coord('inbox').stdout).toContain(
      `git branch kept-${oid.slice(0, 10)} ${oid} keeps it`,
    );
  });
});
