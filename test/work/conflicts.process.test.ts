/** What will collide, told while both sides can still be steered. */
import { execFileSync, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { coordProgram, eventually, type TestRepository } from '../support/repository.ts';
import { went } from '../support/scene.ts';
import { checkout, ranIn, type Session, session } from '../support/sessions.ts';
import { Program, seenIn, side, sometimeLater } from '../support/work-trees.ts';

interface Collided {
  readonly sides: readonly { readonly name: string; readonly agent: string | null }[];
  readonly files: readonly {
    readonly path: string;
    readonly lines: unknown;
    readonly policy: unknown;
  }[];
}

function conflicts(repo: TestRepository): readonly Collided[] {
  const ran = repo.coord(null, 'conflicts');
  expect(ran.code).toBe(0);
  return ran.json['conflicts'];
}

/** One line of a file of nine changed, and committed. */
function changes(tree: TestRepository, path: string, line: number, text: string): void {
  const lines = readFileSync(join(tree.top, path), 'utf8').split('\n');
  lines[line - 1] = text;
  tree.write(path, lines.join('\n'));
}

function commits(tree: TestRepository, path: string, line: number, text: string): void {
  changes(tree, path, line, text);
  tree.git('commit', '-q', '-a', '-m', text);
}

/** Sessions in work trees of their own. */
function inTrees(
  repo: TestRepository,
  ...names: string[]
): readonly (Session & { tree: TestRepository })[] {
  return names.map((name) => {
    const tree = side(repo, name);
    return { ...session(repo, name, tree.top), tree };
  });
}

describe('coord conflicts', () => {
  test('names both sides, the files and the lines; what git can merge is none', () => {
    const repo = checkout();
    const [one, two, three] = [side(repo, 'one'), side(repo, 'two'), side(repo, 'three')];
    commits(one, 'src/a', 5, 'one was here');
    commits(two, 'src/a', 5, 'two was here');
    commits(three, 'src/a', 9, 'three was here');
    const found = conflicts(repo);
    expect(found.flatMap(({ sides }) => sides.map(({ name }) => name)).toSorted()).toEqual([
      'one',
      'two',
    ]);
    expect(found).toMatchObject([
      { files: [{ path: 'src/a', lines: [{ first: 5, last: 5 }], policy: null }] },
    ]);
    const said = repo.text(null, 'conflicts').stdout;
    expect(said).toContain('src/a line 5');
  });

  test('sees what is in no commit yet, new files too', () => {
    const repo = checkout();
    const [one, two] = [side(repo, 'one'), side(repo, 'two')];
    one.write('new', 'of one\n');
    two.write('new', 'of two\n');
    expect(conflicts(repo)).toMatchObject([{ files: [{ path: 'new', lines: [] }] }]);
    expect(one.git('status', '--porcelain')).toBe('?? new\n');
    one.write('new', 'of two\n');
    expect(conflicts(repo)).toEqual([]);
  });

  test('sees what another machine has pushed', () => {
    const repo = checkout();
    const bare = join(repo.top, '../origin.git');
    execFileSync('git', ['clone', '-q', '--bare', repo.top, bare], { env: repo.env });
    repo.git('remote', 'add', 'origin', bare);
    const other = seenIn(repo, join(repo.top, '../other'));
    execFileSync('git', ['clone', '-q', bare, other.top], { env: repo.env });
    other.git('checkout', '-q', '-b', 'theirs');
    commits(other, 'src/b', 3, 'elsewhere');
    other.git('push', '-q', 'origin', 'theirs');
    commits(repo, 'src/b', 3, 'here');
    repo.git('fetch', '-q');
    expect(conflicts(repo)).toMatchObject([
      { sides: [{ name: 'main' }, { name: 'origin/theirs' }], files: [{ path: 'src/b' }] },
    ]);
  });

  test('files of which all is kept are none, and those that are made anew are named so', () => {
    const repo = checkout();
    repo.write('.gitattributes', 'CHANGES merge=union\n');
    repo.write('CHANGES', 'begin\n');
    repo.write('log', 'begin\n');
    repo.write('package-lock.json', '{"v": 1}\n');
    repo.git('add', '-A');
    repo.git('commit', '-q', '-m', 'files');
    repo.git('config', 'coord.union', 'log');
    const trees = [side(repo, 'one'), side(repo, 'two')];
    for (const tree of trees) {
      tree.write('CHANGES', `begin\n${tree.top}\n`);
      tree.write('log', `begin\n${tree.top}\n`);
      tree.write('package-lock.json', `{"v": "${tree.top}"}\n`);
      tree.git('commit', '-q', '-a', '-m', 'all of it');
    }
    expect(conflicts(repo)).toMatchObject([
      { files: [{ path: 'package-lock.json', policy: 'regenerate' }] },
    ]);
    expect(repo.coord(null, 'conflicts').json['result']).toBe('none');
  });

  test('a branch without a common commit, and one of long ago, are in nobody’s way', () => {
    const repo = checkout();
    const [one, two] = [side(repo, 'one'), side(repo, 'two')];
    const orphan = repo.git('commit-tree', '-m', 'alone', 'HEAD^{tree}').trim();
    repo.git('branch', 'orphan', orphan);
    commits(one, 'src/a', 5, 'one was here');
    commits(two, 'src/a', 5, 'two was here');
    const old = { ...repo.env, GIT_COMMITTER_DATE: '2020-01-01T00:00:00Z' };
    const stale = ranIn(repo.top, old, 'git', [
      'commit-tree',
      '-p',
      'one~1',
      '-m',
      'x',
      'two^{tree}',
    ]);
    repo.git('branch', 'stale', stale.stdout.trim());
    expect(conflicts(repo)).toHaveLength(1);
  });

  test('asks git only about pairs that it has not asked about', () => {
    const repo = checkout();
    const trees = ['one', 'two', 'three'].map((name) => side(repo, name));
    for (const tree of trees) commits(tree, 'src/a', 5, `in ${tree.top}`);
    const merges = (): number => {
      const file = join(repo.top, '../trace');
      execFileSync('rm', ['-f', file]);
      ranIn(repo.top, { ...repo.env, COORD_TRACE: file }, process.execPath, [
        coordProgram,
        'conflicts',
      ]);
      return readFileSync(file, 'utf8')
        .split('\n')
        .filter((line) => line.includes('"merge-tree"')).length;
    };
    expect([merges(), merges()]).toEqual([1, 0]);
  });

  test('leaves no object behind', () => {
    const repo = checkout();
    const [one, two] = [side(repo, 'one'), side(repo, 'two')];
    commits(one, 'src/a', 5, 'one was here');
    commits(two, 'src/a', 5, 'two was here');
    repo.coord(null, 'status');
    const count = (): string => repo.git('count-objects');
    const before = count();
    conflicts(repo);
    expect(count()).toBe(before);
  });

  test('--watch shows what is new, a line each', async () => {
    const repo = checkout();
    const [one, two] = [side(repo, 'one'), side(repo, 'two')];
    commits(one, 'src/a', 5, 'one was here');
    const child = spawn(process.execPath, [coordProgram, 'conflicts', '--watch', '--json'], {
      cwd: repo.top,
      env: repo.env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let text = '';
    child.stdout.setEncoding('utf8').on('data', (part: string) => {
      text += part;
    });
    commits(two, 'src/a', 5, 'two was here');
    await eventually('the collision is shown', () => text.includes('\n'));
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGINT');
    expect(await ended).toBe(130);
    expect(JSON.parse(text)).toMatchObject({ files: [{ path: 'src/a' }] });
  });
});

describe('an agent hears of a collision', () => {
  test('at the commit that makes it, once', () => {
    const repo = checkout();
    const [ann, bob] = inTrees(repo, 'ann', 'bob');
    if (ann === undefined || bob === undefined) throw new Error('no sessions');
    ann.edit('src/a', 'of ann');
    went(ann.git('commit', '-q', '-m', 'of ann'));
    bob.edit('src/a', 'of bob');
    const first = bob.git('commit', '-q', '-m', 'of bob');
    expect(first.stderr).toMatch(/will conflict with ann.* in src\/a/);
    bob.edit('src/a', 'more of bob');
    expect(bob.git('commit', '-q', '-m', 'more').stderr).toBe('');
    // And the other at its own next one.
    ann.edit('src/b', 'of ann');
    expect(ann.git('commit', '-q', '-m', 'more of ann').stderr).toMatch(/will conflict with bob/);
    // Another file is another cause.
    sometimeLater(bob.tree);
    bob.edit('src/b', 'of bob');
    expect(bob.git('commit', '-q', '-m', 'again').stderr).toMatch(/src\/b/);
  });

  test('at its next tool, before anything is committed', () => {
    const repo = checkout();
    const [one, two] = [side(repo, 'one'), side(repo, 'two')];
    const [first, second] = [new Program(one, 's1'), new Program(two, 's2')];
    first.bash('sed -i "5s/.*/of one/" src/a');
    const said: string[] = [];
    second.bash('sed -i "5s/.*/of two/" src/a', said);
    second.later();
    second.bash('true', said);
    expect(said.join('\n').match(/will conflict/g)).toHaveLength(1);
    expect(said.join('\n')).toContain('src/a line 5');
  });
});
