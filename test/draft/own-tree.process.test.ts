/** What `verify --own` runs on: the tree of the commit that its caller makes of its own work. */
import { appendFileSync, chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { tree } from '../support/gated.ts';
import { type Ran, repository, type TestRepository } from '../support/repository.ts';
import { checkout, type Session, session } from '../support/sessions.ts';

/** Bob's half-done work: a changed, a deleted and a new file, and what he has staged. */
function beside(repo: TestRepository): void {
  const bob = session(repo, 'bob');
  bob.coord('reserve', 'src/b', 'src/c', 'src/of-bob');
  appendFileSync(join(repo.top, 'src/b'), 'half\n');
  rmSync(join(repo.top, 'src/c'));
  repo.write('src/of-bob');
  repo.write('src/staged-by-bob');
  bob.git('add', 'src/staged-by-bob');
}

const noneOfBob =
  'test -e src/c && ! test -e src/of-bob && ! test -e src/staged-by-bob && ! grep half src/b';

const own = (agent: Session, command = noneOfBob): Ran =>
  agent.coord('verify', '--own', '--', 'sh', '-c', command);

type Change = (ann: Session, repo: TestRepository) => void;

describe('the tree of own work', () => {
  test.for<readonly [string, Change, string]>([
    [
      'a change that is not staged',
      (_, repo) => appendFileSync(join(repo.top, 'src/a'), 'more\n'),
      'git add src/a',
    ],
    [
      'a change that is staged, and more since',
      (ann, repo) => {
        ann.edit('src/a');
        appendFileSync(join(repo.top, 'src/a'), 'more\n');
      },
      'git add src/a',
    ],
    ['a new file', (_, repo) => repo.write('src/a-new', 'new\n'), 'git add src/a-new'],
    [
      'a new file that is staged and not held',
      (ann, repo) => {
        repo.write('new "é\n', 'new\n');
        ann.git('add', 'new "é\n');
      },
      'true',
    ],
    ['a file that is gone', (_, repo) => rmSync(join(repo.top, 'src/a')), 'git rm -q src/a'],
    ['a file that is removed', (ann) => ann.git('rm', '-q', 'src/a'), 'true'],
    ['a file that is moved', (ann) => ann.git('mv', 'src/a', 'src/a-moved'), 'true'],
    ['a mode', (_, repo) => chmodSync(join(repo.top, 'src/a'), 0o755), 'git add src/a'],
    [
      'a link instead of a file',
      (_, repo) => {
        rmSync(join(repo.top, 'src/a'));
        symlinkSync('/etc/passwd', join(repo.top, 'src/a'));
      },
      'git add src/a',
    ],
    [
      'a folder instead of a file',
      (_, repo) => {
        rmSync(join(repo.top, 'src/a'));
        repo.write('src/a/below', 'below\n');
      },
      'git add --all src/a',
    ],
    [
      'what is staged and not in the work tree',
      (ann, repo) => {
        for (const path of ['src/a', 'src/a-new']) {
          repo.write(path, 'staged\n');
          ann.git('add', path);
          rmSync(join(repo.top, path));
        }
      },
      'true',
    ],
    [
      'a file that git ignores from now on',
      (ann, repo) => {
        repo.write('.gitignore', 'src/a\nsrc/a-hidden\n');
        repo.write('src/a-hidden', 'ignored\n');
        ann.git('rm', '-q', '--cached', 'src/a');
        ann.git('add', '.gitignore');
      },
      'true',
    ],
    [
      'a file that git is told not to look at',
      (ann, repo) => {
        ann.git('update-index', '--assume-unchanged', 'src/a');
        repo.write('src/a', 'unseen\n');
      },
      'git update-index --no-assume-unchanged src/a && git add src/a',
    ],
    [
      'what HEAD has since others committed',
      (ann, repo) => {
        const eve = session(repo, 'eve');
        eve.edit('src/e');
        eve.edit('src/e-new');
        eve.git('commit', '-q', '-m', 'of eve');
        ann.edit('src/a');
      },
      'true',
    ],
  ])('is that of the commit: %s', ([, change, stage]) => {
    const repo = checkout();
    const ann = session(repo, 'ann');
    ann.coord('reserve', 'src/a', 'src/a/**', 'src/a-*');
    beside(repo);
    change(ann, repo);
    const ran = own(ann);
    expect(ran).toMatchObject({ code: 0, json: { recorded: true } });
    expect(ann.run('sh', '-c', stage)).toMatchObject({ code: 0 });
    expect(ann.git('commit', '-q', '-m', 'of ann')).toMatchObject({ code: 0 });
    expect(ran.json['evidence'].tree).toBe(tree(repo));
    expect(ran.json['leftOut']).toMatchObject([
      { path: 'src/b', agent: { name: 'bob' } },
      { path: 'src/c', agent: { name: 'bob' } },
      { path: 'src/of-bob', agent: { name: 'bob' } },
      { path: 'src/staged-by-bob', agent: { name: 'bob' } },
    ]);
    repo.git('fsck', '--strict', '--no-dangling');
  });

  test('leaves out what nobody is known to have changed, and says how it becomes own', () => {
    const repo = checkout();
    const ann = session(repo, 'ann');
    repo.write('src/unknown', 'whose\n');
    const before = own(ann, '! test -e src/unknown');
    expect(before).toMatchObject({
      code: 0,
      json: { own: [], leftOut: [{ path: 'src/unknown', agent: null }] },
    });
    expect(before.json['evidence'].tree).toBe(tree(repo));
    expect(repo.text('eve', '-C', 'src', 'verify', '--own', '--', 'true').stderr).toContain(
      'coord reserve unknown --agent eve --directory src\n',
    );
    ann.coord('reserve', 'src/unknown');
    expect(own(ann, 'test -e src/unknown')).toMatchObject({
      code: 0,
      json: { own: ['src/unknown'], leftOut: [] },
    });
  });

  test('has a folder of its caller where a file was that nobody is known to have taken away', () => {
    const repo = checkout();
    const ann = session(repo, 'ann');
    ann.coord('reserve', 'src/a/below');
    rmSync(join(repo.top, 'src/a'));
    repo.write('src/a/below', 'below\n');
    const ran = own(ann, 'test -e src/a/below');
    expect(ran).toMatchObject({
      code: 0,
      json: { recorded: true, own: ['src/a', 'src/a/below'], leftOut: [] },
    });
    ann.git('add', 'src/a/below');
    expect(ann.git('commit', '-q', '-m', 'of ann').code).toBe(0);
    expect(ran.json['evidence'].tree).toBe(tree(repo));
  });

  test('of a person it is all that is not an agent’s, from the first commit on', () => {
    for (const unborn of [true, false]) {
      const repo = repository({ unborn });
      repo.write('staged', 'staged\n');
      repo.git('add', 'staged');
      repo.write('new', 'new\n');
      repo.write('of-bob', 'half\n');
      repo.coord('bob', 'reserve', 'of-bob');
      const ran = repo.coord(null, 'verify', '--own', '--', 'sh', '-c', 'ls');
      expect(ran).toMatchObject({
        code: 0,
        json: {
          own: ['new', 'staged'],
          leftOut: [{ path: 'of-bob', agent: { name: 'bob' } }],
          evidence: { base: unborn ? null : repo.git('rev-parse', 'HEAD').trim() },
        },
      });
      repo.git('add', 'new');
      repo.git('commit', '-q', '-m', 'of the person');
      expect(ran.json['evidence'].tree).toBe(tree(repo));
    }
  });

  test('is that of the linked work tree it is asked in, and of the folder', () => {
    const repo = checkout();
    const linked = join(repo.top, '../linked');
    repo.git('worktree', 'add', '-q', linked, '-b', 'topic');
    const [ann, eve] = [session(repo, 'ann'), session(repo, 'eve', linked)];
    ann.edit('src/a');
    mkdirSync(join(linked, 'deep'));
    writeFileSync(join(linked, 'deep/new'), 'new\n');
    eve.git('add', 'deep/new');
    const ran = eve.coord('-C', 'deep', 'verify', '--own', '--', 'sh', '-c', 'test -e new');
    expect(ran).toMatchObject({ code: 0, json: { own: ['deep/new'], leftOut: [] } });
    expect(ran.json['evidence'].folder).toBe('deep');
    expect(eve.git('commit', '-q', '-m', 'of eve').code).toBe(0);
    expect(ran.json['evidence'].tree).toBe(tree(repo, 'topic'));
    writeFileSync(join(linked, 'deep/other'), '');
    mkdirSync(join(linked, 'nobodys'));
    expect(eve.coord('-C', 'nobodys', 'verify', '--own', '--', 'true')).toMatchObject({
      code: 64,
      json: { error: { message: expect.stringContaining("'nobodys'") } },
    });
  });

  test('of a sparse checkout it is the whole tree, and the folder has what the checkout has', () => {
    const repo = checkout();
    repo.write('far/file', 'far\n');
    repo.git('add', '.');
    repo.git('commit', '-q', '-m', 'far');
    repo.git('sparse-checkout', 'set', 'src');
    const ann = session(repo, 'ann');
    ann.edit('src/a');
    const ran = own(
      ann,
      'test -e src/a && ! test -e far/file && test -z "$(git diff)" && test "$(git sparse-checkout list)" = src',
    );
    expect(ran).toMatchObject({ code: 0, json: { recorded: true, own: ['src/a'] } });
    expect(ann.git('commit', '-q', '-m', 'of ann').code).toBe(0);
    expect(ran.json['evidence'].tree).toBe(tree(repo));
  });

  test('line ends are in it as git keeps them, and in the folder as it writes them', () => {
    const repo = checkout();
    repo.git('config', 'core.autocrlf', 'true');
    const ann = session(repo, 'ann');
    ann.coord('reserve', 'src/new');
    repo.write('src/new', 'one\r\ntwo\r\n');
    const ran = own(ann, "test $(grep -c '\r' src/new) = 2 && test $(grep -c '\r' src/a) = 9");
    expect(ran).toMatchObject({ code: 0, json: { recorded: true } });
    expect(repo.git('cat-file', 'blob', `${ran.json['evidence'].tree}:src/new`)).toBe('one\ntwo\n');
  });

  test('a submodule is in it as the commit that it is at; its folder is empty, and that is said', () => {
    const repo = checkout();
    const module = repository();
    repo.git('-c', 'protocol.file.allow=always', 'submodule', '-q', 'add', module.top, 'lib');
    repo.git('commit', '-q', '-m', 'a submodule');
    const ann = session(repo, 'ann');
    ann.coord('reserve', 'lib');
    ann.run('git', '-C', 'lib', 'commit', '-q', '--allow-empty', '-m', 'next');
    repo.write('lib/dirty', 'in no commit\n');
    const ran = own(ann, 'test -d lib && test -z "$(ls -A lib)"');
    expect(ran).toMatchObject({
      code: 0,
      json: { recorded: true, own: ['lib'], submodules: ['lib'] },
    });
    expect(ann.git('commit', '-q', '-m', 'next', 'lib').code).toBe(0);
    expect(ran.json['evidence'].tree).toBe(tree(repo));
  });
});
