/** Trees that came from nowhere, and stages that are not at HEAD, undo nobody's work. */
import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { pathsIn, ranIn } from '../support/sessions.ts';
import { commit, scene } from './two-sessions.ts';

describe('a tree that came from nowhere', () => {
  test('by commit-tree, of a session and of a person, does not undo what others committed', () => {
    const { repo, ann, bob, person } = scene();
    commit(ann, 'src/a');
    const head = repo.git('rev-parse', 'HEAD').trim();
    const made = repo.git('commit-tree', 'HEAD~1^{tree}', '-p', 'HEAD', '-m', 'x').trim();
    bob.git('status');
    expect(bob.git('update-ref', 'HEAD', made).code).not.toBe(0);
    expect(person('update-ref', 'HEAD', made).code).not.toBe(0);
    expect(repo.git('rev-parse', 'HEAD').trim()).toBe(head);
  });

  test("by an index of one's own that is older than HEAD neither", () => {
    const { repo, ann } = scene();
    const env = { ...repo.env, GIT_INDEX_FILE: join(repo.top, '../own') };
    ranIn(repo.top, env, 'git', ['read-tree', 'HEAD']);
    commit(ann, 'src/a');
    repo.write('src/d', 'own\n');
    ranIn(repo.top, env, 'git', ['add', 'src/d']);
    const refused = ranIn(repo.top, env, 'git', ['commit', '-q', '-m', 'own']);
    expect(refused.code === 0).toBe(false);
    expect(refused.stderr).toEqual(expect.stringContaining('src/a: would undo'));
  });

  test('an agent that lost its stage on the way does not commit what a person has staged', () => {
    const { repo, bob, person } = scene();
    repo.write('src/d', 'a person\n');
    person('add', 'src/d');
    repo.write('src/b', 'bob\n');
    const { COORD_STAGE: _, ...env } = bob.env;
    ranIn(repo.top, env, 'git', ['add', 'src/b']);
    expect(ranIn(repo.top, env, 'git', ['commit', '-q', '-m', 'bob']).stderr).toContain(
      'not staged by you',
    );
  });
});

describe('a stage that is not at HEAD', () => {
  test('a branch that was moved without the index does not make the next commit undo what it brought', () => {
    const { repo, bob } = scene();
    repo.git('branch', 'feat');
    repo.git('worktree', 'add', '-q', '../feat', 'feat');
    writeFileSync(join(repo.top, '../feat/work'), 'x');
    ranIn(join(repo.top, '../feat'), repo.env, 'git', ['add', 'work']);
    ranIn(join(repo.top, '../feat'), repo.env, 'git', ['commit', '-q', '-m', 'work']);
    expect(bob.git('update-ref', 'refs/heads/main', 'feat')).toMatchObject({ code: 0 });
    bob.edit('src/b');
    expect(bob.git('commit', '-q', '-m', 'mine')).toMatchObject({ code: 0 });
    expect(pathsIn(repo)).toBe('src/b');
  });

  test('reset of a path to an older commit moves no branch, and a damaged stage does not become the good one', () => {
    const { repo, ann, bob } = scene();
    commit(ann, 'src/a');
    expect(bob.git('reset', '-q', 'HEAD~1', '--', 'src/a')).toMatchObject({ code: 0 });
    bob.git('reset', '-q');
    bob.edit('src/b');
    bob.git('stash', 'list');
    // Replaced, as git does it: the copy may be a second name of the same file.
    writeFileSync(join(repo.top, '../junk'), 'junk');
    renameSync(join(repo.top, '../junk'), bob.env['COORD_STAGE'] ?? '');
    bob.git('commit', '-q', '-m', 'x');
    bob.coord('stage', 'refresh');
    expect(bob.git('diff', '--cached', '--name-only').stdout).toBe('src/b\n');
  });
});
