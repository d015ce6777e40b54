/** Refs of all kinds, and what git itself stumbles over: coord is in nobody's way there. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { commit, refused, scene, went } from '../support/scene.ts';
import { ranIn } from '../support/sessions.ts';

describe('refs of all kinds', () => {
  test('a branch that is a symbolic ref takes commits [G3]', () => {
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
  ])('a ref %s does not keep agents from committing [G5]', ([, spoil]) => {
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

  test('git worktree add works in all its forms [G2, U5]', () => {
    const { repo, ann, bob, person } = scene();
    went(bob.coord('reserve', 'elsewhere'));
    went(ann.git('worktree', 'add', '-q', '--detach', '../wt1'));
    went(ann.git('worktree', 'add', '-q', '../wt2', 'HEAD'));
    went(person('worktree', 'add', '-q', '--detach', '../wt3'));
    went(person('worktree', 'add', '-q', '-b', 'side', '../wt4'));
    expect(existsSync(join(repo.top, '../wt4/src/a'))).toBe(true);
  });

  test('refs move while core.worktree names a folder that is gone [G2]', () => {
    const { repo, ann, bob } = scene();
    went(bob.coord('reserve', 'elsewhere'));
    repo.git('config', 'core.worktree', join(repo.top, '../gone'));
    const at = repo.git('rev-parse', 'HEAD').trim();
    went(ann.git('--git-dir=.git', '--work-tree=.', 'update-ref', 'refs/heads/x', at));
    went(
      ranIn(repo.top, { ...repo.env, GIT_DIR: '.git' }, 'git', ['update-ref', 'refs/heads/y', at]),
    );
  });

  test('a branch is put at a commit that was dropped, also over what is held by now [U4]', () => {
    const { repo, ann, bob } = scene();
    commit(ann, 'src/a');
    const dropped = repo.git('rev-parse', 'HEAD').trim();
    went(ann.git('reset', '-q', '--hard', 'HEAD~1'));
    went(bob.coord('reserve', 'src/a'));
    went(ann.git('branch', 'recovered', dropped));
    went(ann.git('branch', 'recovered-again', dropped));
  });

  test('an amend that adds many files is taken back [G4]', () => {
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

describe('what git itself stumbles over', () => {
  test('commits go on with a .gitmodules that is in conflict, and settings that hide submodules', () => {
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

  test('a branch goes whose commits another work tree stands on [U4]', () => {
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
