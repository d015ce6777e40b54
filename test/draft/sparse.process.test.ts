/** A sparse checkout in a work tree of several indexes: each knows which files are left out. */
import { appendFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { commit, type Scene, scene, went } from '../support/scene.ts';
import { pathsIn, ranIn } from '../support/sessions.ts';

/** What is in the folder `in` is checked out, src is not. */
function files(): Scene {
  const here = scene();
  const { repo, ann } = here;
  repo.write('in/x', 'x\n');
  repo.write('in/y', 'y\n');
  went(ann.git('add', 'in'));
  went(ann.git('commit', '-q', '-m', 'in'));
  return here;
}

function statuses({ ann, bob, person }: Scene): readonly string[] {
  const asked = ['status', '--porcelain'];
  return [ann.git(...asked), bob.git(...asked), person(...asked)].map(({ stdout }) => stdout);
}

describe('a sparse checkout', () => {
  test.for([
    'a session',
    'a person',
  ])('of %s leaves files out for everybody, and nobody deletes them', (who) => {
    const here = files();
    const { repo, ann, bob, person } = here;
    const git = who === 'a person' ? person : ann.git;
    went(git('sparse-checkout', 'set', 'in'));
    expect(existsSync(join(repo.top, 'src/a'))).toBe(false);
    expect(statuses(here)).toEqual(['', '', '']);
    for (const one of [bob.git, person, ann.git]) {
      appendFileSync(join(repo.top, 'in/x'), 'more\n');
      went(one('add', '-A'));
      went(one('commit', '-q', '-m', 'staged'));
      expect(pathsIn(repo)).toBe('in/x');
      appendFileSync(join(repo.top, 'in/y'), 'more\n');
      went(one('commit', '-q', '-a', '-m', 'all'));
      expect(pathsIn(repo)).toBe('in/y');
    }
    expect(statuses(here)).toEqual(['', '', '']);
    went(git('sparse-checkout', 'disable'));
    appendFileSync(join(repo.top, 'src/a'), 'seen by all\n');
    expect(statuses(here)).toEqual([' M src/a\n', ' M src/a\n', ' M src/a\n']);
    went(bob.git('commit', '-q', '-a', '-m', 'src/a'));
    expect(pathsIn(repo)).toBe('src/a');
  });

  test('what others have changed and not committed stays, and is seen', () => {
    const here = files();
    const { repo, ann, bob } = here;
    bob.edit('src/a');
    appendFileSync(join(repo.top, 'src/b'), 'unsaved\n');
    went(bob.coord('reserve', 'src/b'));
    expect(ann.git('sparse-checkout', 'set', 'in').code).toBe(0);
    expect(bob.git('status', '--porcelain').stdout).toBe('M  src/a\n M src/b\n');
    expect(existsSync(join(repo.top, 'src/c'))).toBe(false);
    went(bob.git('commit', '-q', '-m', 'a'));
    expect(pathsIn(repo)).toBe('src/a');
  });

  test('what a merge brings and leaves out looks deleted to nobody', () => {
    const here = files();
    const { repo, ann, bob } = here;
    went(ann.git('sparse-checkout', 'set', 'in'));
    repo.git('worktree', 'add', '-q', '../tree', '-b', 'side');
    const tree = join(repo.top, '../tree');
    const line = 'git sparse-checkout disable && echo n >src/new && echo m >>src/b && git add -A';
    went(ranIn(tree, repo.env, 'sh', ['-c', `${line} && git commit -q -m side`]));
    commit(bob, 'in/x');
    went(ann.git('merge', '-q', '--no-edit', 'side'));
    expect(existsSync(join(repo.top, 'src/new'))).toBe(false);
    expect(statuses(here)).toEqual(['', '', '']);
    appendFileSync(join(repo.top, 'in/y'), 'more\n');
    went(bob.git('commit', '-q', '-a', '-m', 'all'));
    expect(pathsIn(repo)).toBe('in/y');
  });
});
