/**
 * The stage is for one work tree and one session. Whatever git is asked to do elsewhere, it stays
 * as it is.
 */
import { readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { TestRepository } from '../support/repository.ts';
import { checkout, fileAt, pathsIn, ranIn, type Session, session } from '../support/sessions.ts';

interface Scene {
  readonly repo: TestRepository;
  readonly ann: Session;
  /** A folder beside the repository. */
  readonly beside: (name: string) => string;
}

function scene(): Scene {
  const repo = checkout();
  const ann = session(repo, 'ann');
  ann.edit('src/a');
  return { repo, ann, beside: (name) => join(repo.top, '..', name) };
}

/** The stage still holds exactly what ann staged, and a commit of it is right. */
function unharmed({ repo, ann }: Scene): void {
  expect(ann.git('diff', '--cached', '--name-only').stdout.trim()).toBe('src/a');
  expect(ann.git('commit', '-q', '-m', 'ann')).toMatchObject({ code: 0 });
  expect(pathsIn(repo)).toBe('src/a');
  expect(repo.git('ls-tree', '-r', '--name-only', 'HEAD').split('\n').length).toBe(6);
  repo.git('fsck', '--strict', '--no-dangling');
}

const places: Readonly<Record<string, (scene: Scene) => void>> = {
  'git clone': ({ ann, beside, repo }) => {
    expect(ann.git('clone', '-q', '.', beside('clone'))).toMatchObject({ code: 0 });
    expect(ranIn(beside('clone'), repo.env, 'git', ['status', '--short']).stdout).toBe('');
  },
  'git worktree add, and a commit there': ({ ann, beside, repo }) => {
    expect(ann.git('worktree', 'add', '-q', beside('tree'))).toMatchObject({ code: 0 });
    writeFileSync(join(beside('tree'), 'src/b'), 'there\n');
    expect(
      ranIn(beside('tree'), ann.env, 'git', ['commit', '-q', '-a', '-m', 'in the tree']),
    ).toMatchObject({ code: 0 });
    expect(pathsIn(repo, 'tree')).toBe('src/b');
  },
  'another repository, by cd, by -C and by --git-dir': ({ ann, beside, repo }) => {
    ranIn(repo.top, repo.env, 'git', ['init', '-q', beside('other')]);
    writeFileSync(join(beside('other'), 'file'), 'x');
    expect(ranIn(beside('other'), ann.env, 'git', ['add', 'file'])).toMatchObject({ code: 0 });
    expect(ann.git('-C', beside('other'), 'commit', '-q', '-m', 'x')).toMatchObject({ code: 0 });
    expect(
      ann.git(
        `--git-dir=${beside('other')}/.git`,
        `--work-tree=${beside('other')}`,
        'status',
        '--short',
      ).stdout,
    ).toBe('');
    expect(
      ann.git('-c', 'user.name=it\'s "odd" $(x)', '-C', beside('other'), 'log', '--format=%s')
        .stdout,
    ).toBe('x\n');
  },
  'a submodule': ({ ann, beside, repo }) => {
    ranIn(repo.top, repo.env, 'git', ['clone', '-q', '.', beside('module')]);
    expect(
      ann.git(
        '-c',
        'protocol.file.allow=always',
        'submodule',
        'add',
        '-q',
        beside('module'),
        'sub',
      ),
    ).toMatchObject({ code: 0 });
    expect(ranIn(join(repo.top, 'sub'), ann.env, 'git', ['status', '--short']).stdout).toBe('');
    expect(ann.git('rm', '-q', '-f', '--cached', 'sub', '.gitmodules')).toMatchObject({ code: 0 });
  },
  'a program that clones, as a package manager does': ({ ann, beside }) => {
    expect(
      ann.run(
        'sh',
        '-c',
        `cd "${beside('')}" && git clone -q repo dependency && git -C dependency status --short`,
      ),
    ).toMatchObject({ code: 0, stdout: '' });
  },
  "an index of somebody's own": ({ ann, beside }) => {
    expect(
      ann.run('env', `GIT_INDEX_FILE=${beside('mine')}`, 'git', 'read-tree', 'HEAD'),
    ).toMatchObject({ code: 0 });
    expect(readFileSync(beside('mine')).length).toBeGreaterThan(100);
  },
  'an alias that makes a work tree': ({ ann, beside }) => {
    expect(
      ann.git('-c', `alias.tree=!git worktree add -q "${beside('aliased')}"`, 'tree'),
    ).toMatchObject({ code: 0 });
  },
  'git with an absolute path, which knows nothing of the stage': ({ ann, repo }) => {
    const real = (ann.env['PATH'] ?? '')
      .split(':')
      .slice(1)
      .find((folder) => {
        try {
          return readdirSync(folder).includes('git');
        } catch {
          return false;
        }
      });
    writeFileSync(join(repo.top, 'src/b'), 'past the stage\n');
    expect(ann.run(join(real ?? '', 'git'), 'add', 'src/b')).toMatchObject({ code: 0 });
    ann.run(join(real ?? '', 'git'), 'reset', '-q', '--hard');
    ann.run('sh', '-c', 'echo ann was here >> src/a');
  },
};

describe('the stage survives', () => {
  test.for(Object.entries(places))('%s', ([, visit]) => {
    const here = scene();
    visit(here);
    unharmed(here);
  });

  test('damage: an index that is empty, cut short or of another repository is as it was last known to be good, and says so', () => {
    for (const damage of ['', 'DIRC', 'nonsense']) {
      const { repo, ann } = scene();
      ann.git('stash', 'list');
      writeFileSync(ann.env['COORD_STAGE'] ?? '', damage);
      expect(ann.coord('stage', 'refresh').json['result'], JSON.stringify(damage)).toBe('restored');
      ann.git('add', 'src/a');
      expect(ann.git('commit', '-q', '-m', 'ann')).toMatchObject({ code: 0 });
      expect(pathsIn(repo)).toBe('src/a');
      expect(fileAt(repo, 'src/b').length > 0).toBe(true);
    }
  });
});

test('a damaged stage comes back with the commit that its good copy was based on: what was taken back stays so', () => {
  const repo = checkout();
  const ann = session(repo, 'ann');
  ann.edit('src/d', 'to be taken back');
  ann.git('commit', '-q', '-m', 'd');
  expect(ann.git('reset', '-q', '--hard', 'HEAD~1').code).toBe(0);
  writeFileSync(ann.env['COORD_STAGE'] ?? '', '');
  ann.edit('src/a', 'of ann');
  expect(ann.git('commit', '-q', '-m', 'ann')).toMatchObject({ code: 0 });
  expect(pathsIn(repo)).toBe('src/a');
});

test.for([
  false,
  true,
])('a stage that was not brought forward for a day is made anew with what is staged (clash: %s)', (clash) => {
  const repo = checkout();
  const [ann, bob] = [session(repo, 'ann'), session(repo, 'bob')];
  ann.edit('src/a', 'of ann');
  ann.git('rm', '-q', 'src/c');
  bob.edit(clash ? 'src/a' : 'src/b', 'of bob');
  bob.git('commit', '-q', '-m', 'bob');
  const dayAgo = Date.now() / 1_000 - 90_000;
  utimesSync(join(ann.env['COORD_STAGE'] ?? '', '../base'), dayAgo, dayAgo);
  const ran = ann.git('commit', '-q', '-m', 'ann');
  expect(ran.code).toBe(clash ? 1 : 0);
  expect(pathsIn(repo)).toBe(clash ? 'src/a' : 'src/a src/c');
  expect(fileAt(repo, clash ? 'src/a' : 'src/b')).toContain('of bob');
});

describe('the life of a stage [SYS-2]', () => {
  const stages = (repo: TestRepository): readonly string[] => {
    try {
      return readdirSync(join(repo.top, '.git/coord/stages'));
    } catch {
      return [];
    }
  };

  test('it is made when the session starts, below the git dir of its work tree, and goes when it ends', () => {
    const repo = checkout();
    const ann = session(repo, 'ann');
    expect(ann.env['COORD_STAGE']).toMatch(
      new RegExp(`^${repo.top}/.git/coord/stages/[0-9a-z]{8}/index$`),
    );
    expect(stages(repo)).toHaveLength(1);
    expect(ann.coord('session', 'end').code).toBe(0);
    expect(stages(repo)).toEqual([]);
    repo.git('worktree', 'add', '-q', '../tree');
    expect(session(repo, 'bob', join(repo.top, '../tree')).env['COORD_STAGE']).toContain(
      '/.git/worktrees/tree/coord/stages/',
    );
  });

  test('it is born with what HEAD holds, also while a person has something staged, which stays', () => {
    const repo = checkout();
    repo.write('src/e', 'a person\n');
    repo.git('add', 'src/e');
    const ann = session(repo, 'ann');
    expect(ann.git('diff', '--cached', '--name-only').stdout).toBe('');
    expect(repo.git('diff', '--cached', '--name-only')).toBe('src/e\n');
  });

  test('one that holds staged work is kept when its session ends, and how it comes back is said', () => {
    const { repo, ann } = scene();
    const ended = ann.run(
      process.execPath,
      join(import.meta.dirname, '../../dist/coord.cjs'),
      'session',
      'end',
    );
    const [, id = ''] = /coord rescue show ([0-9a-z]{8}\/\d+)/.exec(ended.stderr) ?? [];
    repo.git('gc', '-q', '--prune=now');
    expect(repo.coord(null, 'rescue', 'show', id).json['files']).toMatchObject([{ path: 'src/a' }]);
  });

  test('an unborn repository and one without an index have stages too', () => {
    const repo = checkout();
    repo.git('switch', '-q', '--orphan', 'new');
    const ann = session(repo, 'ann');
    repo.write('first', 'x');
    expect(ann.git('add', 'first')).toMatchObject({ code: 0 });
    expect(ann.git('commit', '-q', '-m', 'first')).toMatchObject({ code: 0 });
    expect(repo.git('ls-tree', '-r', '--name-only', 'HEAD')).toBe('first\n');
    ann.edit('first');
    expect(ann.git('commit', '-q', '-m', 'second')).toMatchObject({ code: 0 });
  });
});

describe('the stage comes to HEAD by its own session alone [SYS-1]', () => {
  test('a commit of one starts nothing for the others, whose next command brings theirs along [I-4]', () => {
    const repo = checkout();
    const [ann, bob] = [session(repo, 'ann'), session(repo, 'bob')];
    const base = (who: Session): string =>
      readFileSync(join(who.env['COORD_STAGE'] ?? '', '../base'), 'utf8').split('\n')[0] ?? '';
    const before = base(bob);
    ann.edit('src/a');
    ann.git('commit', '-q', '-m', 'x');
    expect(base(bob)).toEqual(before);
    expect(base(ann)).toEqual(repo.git('rev-parse', 'HEAD').trim());
    expect(
      repo
        .coord(null, 'status')
        .json['stages'].map(({ agent, behind }: { agent: { name: string }; behind: boolean }) => [
          agent.name,
          behind,
        ])
        .sort(),
    ).toEqual([
      ['ann', false],
      ['bob', true],
    ]);
    bob.edit('src/b');
    expect(base(bob)).toBe(base(ann));
  });
});

test('a file that was changed within one tick of the clock, to the same size, is seen to be changed by a stage born from a copy', () => {
  const repo = checkout();
  const [file, index] = [join(repo.top, 'src/a'), join(repo.top, '.git/index')];
  const tick = 1_700_000_000;
  utimesSync(file, tick, tick);
  repo.git('add', 'src/a');
  repo.git('update-index', '--refresh');
  writeFileSync(file, readFileSync(file, 'utf8').replace('a 0', 'b 0'));
  utimesSync(file, tick, tick);
  utimesSync(index, tick, tick);
  const ann = session(repo, 'ann');
  expect(ann.git('add', 'src/a')).toMatchObject({ code: 0 });
  expect(ann.git('diff', '--cached', '--name-only').stdout).toBe('src/a\n');
});
