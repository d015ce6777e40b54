/** A merge, a cherry-pick or a rebase that is under way belongs to who began it. */
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { fileAt, pathsIn, ranIn } from '../support/sessions.ts';
import { commit, type Scene, scene } from './two-sessions.ts';

describe('what is under way in the work tree [I-7]', () => {
  function sides(): Scene {
    const here = scene();
    const { repo, ann } = here;
    expect(ann.git('switch', '-q', '-c', 'topic')).toMatchObject({ code: 0 });
    writeFileSync(join(repo.top, 'src/a'), 'topic\n');
    ann.git('add', 'src/a');
    commit(ann, 'src/e');
    expect(ann.git('switch', '-q', 'main')).toMatchObject({ code: 0 });
    writeFileSync(join(repo.top, 'src/a'), 'main\n');
    ann.git('add', 'src/a');
    expect(ann.git('commit', '-q', '-m', 'main')).toMatchObject({ code: 0 });
    return here;
  }

  test.for([
    'merge',
    'cherry-pick',
  ])('a %s of one is not ended by the commit of another', (operation) => {
    const { repo, ann, bob } = sides();
    expect(ann.git(operation, 'topic').code).not.toBe(0);
    bob.edit('src/c');
    const refused = bob.git('commit', '-q', '-m', 'bob');
    expect({ code: refused.code, stderr: refused.stderr }).toEqual({
      code: 1,
      stderr: expect.stringMatching(/of ann is in progress/),
    });
    expect(bob.coord('commit', '-m', 'bob').code).not.toBe(0);
    writeFileSync(join(repo.top, 'src/a'), 'both\n');
    ann.git('add', 'src/a');
    expect(ann.git('commit', '-q', '--no-edit')).toMatchObject({ code: 0 });
    expect(bob.git('commit', '-q', '-m', 'bob')).toMatchObject({ code: 0 });
    expect(pathsIn(repo)).toBe('src/c');
  });

  test('a session goes on with its own cherry-pick of several commits, over one that it leaves out', () => {
    const { repo, ann, bob } = scene();
    const texts = ['one', 'two', 'three', 'four'];
    ann.git('switch', '-q', '-c', 'topic');
    for (const text of texts) {
      writeFileSync(join(repo.top, 'src/a'), `${text}\n`);
      ann.git('add', 'src/a');
      ann.git('commit', '-q', '-m', text);
    }
    ann.git('switch', '-q', 'main');
    expect(ann.git('cherry-pick', 'topic~3..topic').code).not.toBe(0);
    expect(ann.git('cherry-pick', '--skip').code).not.toBe(0);
    writeFileSync(join(repo.top, 'src/a'), 'three\n');
    ann.git('add', 'src/a');
    bob.edit('src/c');
    expect(bob.git('commit', '-q', '-m', 'bob').stderr).toMatch(/of ann is in progress/);
    expect(ann.git('-c', 'core.editor=true', 'cherry-pick', '--continue')).toMatchObject({
      code: 0,
    });
    expect(fileAt(repo, 'src/a')).toBe('four\n');
    expect(existsSync(join(repo.top, '.git/coord/operation'))).toBe(false);
  });

  test('a merge that goes through is signed as a message with a trailer, and its author may amend it', () => {
    const { repo, ann } = scene();
    ann.git('switch', '-q', '-c', 'side');
    commit(ann, 'src/a');
    ann.git('switch', '-q', 'main');
    commit(ann, 'src/b');
    expect(ann.git('merge', '-q', '--no-edit', 'side')).toMatchObject({ code: 0 });
    expect(
      repo.git('log', '-1', '--format=%s|%(trailers:key=Coord-Agent,valueonly)').trim(),
    ).toMatch(/^Merge branch 'side'\|ann \(/);
    expect(ann.git('commit', '-q', '--amend', '-m', 'again')).toMatchObject({ code: 0 });
  });

  test('an empty message still gives a commit up, and one that is written in an editor is signed', () => {
    const { repo, ann } = scene();
    ann.edit('src/a');
    expect(ann.run('env', 'GIT_EDITOR=true', 'git', 'commit', '-q').code).not.toBe(0);
    expect(
      ann.run('env', 'GIT_EDITOR=sh -c "echo written > $1" --', 'git', 'commit', '-q'),
    ).toMatchObject({ code: 0 });
    expect(repo.git('log', '-1', '--format=%B').trim()).toMatch(/^written\n\nCoord-Agent: ann \(/);
  });

  test("a rebase over a conflict in another's commit can be finished", () => {
    const { repo, ann, bob } = scene();
    repo.git('branch', 'upstream');
    repo.git('worktree', 'add', '-q', '../up', 'upstream');
    writeFileSync(join(repo.top, '../up/src/a'), 'upstream\n');
    ranIn(join(repo.top, '../up'), repo.env, 'git', ['commit', '-q', '-a', '-m', 'upstream']);
    commit(ann, 'src/a');
    commit(bob, 'src/b');
    expect(bob.git('rebase', '-q', 'upstream').code).not.toBe(0);
    writeFileSync(join(repo.top, 'src/a'), 'resolved\n');
    bob.git('add', 'src/a');
    expect(bob.git('-c', 'core.editor=true', 'rebase', '--continue')).toMatchObject({ code: 0 });
    expect(repo.git('log', '-2', '--format=%s')).toBe('bob edits src/b\nann edits src/a\n');
  });
});

describe('another pick, patch or rebase beside a merge that is under way', () => {
  /** Ann's merge has stopped; `other` changes src/c, and the last commit but one src/d. */
  function stoppedMerge(): Scene & { readonly changed: () => readonly string[] } {
    const here = scene();
    const { repo, ann, person } = here;
    const line = (text: string, ...paths: readonly string[]): void => {
      for (const path of paths) writeFileSync(join(repo.top, path), `${text}\n`);
      repo.git('add', '.');
      repo.git('commit', '-q', '-m', text);
    };
    repo.git('switch', '-q', '-c', 'topic');
    line('topic', 'src/a', 'src/b');
    repo.git('switch', '-q', '-c', 'other', 'main');
    line('other', 'src/c');
    line('other new', 'src/new');
    repo.git('switch', '-q', 'main');
    line('undone', 'src/d');
    line('main', 'src/a');
    expect(ann.git('merge', '-q', 'topic').code).not.toBe(0);
    const git = (...args: readonly string[]): string =>
      ranIn(repo.top, repo.env, 'git', args).stdout;
    const state = (): readonly string[] => [
      git('ls-files', '-s'),
      git('diff', 'HEAD'),
      git('rev-parse', 'HEAD', 'MERGE_HEAD'),
      git('status', '--porcelain', '--untracked-files=all'),
      String(existsSync(join(repo.top, '.git/CHERRY_PICK_HEAD'))),
      String(existsSync(join(repo.top, '.git/sequencer'))),
    ];
    const before = state();
    expect(person('status').code).toBe(0);
    return { ...here, changed: () => state().filter((one, i) => one !== before[i]) };
  }

  /** The merge is Ann's still: what she resolves is a merge, with the message that git gave it. */
  function goesOn({ repo, ann }: Scene): void {
    writeFileSync(join(repo.top, 'src/a'), 'both\n');
    ann.git('add', 'src/a');
    expect(ann.git('commit', '-q', '--no-edit')).toMatchObject({ code: 0 });
    expect(repo.git('log', '-1', '--format=%s').trim()).toBe("Merge branch 'topic'");
    expect(repo.git('rev-list', '--parents', '-1', 'HEAD').trim().split(' ')).toHaveLength(3);
    expect(repo.git('status', '--porcelain')).toBe('');
  }

  const picks: readonly (readonly string[])[] = [
    ['cherry-pick', 'other'],
    ['cherry-pick', 'other~1', 'other'],
    ['cherry-pick', '-x', '--edit', 'other'],
    ['revert', '--no-edit', 'HEAD~1'],
    ['revert', '--edit', 'HEAD~1'],
  ];

  test.for(
    picks.map((words) => [words]),
  )('%j of a person is refused, and the one printed command restores all', ([words = []]) => {
    const here = stoppedMerge();
    const ran = ranIn(here.repo.top, { ...here.repo.env, GIT_EDITOR: 'true' }, 'git', [...words]);
    expect(ran.code).not.toBe(0);
    expect(ran.stderr).toMatch(/a merge of ann is in progress/);
    const [, next = ''] = /^ {2}next: (.+)$/m.exec(ran.stderr) ?? [];
    expect(ranIn(here.repo.top, here.repo.env, 'sh', ['-c', next])).toMatchObject({ code: 0 });
    expect(here.changed()).toEqual([]);
    goesOn(here);
  });

  test.for(
    [
      ...picks,
      ['cherry-pick', '--no-commit', 'other'],
      ['rebase', 'other'],
      ['am', '../0001-other.patch'],
      ['pull', '.', 'other'],
      ['merge', 'other'],
    ].map((words) => [words]),
  )('%j of another session is refused before git begins', ([words = []]) => {
    const here = stoppedMerge();
    here.repo.git('format-patch', '-q', '-1', '-o', '..', 'other~1');
    const ran = here.bob.run('env', 'GIT_EDITOR=true', 'git', ...words);
    expect(ran).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^coord: refused: a merge of ann is in progress/),
    });
    expect(here.changed()).toEqual([]);
    goesOn(here);
  });

  test('a patch that a person applies goes in, and the merge goes on', () => {
    const here = stoppedMerge();
    here.repo.git('format-patch', '-q', '-1', '-o', '..', 'other~1');
    expect(here.person('am', '-q', '../0001-other.patch')).toMatchObject({ code: 0 });
    expect(here.person('cherry-pick', '--no-commit', 'other')).toMatchObject({ code: 0 });
    expect(here.person('reset', '-q', '--', 'src/new')).toMatchObject({ code: 0 });
    rmSync(join(here.repo.top, 'src/new'));
    goesOn(here);
    expect(fileAt(here.repo, 'src/c')).toBe('other\n');
  });

  test('a rebase of a person is refused before git begins', () => {
    const here = stoppedMerge();
    // Nothing of the merge is in the files by now, so that git itself would begin.
    here.repo.git('restore', '--source=HEAD', '--worktree', 'src/a', 'src/b');
    const ran = here.person('rebase', 'other');
    expect(ran.code).not.toBe(0);
    expect(ran.stderr).toMatch(/a merge of ann is in progress/);
    expect(existsSync(join(here.repo.top, '.git/MERGE_HEAD'))).toBe(true);
    expect(here.repo.git('symbolic-ref', 'HEAD').trim()).toBe('refs/heads/main');
  });
});

describe('a merge that is over', () => {
  test("a merge of a session that came to nothing does not claim a person's later one", () => {
    const { repo, ann, person } = scene();
    ann.git('merge', 'HEAD');
    commit(ann, 'src/a');
    repo.git('branch', 'f', 'HEAD~1');
    repo.git('worktree', 'add', '-q', '../f', 'f');
    writeFileSync(join(repo.top, '../f/src/b'), 'f\n');
    ranIn(join(repo.top, '../f'), repo.env, 'git', ['commit', '-q', '-a', '-m', 'f']);
    expect(person('merge', '-q', '--no-edit', 'f')).toMatchObject({ code: 0 });
  });
});
