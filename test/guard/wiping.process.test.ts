/** Commands that overwrite files: what others have not committed is spared, or kept and told. */
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { commit, nextOf, refused, type Scene, scene, went } from '../support/scene.ts';
import { ranIn } from '../support/sessions.ts';

const onDisk = ({ repo }: Scene, path: string): string =>
  existsSync(join(repo.top, path)) ? readFileSync(join(repo.top, path), 'utf8') : '(gone)';

/** What snapshots hold of a path, all together. */
function kept({ repo }: Scene, path: string): string {
  const refs = repo
    .git('for-each-ref', '--format=%(refname)', 'refs/coord/saved')
    .trim()
    .split('\n');
  return refs
    .filter((ref) => ref !== '')
    .map((ref) => ranIn(repo.top, repo.env, 'git', ['show', `${ref}:${path}`]).stdout)
    .join('');
}

/** ann has unsaved work in a and new, and bob a merge that stopped, with all of it staged. */
function stopped(operation: 'merge' | 'cherry-pick' | 'revert'): Scene {
  const here = scene();
  const { repo, ann, bob } = here;
  went(bob.git('switch', '-q', '-c', 'side'));
  writeFileSync(join(repo.top, 'src/c'), 'side\n');
  went(bob.git('commit', '-q', '-a', '-m', 'side'));
  went(bob.git('switch', '-q', 'main'));
  writeFileSync(join(repo.top, 'src/c'), 'main\n');
  went(bob.git('commit', '-q', '-a', '-m', 'main'));
  writeFileSync(join(repo.top, 'src/c'), 'more\n');
  went(bob.git('commit', '-q', '-a', '-m', 'more'));
  ann.git('status');
  went(ann.coord('reserve', 'src/a', 'new'));
  appendFileSync(join(repo.top, 'src/a'), 'unsaved of ann\n');
  writeFileSync(join(repo.top, 'new'), 'new of ann\n');
  expect(bob.git(operation, operation === 'revert' ? 'HEAD~1' : 'side').code).not.toBe(0);
  went(bob.git('add', '-A'));
  return here;
}

function isWhole(here: Scene): void {
  expect(onDisk(here, 'src/a')).toEqual(expect.stringContaining('unsaved of ann'));
  expect(onDisk(here, 'new')).toBe('new of ann\n');
}

describe('what stopped is given up [B1]', () => {
  test.for<readonly ['merge' | 'cherry-pick' | 'revert', string]>([
    ['merge', '--abort'],
    ['cherry-pick', '--abort'],
    ['cherry-pick', '--skip'],
    ['revert', '--abort'],
    ['revert', '--skip'],
  ])('git %s %s of a session spares what another has not committed', ([operation, how]) => {
    const here = stopped(operation);
    const ran = here.bob.git(operation, how);
    expect({ code: ran.code, stderr: ran.stderr }).toEqual({
      code: 1,
      stderr: expect.stringContaining('src/a: ann'),
    });
    isWhole(here);
    went(here.bob.run('sh', '-c', nextOf(ran)[0] ?? 'false'));
    isWhole(here);
    expect(onDisk(here, 'src/c')).toBe('more\n');
    expect(here.repo.git('status', '--porcelain')).toBe(' M src/a\n?? new\n');
  });

  test('a refused commit keeps what it holds of others, so that a person who gives up loses nothing', () => {
    const here = scene();
    const { repo, ann, shell, person } = here;
    went(
      shell(
        'git switch -q -c side && echo side >src/c && git commit -qam side' +
          ' && git switch -q main && echo main >src/c && git commit -qam main',
      ),
    );
    went(ann.coord('reserve', 'src/a', 'new'));
    appendFileSync(join(repo.top, 'src/a'), 'unsaved of ann\n');
    writeFileSync(join(repo.top, 'new'), 'new of ann\n');
    expect(person('merge', 'side').code).not.toBe(0);
    went(person('add', '-A'));
    const refused = person('commit', '--no-edit');
    expect({ code: refused.code, stderr: refused.stderr }).toEqual({
      code: 1,
      stderr: expect.stringContaining('held by ann'),
    });
    isWhole(here);
    went(person('merge', '--abort'));
    expect(kept(here, 'src/a')).toEqual(expect.stringContaining('unsaved of ann'));
    expect(kept(here, 'new')).toBe('new of ann\n');
    expect(ann.coord('inbox').stdout).toContain('src/a');
  });
});

describe('changed files are merged with another branch', () => {
  test.for([
    [['checkout', '-q', '-m']],
    [['switch', '-q', '--merge']],
    [['checkout', '-q', '--conflict=diff3']],
  ])('git %j: refused over what others have changed that differs there, before git begins', ([
    words = [],
  ]) => {
    const here = scene();
    const { repo, ann, bob } = here;
    for (const [branch, path] of [
      ['side', 'src/a'],
      ['beside', 'src/e'],
    ] as const) {
      went(bob.git('switch', '-q', '-c', branch, 'main'));
      commit(bob, path);
      went(bob.git('switch', '-q', 'main'));
    }
    went(ann.coord('reserve', 'src/a'));
    appendFileSync(join(repo.top, 'src/a'), 'unsaved of ann\n');
    appendFileSync(join(repo.top, 'src/d'), 'unsaved of bob\n');
    const before = ['src/a', 'src/d'].map((path) => onDisk(here, path));
    const ran = bob.git(...words, 'side');
    refused(ran, /would overwrite uncommitted changes of others\n {2}src\/a: ann/);
    expect(nextOf(ran)).toEqual([
      `coord reserve --wait 2m --literal -- src/a && git ${words.join(' ')} side`,
    ]);
    expect(['src/a', 'src/d'].map((path) => onDisk(here, path))).toEqual(before);
    expect(repo.git('symbolic-ref', '--short', 'HEAD').trim()).toBe('main');
    went(bob.git(...words, 'beside'));
    expect(['src/a', 'src/d'].map((path) => onDisk(here, path))).toEqual(before);
  });
});

describe('what cannot be known beforehand is kept, and its owner is told [B1]', () => {
  test.for<readonly [string, string, string]>([
    ['checkout -p', 'yes | git checkout -p', 'src/a'],
    ['restore -p', 'yes | git restore -p', 'src/a'],
    ['apply -R', 'git diff | git apply -R', 'src/a'],
    [
      'bisect run',
      'git bisect start HEAD HEAD~3;' +
        ' git bisect run sh -c "git checkout -q -- ."; git bisect reset',
      'src/a',
    ],
    ['an alias of the shell', 'git -c alias.x="!git checkout -q -- ." x', 'src/a'],
    ['rebase --exec', 'git -c sequence.editor=true rebase -q -x "git clean -fdq" HEAD~1', 'new'],
  ])('git %s', ([, line, path]) => {
    const here = scene();
    const { repo, ann, bob } = here;
    for (const made of ['src/c', 'src/d', 'src/e']) commit(bob, made);
    went(ann.coord('reserve', path));
    appendFileSync(join(repo.top, path), 'unsaved of ann\n');
    bob.run('sh', '-c', line);
    expect(onDisk(here, path)).not.toContain('unsaved of ann');
    expect(kept(here, path)).toContain('unsaved of ann');
    expect(ann.coord('inbox').stdout).toMatch(
      new RegExp(`${path}, which you hold; .*coord rescue show`),
    );
  });

  test.for<readonly [string, string]>([
    ['rm -r src && echo unsaved of ann >src', 'src'],
    ['rm src/a && mkdir src/a && echo unsaved of ann >src/a/x', 'src/a/x'],
  ])('a file where HEAD has a folder, and a folder where it has a file: %s', ([change, path]) => {
    const here = scene();
    went(here.ann.coord('reserve', 'src/a', 'src'));
    went(here.ann.run('sh', '-c', change));
    refused(here.bob.git('checkout', '-q', '--', '.'), `${path}: ann`);
    expect(onDisk(here, path)).toContain('unsaved of ann');
  });

  test('an edit that nobody reserved is kept before a session overwrites it', () => {
    const here = scene();
    appendFileSync(join(here.repo.top, 'src/d'), 'of a person\n');
    went(here.ann.git('checkout', '.'));
    expect(kept(here, 'src/d')).toContain('of a person');
  });
});

describe('inside a submodule that another holds [B1]', () => {
  test.for([
    'submodule update --force',
    'submodule deinit -f part',
  ])('git %s is refused over uncommitted changes', (words) => {
    const { repo, ann, bob, shell } = scene();
    went(
      shell(
        'git init -q ../part && echo part >../part/f && git -C ../part add f && git -C ../part commit -qm part' +
          ' && git -c protocol.file.allow=always submodule --quiet add ../part part && git commit -qm part',
      ),
    );
    went(ann.coord('reserve', 'part'));
    went(ann.run('sh', '-c', 'git status && git submodule update --quiet'));
    appendFileSync(join(repo.top, 'part/f'), 'unsaved of ann\n');
    refused(bob.git(...words.split(' ')), 'part: ann');
    expect(readFileSync(join(repo.top, 'part/f'), 'utf8')).toContain('unsaved of ann');
    went(ann.coord('release', '--all'));
    went(bob.git(...words.split(' ')));
  });
});

describe('what a person has staged [B1]', () => {
  test('a new file is no untracked one for the clean of a session: it is kept before', () => {
    const here = scene();
    here.repo.write('new', 'of a person\n');
    went(here.person('add', 'new'));
    went(here.bob.coord('reserve', 'src/b'));
    went(here.ann.git('clean', '-q', '-f'));
    expect(kept(here, 'new')).toContain('of a person');
  });
});

describe("one's own mistake can be taken back [U6]", () => {
  test.for<readonly [string, readonly string[]]>([
    ['restore', ['restore', '--', 'src/b']],
    ['checkout', ['checkout', '--', 'src/b']],
    ['stash', ['stash', 'push', '-q', '--', 'src/b']],
    ['reset', ['reset', '-q', '--hard']],
  ])("git %s in a work tree of one's own, of a path that another holds elsewhere", ([
    ,
    command,
  ]) => {
    const { repo, bob, ann } = scene((made) => {
      made.git('worktree', 'add', '-q', '-b', 'mine', '../mine');
      return join(made.top, '../mine');
    });
    const own = join(repo.top, '../mine/src/b');
    went(bob.coord('reserve', 'src'));
    const before = readFileSync(own, 'utf8');
    appendFileSync(own, 'a mistake\n');
    went(ann.git(...command));
    expect(readFileSync(own, 'utf8')).toBe(before);
  });

  test("a work tree of one's own is removed, with what is unsaved there kept", () => {
    const here = scene();
    const { repo, ann, bob } = here;
    went(bob.coord('reserve', 'src'));
    went(ann.git('worktree', 'add', '-q', '-b', 'own', '../own'));
    appendFileSync(join(repo.top, '../own/src/b'), 'a mistake\n');
    went(ann.git('worktree', 'remove', '--force', '../own'));
    expect(kept(here, 'src/b')).toContain('a mistake');
  });

  test('the advice after a refusal is not what was refused', () => {
    const { repo, ann, bob } = scene();
    went(bob.coord('reserve', 'src/b'));
    appendFileSync(join(repo.top, 'src/b'), 'unsaved\n');
    const ran = ann.git('restore', '--', 'src/b');
    expect(nextOf(ran)).toEqual([
      'coord reserve --wait 2m --literal -- src/b && git restore -- src/b',
    ]);
  });
});

describe("a person's plain git [U8]", () => {
  test.for<readonly [string, readonly string[], boolean]>([
    ['stash', ['stash', '-q'], true],
    ['stash -u', ['stash', '-q', '-u'], true],
    ['checkout .', ['checkout', '-q', '.'], false],
    ['reset --hard', ['reset', '-q', '--hard'], false],
    ['checkout -f', ['checkout', '-q', '-f'], false],
  ])("git %s over a holder's unsaved work is told to the holder", ([, command, isKept]) => {
    const here = scene();
    const { repo, ann, person } = here;
    went(ann.coord('reserve', 'src/a'));
    appendFileSync(join(repo.top, 'src/a'), 'unsaved of ann\n');
    went(person(...command));
    expect(onDisk(here, 'src/a')).not.toContain('unsaved');
    expect(ann.coord('inbox').stdout).toContain('src/a, which you hold');
    if (isKept) expect(kept(here, 'src/a')).toContain('unsaved of ann');
  });

  test('a session does not pop or drop what a person has stashed', () => {
    const { repo, ann, person } = scene();
    appendFileSync(join(repo.top, 'src/d'), 'of a person\n');
    went(person('stash', '-q'));
    for (const sub of ['pop', 'drop', 'clear']) {
      expect(ann.git('stash', sub).stderr).toContain('stash@{0} was stashed by a person');
    }
    expect(repo.git('stash', 'list')).toContain('stash@{0}');
    went(person('stash', 'pop', '-q'));
    ann.edit('src/a');
    went(ann.git('stash', '-q'));
    went(ann.git('stash', 'pop', '-q'));
  });
});
