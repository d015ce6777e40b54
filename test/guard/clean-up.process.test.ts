/**
 * Work trees that go: what was lost by clean-up elsewhere comes back here, to the byte. Each title
 * has the thread of the tracker of claude-code that tells of it.
 */
import { existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { refused, went } from '../support/scene.ts';
import { session } from '../support/sessions.ts';
import {
  commits,
  fill,
  isReachable,
  onlyKept,
  Program,
  pictureOf,
  side,
  withIgnored,
  worksIn,
} from '../support/work-trees.ts';

describe('clean-up of work trees', () => {
  test('a branch with five unpushed commits is deleted with its work tree [#79899]', () => {
    const repo = withIgnored();
    const tree = side(repo, 'second');
    const ann = session(repo, 'ann');
    const made = commits(tree, 5);
    const program = new Program(repo, 's1');
    went(program.git(repo.top, 'worktree', 'remove', '--force', tree.top));
    refused(ann.git('branch', '-q', '-D', 'second'), 'would be on no branch');
    went(program.git(repo.top, 'branch', '-q', '-D', 'second'));
    for (const commit of made) expect(isReachable(repo, commit)).toBe(true);
    expect(repo.coord(null, 'work', 'restore', 'second')).toMatchObject({ code: 0 });
    expect(repo.git('rev-parse', 'second').trim()).toBe(made.at(-1));
  });

  test('the folder of a live session is not removed by another one [#88255]', () => {
    const repo = withIgnored();
    const tree = side(repo, 'live');
    const bob = session(repo, 'bob', tree.top);
    const ann = session(repo, 'ann');
    expect(bob.coord('claim', 'bd-1').code).toBe(0);
    refused(ann.git('worktree', 'remove', '--force', tree.top), 'is in use by .*bob');
    refused(ann.run('rm', '-rf', tree.top), 'is in use by .*bob');
    refused(
      ann.run('rm', '-r', '-f', '--', join(tree.top, '..', 'live', 'src')),
      'is in use by .*bob',
    );
    expect(existsSync(join(tree.top, 'src/a'))).toBe(true);
  });

  test.for([
    ['.git'],
    ['../repo'],
    ['.git/refs'],
  ])('the repository itself is not removed: rm -rf %s [#48927]', ([path = '']) => {
    const repo = withIgnored();
    const ann = session(repo, 'ann');
    const ran = ann.run('rm', '-rf', path);
    refused(ran, 'holds the repository itself');
    expect(repo.git('rev-parse', 'HEAD').trim()).not.toBe('');
  });

  test('a clean work tree with committed work goes, its branch stays [#27753]', () => {
    const repo = withIgnored();
    const tree = side(repo, 'done');
    const [made = ''] = commits(tree, 1);
    const ann = session(repo, 'ann');
    went(ann.git('worktree', 'remove', tree.top));
    expect(existsSync(tree.top)).toBe(false);
    expect(repo.git('rev-parse', 'done').trim()).toBe(made);
    expect(repo.coord(null, 'work', 'list').json['kept']).toEqual([]);
  });

  test('a program deletes tree and branch at the end of its session [#38287]', () => {
    const repo = withIgnored();
    const tree = side(repo, 'worktree-x');
    const program = new Program(tree, 's1');
    program.bash('echo one >> src/a && git commit -q -a -m one');
    program.bash('echo two >> src/a && git commit -q -a -m two');
    const head = tree.git('rev-parse', 'HEAD').trim();
    program.claude.ask('session-end', { reason: 'exit' });
    session(repo, 'ann');
    program.deletes();
    went(program.git(repo.top, 'worktree', 'prune'));
    went(program.git(repo.top, 'branch', '-q', '-D', 'worktree-x'));
    expect(isReachable(repo, head)).toBe(true);
    expect(repo.coord(null, 'work', 'restore', 'worktree-x')).toMatchObject({ code: 0 });
    expect(repo.git('rev-parse', 'worktree-x').trim()).toBe(head);
  });

  test('untracked files, while a process still writes there [#58885]', async () => {
    const repo = withIgnored();
    const tree = side(repo, 'merged');
    const ann = session(repo, 'ann');
    fill(tree);
    const before = pictureOf(tree.top);
    const writer = await worksIn(tree.top);
    refused(ann.git('worktree', 'remove', '--force', tree.top), `cat \\(${writer.pid}\\)`);
    refused(ann.run('rm', '-rf', tree.top), `cat \\(${writer.pid}\\)`);
    await writer.leave();
    went(ann.run('rm', '-rf', tree.top));
    expect(existsSync(tree.top)).toBe(false);
    expect(repo.coord(null, 'work', 'restore', onlyKept(repo))).toMatchObject({ code: 0 });
    expect(pictureOf(tree.top)).toEqual(before);
  });

  test('a dirty work tree and a detached one with a commit of its own [#74719]', () => {
    const repo = withIgnored();
    const [dirty, detached] = [side(repo, 'dirty'), side(repo, 'detached', '--detach')];
    const [one, two] = [new Program(dirty, 's1'), new Program(detached, 's2')];
    fill(dirty);
    one.bash('true');
    two.bash('echo mine > src/c && git commit -q -a -m mine');
    const [before, head] = [pictureOf(dirty.top), detached.git('rev-parse', 'HEAD').trim()];
    for (const program of [one, two]) {
      program.claude.ask('session-end', { reason: 'exit' });
      program.deletes();
    }
    went(one.git(repo.top, 'worktree', 'prune'));
    expect(isReachable(repo, head)).toBe(true);
    expect(repo.coord(null, 'work', 'restore', dirty.top)).toMatchObject({ code: 0 });
    expect(pictureOf(dirty.top)).toEqual(before);
    expect(repo.coord(null, 'work', 'restore', detached.top)).toMatchObject({ code: 0 });
    expect(detached.git('rev-parse', 'HEAD').trim()).toBe(head);
  });

  test('a locked work tree is deleted all the same [#77268]', () => {
    const repo = withIgnored();
    const tree = side(repo, 'locked');
    repo.git('worktree', 'lock', tree.top);
    expect(repo.coord('ann', 'work', 'abandon', tree.top).json['refusal']).toEqual({
      kind: 'locked_tree',
    });
    const program = new Program(tree, 's1');
    fill(tree);
    program.bash('true');
    const before = pictureOf(tree.top);
    program.deletes();
    expect(repo.coord(null, 'work', 'restore', tree.top)).toMatchObject({ code: 0 });
    expect(pictureOf(tree.top)).toEqual(before);
  });

  test('untracked files alone, which a look at tracked ones does not see [#35862]', () => {
    const repo = withIgnored();
    const tree = side(repo, 'agent-1');
    tree.write('only here', 'x');
    const ended = repo.coord('ann', 'work', 'abandon', tree.top);
    expect(ended).toMatchObject({ code: 0, json: { removed: true } });
    expect(existsSync(tree.top)).toBe(false);
    expect(repo.coord(null, 'work', 'restore', ended.json['kept'][0].id)).toMatchObject({
      code: 0,
    });
    expect(readFileSync(join(tree.top, 'only here'), 'utf8')).toBe('x');
  });

  test('a program removes by force, and by hand where git will not [#56639]', () => {
    const repo = withIgnored();
    const tree = side(repo, 'archived');
    const program = new Program(tree, 's1');
    fill(tree);
    tree.write('nested/n', 'n');
    repo.git('init', '-q', join(tree.top, 'nested'));
    repo.git('-C', join(tree.top, 'nested'), 'add', '.');
    repo.git('-C', join(tree.top, 'nested'), 'commit', '-q', '-m', 'nested');
    program.bash('true');
    const before = pictureOf(tree.top);
    went(program.git(repo.top, 'worktree', 'remove', '--force', '--force', tree.top));
    expect(repo.coord(null, 'work', 'restore', tree.top)).toMatchObject({ code: 0 });
    expect(pictureOf(tree.top)).toEqual(before);
  });

  test('what git ignores is kept for its owner alone, and is no object [#96162]', () => {
    const repo = withIgnored();
    const tree = side(repo, 'pooled');
    tree.write('.env', 'SECRET=of this work tree\n');
    const oid = repo.git('hash-object', join(tree.top, '.env')).trim();
    const ann = session(repo, 'ann');
    went(ann.git('worktree', 'remove', tree.top));
    const id = onlyKept(repo);
    const kept = join(repo.top, '.git/coord/quarantine', id, 'files/.env');
    expect(readFileSync(kept, 'utf8')).toBe('SECRET=of this work tree\n');
    expect(went(ann.run('stat', '-c', '%a', kept)).stdout.trim()).toBe('600');
    expect(repo.git('for-each-ref', 'refs/coord/quarantine').trim()).not.toBe('');
    expect(ann.run('git', 'cat-file', '-e', oid).code).not.toBe(0);
    expect(repo.coord(null, 'work', 'restore', id)).toMatchObject({ code: 0 });
    expect(readFileSync(join(tree.top, '.env'), 'utf8')).toBe('SECRET=of this work tree\n');
  });

  test('a link to the main work tree is taken away, not what it leads to [#60604]', () => {
    const repo = withIgnored();
    repo.write('node_modules/dep/index.js', 'module.exports = 1\n');
    const tree = side(repo, 'linked');
    symlinkSync(join(repo.top, 'node_modules'), join(tree.top, 'node_modules'));
    mkdirSync(join(tree.top, 'deep'));
    symlinkSync(repo.top, join(tree.top, 'deep/up'));
    const before = pictureOf(repo.top);
    const { '.git': _, ...files } = before;
    expect(repo.coord('ann', 'work', 'abandon', tree.top)).toMatchObject({ code: 0 });
    expect(existsSync(tree.top)).toBe(false);
    expect(pictureOf(repo.top)).toEqual(files);
  });
});
