/**
 * Holes that were found by breaking it, and refusals of what is right: each row was once the other
 * way round.
 */
import { existsSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Ran, repository, run, type TestRepository } from '../support/repository.ts';
import { checkout, fileAt, pathsIn, ranIn, type Session, session } from '../support/sessions.ts';

interface Scene {
  readonly repo: TestRepository;
  readonly ann: Session;
  readonly bob: Session;
  person(...args: string[]): Ran;
}

function scene(): Scene {
  const repo = checkout();
  return {
    repo,
    ann: session(repo, 'ann'),
    bob: session(repo, 'bob'),
    person: (...args) => ranIn(repo.top, repo.env, 'git', args),
  };
}

function commit(who: Session, path: string): void {
  who.edit(path);
  expect(who.git('commit', '-q', '-m', `${who.name} edits ${path}`)).toMatchObject({ code: 0 });
}

/** The git behind the one of the session, with the stage. */
function past({ env }: Session): Readonly<Record<string, string>> {
  return {
    ...env,
    PATH: (env['PATH'] ?? '').split(':').slice(1).join(':'),
    GIT_INDEX_FILE: env['COORD_STAGE'] ?? '',
  };
}

describe('a move that was refused leaves no index behind that undoes', () => {
  test.for([
    ['reset', '-q', '--hard', 'HEAD~1'],
    ['reset', '-q', 'HEAD~1'],
    ['checkout', '-q', '-B', 'main', 'HEAD~1'],
  ])('git %s %s %s %s, in a session, past it, and by a person', (command) => {
    const { repo, ann, bob, person } = scene();
    commit(ann, 'src/a');
    writeFileSync(join(repo.top, 'src/e'), 'precious\n');
    expect(bob.git(...command).code).not.toBe(0);
    expect(fileAt(repo, 'src/a')).toContain('ann was here');
    expect(existsSync(join(repo.top, 'src/e'))).toBe(true);
    expect(ranIn(repo.top, past(bob), 'git', command).code).not.toBe(0);
    bob.edit('src/b');
    expect(bob.git('commit', '-q', '-m', 'innocent')).toMatchObject({ code: 0 });
    expect(pathsIn(repo)).toBe('src/b');
    expect(person(...command).code).not.toBe(0);
    repo.write('src/c', 'a person\n');
    person('add', 'src/c');
    person('commit', '-q', '-m', 'a person');
    expect(pathsIn(repo)).toEqual(expect.stringMatching(/^src\/[bc]$/));
    expect(fileAt(repo, 'src/a')).toEqual(expect.stringContaining('ann was here'));
  });
});

describe('I-7: what is under way in the work tree', () => {
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

  test.for(['merge', 'cherry-pick'])(
    'a %s of one is not ended by the commit of another',
    (operation) => {
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
    },
  );

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

describe('found by reading', () => {
  test('coord commit of the first commit looks at leases', () => {
    const repo = repository({ unborn: true });
    run(repo.top, repo.env, ['install']);
    repo.coord('ann', 'reserve', 'held');
    const bob = session(repo, 'bob');
    repo.write('held', 'x');
    bob.git('add', 'held');
    expect(bob.coord('commit', '-m', 'root').code).not.toBe(0);
    bob.git('rm', '-q', '--cached', 'held');
    repo.write('free', 'x');
    bob.git('add', 'free');
    expect(bob.coord('commit', '-m', 'root').json).toMatchObject({
      result: 'committed',
      paths: ['free'],
    });
  });

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

test('sessions that began before the first commit commit in turn, and undo nobody', () => {
  const repo = repository({ unborn: true });
  run(repo.top, repo.env, ['install']);
  const [ann, bob] = [session(repo, 'ann'), session(repo, 'bob')];
  for (const name of ['one', 'two', 'three']) repo.write(name, name);
  ann.git('add', 'one');
  expect(ann.git('commit', '-q', '-m', 'ann')).toMatchObject({ code: 0 });
  ranIn(repo.top, repo.env, 'git', ['add', 'three']);
  expect(ranIn(repo.top, repo.env, 'git', ['commit', '-q', '-m', 'a person'])).toMatchObject({
    code: 0,
  });
  bob.git('add', 'two');
  expect(bob.git('commit', '-q', '-m', 'bob')).toMatchObject({ code: 0 });
  expect(repo.git('ls-tree', '-r', '--name-only', 'HEAD')).toBe('one\nthree\ntwo\n');
});
