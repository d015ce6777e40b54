/** Files that become folders, that git is to forget, or that an index of one's own holds. */
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { scene, went } from '../support/scene.ts';
import { pathsIn, ranIn } from '../support/sessions.ts';

describe('files that change their kind', () => {
  test('a folder that becomes a file is committed by an agent [G1]', () => {
    const { repo, ann, bob } = scene();
    went(bob.coord('reserve', 'elsewhere'));
    went(ann.run('sh', '-c', 'mkdir d && echo 1 >d/x && git add . && git commit -qm 1'));
    went(ann.run('sh', '-c', 'rm -r d && echo f >d && git add -A && git commit -qm 2'));
    expect(pathsIn(repo)).toBe('d d/x');
  });

  test('a folder that becomes a file is committed beside unsaved work of another [B2]', () => {
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

describe('files that git is to forget', () => {
  test('most files at once are forgotten by git rm --cached, of a person and of an agent [G8, B13]', () => {
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

  test('a commit may delete every file, and the next one begins anew [B13]', () => {
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
  test('puts back what its person has changed [G6]', () => {
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
