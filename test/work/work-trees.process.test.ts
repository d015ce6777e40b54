/** Units of work in work trees of their own: begun, gone on with, finished, given up. */
import { chmodSync, existsSync, lstatSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Environment, type Ran, said, type TestRepository } from '../support/repository.ts';
import { refused, went } from '../support/scene.ts';
import { checkout, ranIn, session } from '../support/sessions.ts';
import { pictureOf, seenIn, worksIn } from '../support/work-trees.ts';

interface Work {
  readonly ran: Ran;
  readonly tree: TestRepository;
  readonly env: Environment;
  git(...args: string[]): Ran;
  coord(...args: string[]): Ran;
}

/** As its agent works there: in the environment that `work start` prints. */
function begin(repo: TestRepository, agent: string | null, ...args: string[]): Work {
  const ran = repo.coord(agent, 'work', 'start', ...args);
  expect(ran).toMatchObject({ code: 0 });
  return inWork(repo, ran);
}

function inWork(repo: TestRepository, ran: Ran): Work {
  const tree = seenIn(repo, ran.json['path']);
  const env: Environment = { ...repo.env, ...ran.json['env'] };
  return {
    ran,
    tree,
    env,
    git: (...args) => ranIn(tree.top, env, 'git', args),
    coord: (...args) => said(tree.top, env, ['--json', ...args]),
  };
}

function start(): TestRepository {
  const repo = checkout();
  writeFileSync(join(repo.top, '.git/info/exclude'), '.env\nnode_modules\nbuild\n');
  return repo;
}

describe('coord work start', () => {
  test('claims a bead, on a branch that counts its attempts, with a session and its index', () => {
    const repo = start();
    const { ran, tree, env, git } = begin(repo, 'ann', 'bd-1');
    expect(ran.json).toMatchObject({
      result: 'started',
      bead: 'bd-1',
      branch: 'coord/bd-1/1',
      attempt: 1,
      agent: { name: 'ann' },
    });
    expect(tree.top).toBe(join(repo.top, '../repo.work/bd-1-1'));
    expect(env['COORD_STAGE']).toMatch(/worktrees\/bd-1-1\/coord\/stages\//);
    expect(repo.coord('bob', 'claim', 'bd-1').json['refusal']).toMatchObject({ kind: 'held' });
    tree.write('src/a', 'of ann\n');
    went(git('commit', '-q', '-a', '-m', 'of ann', '-m', 'Bead: bd-1'));
    expect(tree.git('log', '-1', '--format=%(trailers:key=Coord-Agent,valueonly)')).toMatch(/^ann/);
    expect(
      begin(repo, 'bob', 'bd-2', '--from', 'coord/bd-1/1')
        .tree.git('log', '-1', '--format=%s')
        .trim(),
    ).toBe('of ann');
  });

  test('said again it is the same work tree', () => {
    const repo = start();
    const ann = begin(repo, 'ann', 'bd-1');
    expect(ann.coord('work', 'start', 'bd-1').json).toMatchObject({
      result: 'kept',
      path: ann.tree.top,
    });
    expect(repo.git('worktree', 'list').trim().split('\n')).toHaveLength(2);
  });

  test('a bead of another has no work tree, and a commit that is none leaves nothing behind', () => {
    const repo = start();
    begin(repo, 'ann', 'bd-1');
    const second = repo.coord('bob', 'work', 'start', 'bd-1');
    expect(second).toMatchObject({ code: 1, json: { refusal: { kind: 'held' } } });
    expect(repo.coord('bob', 'work', 'start', 'bd-2', '--from', 'nowhere').code).toBe(64);
    expect(repo.coord('bob', 'claim', 'bd-2').code).toBe(0);
    expect(repo.git('branch', '--list', 'coord/bd-2/*')).toBe('');
  });

  test('what git ignores comes along as the team says: copied, linked, or not at all', () => {
    const repo = start();
    repo.write('.env', 'SECRET=1\n');
    chmodSync(join(repo.top, '.env'), 0o600);
    repo.write('build/out.js', 'built\n');
    repo.write('packages/a/node_modules/dep/index.js', 'dep\n');
    repo.write('packages/a/package.json', '{}\n');
    repo.write('.coord.json', JSON.stringify({ workCopy: ['.env'] }));
    repo.git('add', '-A');
    repo.git('commit', '-q', '-m', 'team');
    const { tree, ran } = begin(repo, 'ann', 'bd-1');
    expect(ran.json).toMatchObject({ copied: ['.env'], linked: ['packages/a/node_modules'] });
    expect(readFileSync(join(tree.top, '.env'), 'utf8')).toBe('SECRET=1\n');
    expect(lstatSync(join(tree.top, '.env')).mode & 0o777).toBe(0o600);
    expect(readFileSync(join(tree.top, 'packages/a/node_modules/dep/index.js'), 'utf8')).toBe(
      'dep\n',
    );
    expect(existsSync(join(tree.top, 'build'))).toBe(false);
    expect(tree.git('status', '--porcelain')).toBe('');
  });

  test.for([['/etc'], ['../elsewhere'], ['a/../../b']])('the team cannot bring %s', ([
    path = '',
  ]) => {
    const repo = start();
    repo.write('.coord.json', JSON.stringify({ workCopy: [path] }));
    repo.git('add', '.coord.json');
    const { problems } = repo.coord(null, 'doctor').json as { problems?: unknown };
    expect(problems).toBeUndefined();
    const { tree, ran } = begin(repo, 'ann', 'bd-1');
    expect(ran.json['copied']).toEqual([]);
    expect(existsSync(join(tree.top, 'etc'))).toBe(false);
  });

  test("the team's command runs only where its user allows that very one", () => {
    const repo = start();
    repo.write(
      '.coord.json',
      JSON.stringify({ workRun: 'echo $PORT > made', workPools: 'PORT=4000-4001' }),
    );
    repo.git('add', '-A');
    repo.git('commit', '-q', '-m', 'team');
    const one = begin(repo, 'ann', 'bd-1');
    expect(one.ran.json['run']).toEqual({ command: 'echo $PORT > made', came: 'not_allowed' });
    expect(existsSync(join(one.tree.top, 'made'))).toBe(false);
    repo.git('config', '--add', 'coord.allow', 'echo $PORT > made || true');
    repo.git('config', '--add', 'coord.allow', 'echo $PORT > made');
    const two = begin(repo, 'bob', 'bd-2');
    expect(two.ran.json['run']).toMatchObject({ came: 'ran' });
    expect(readFileSync(join(two.tree.top, 'made'), 'utf8')).toBe('4001\n');
  });

  test('each work tree has its own of a pool, and gives it back', () => {
    const repo = start();
    repo.git('config', 'coord.workPools', 'PORT=4000-4001; DB=one,two,three');
    const [one, two] = [begin(repo, 'ann', 'bd-1'), begin(repo, 'bob', 'bd-2')];
    expect(one.ran.json['pools']).toEqual({ PORT: '4000', DB: 'one' });
    expect(two.ran.json['pools']).toEqual({ PORT: '4001', DB: 'two' });
    const third = repo.coord('eve', 'work', 'start', 'bd-3');
    expect(third).toMatchObject({ code: 75, json: { error: { code: 'busy' } } });
    // Nothing of it is left: neither the claim nor the other pool.
    expect(repo.coord('zoe', 'claim', 'bd-3').code).toBe(0);
    one.tree.git('commit', '-q', '--allow-empty', '-m', 'done', '-m', 'Bead: bd-1');
    went(one.coord('work', 'finish'));
    expect(begin(repo, 'eve', 'bd-4').ran.json['pools']).toMatchObject({ PORT: '4000' });
  });

  test('what is done there takes no lease and waits for none', () => {
    const repo = start();
    const bob = session(repo, 'bob');
    went(bob.coord('reserve', 'src'));
    const ann = begin(repo, 'ann', 'bd-1');
    ann.tree.write('src/a', 'of ann\n');
    went(ann.git('commit', '-q', '-a', '-m', 'of ann'));
    expect(ann.tree.git('log', '-1', '--name-only', '--format=').trim()).toBe('src/a');
    went(ann.git('rm', '-q', 'src/b'));
    went(ann.git('checkout', '-q', 'HEAD', '--', 'src/b'));
    const eve = session(repo, 'eve');
    eve.edit('src/a');
    refused(eve.git('commit', '-q', '-m', 'of eve'), 'src/a is held by bob');
  });
});

describe('coord work finish', () => {
  test('its bead is done, its branch stays, its folder goes', () => {
    const repo = start();
    const ann = begin(repo, 'ann', 'bd-1');
    ann.tree.write('src/a', 'of ann\n');
    went(ann.git('commit', '-q', '-a', '-m', 'of ann', '-m', 'Bead: bd-1'));
    const ended = said(repo.top, ann.env, ['--json', 'work', 'finish', 'bd-1']);
    expect(ended).toMatchObject({
      code: 0,
      json: { removed: true, kept: [], next: 'git merge coord/bd-1/1' },
    });
    expect(existsSync(ann.tree.top)).toBe(false);
    expect(repo.git('worktree', 'list').trim().split('\n')).toHaveLength(1);
    expect(repo.coord('bob', 'claim', 'bd-1').json['refusal']).toMatchObject({ kind: 'bead_done' });
    repo.git('merge', '-q', 'coord/bd-1/1');
  });

  test('what is not committed stops it, whoever has staged it', () => {
    const repo = start();
    const ann = begin(repo, 'ann', 'bd-1');
    ann.tree.write('new', 'x');
    const ran = ann.coord('work', 'finish');
    expect(ran).toMatchObject({ code: 1, json: { refusal: { kind: 'dirty' }, files: 1 } });
    expect(existsSync(join(ann.tree.top, 'new'))).toBe(true);
    expect(repo.coord('bob', 'claim', 'bd-1').json['refusal']).toMatchObject({ kind: 'held' });
  });

  test('while somebody is in it the folder stays, and goes after that', async () => {
    const repo = start();
    const ann = begin(repo, 'ann', 'bd-1');
    const someone = await worksIn(ann.tree.top);
    const wish = ['work', 'finish', 'bd-1', '--no-change', '--reason', 'nothing to do'];
    const ended = said(repo.top, ann.env, ['--json', ...wish]);
    expect(ended).toMatchObject({ code: 0, json: { removed: false } });
    expect(existsSync(ann.tree.top)).toBe(true);
    await someone.leave();
    expect(said(repo.top, ann.env, ['--json', ...wish])).toMatchObject({
      code: 0,
      json: { removed: true },
    });
  });
});

describe('work that somebody has left', () => {
  test('is gone on with where it is, by whoever adopts it', () => {
    const repo = start();
    const ann = begin(repo, 'ann', 'bd-1');
    ann.tree.write('src/a', 'half done\n');
    expect(repo.coord('bob', 'work', 'adopt', 'bd-1').json['refusal']).toMatchObject({
      kind: 'held',
    });
    went(ann.coord('session', 'end'));
    const bob = inWork(repo, repo.coord('bob', 'work', 'adopt', 'bd-1'));
    expect(bob.ran.json).toMatchObject({ result: 'adopted', path: ann.tree.top });
    went(bob.git('commit', '-q', '-a', '-m', 'of bob', '-m', 'Bead: bd-1'));
    expect(bob.tree.git('show', '--format=', '--name-only').trim()).toBe('src/a');
  });

  test('is abandoned with all of it kept, and restored byte for byte', () => {
    const repo = start();
    const ann = begin(repo, 'ann', 'bd-1');
    ann.tree.write('src/a', 'committed\n');
    went(ann.git('commit', '-q', '-a', '-m', 'of ann'));
    ann.tree.write('src/b', 'half done\n');
    ann.tree.write('.env', 'SECRET=2\n');
    const [before, head] = [pictureOf(ann.tree.top), ann.tree.git('rev-parse', 'HEAD').trim()];
    const ended = said(repo.top, ann.env, ['--json', 'work', 'abandon', 'bd-1']);
    expect(ended).toMatchObject({ code: 0, json: { removed: true } });
    expect(existsSync(ann.tree.top)).toBe(false);
    expect(repo.git('branch', '--list', 'coord/*')).toBe('');
    expect(repo.coord('bob', 'claim', 'bd-1').code).toBe(0);
    const listed = repo.coord(null, 'rescue', 'list').json['workTrees'] as { id: string }[];
    expect(listed).toHaveLength(2);
    expect(repo.coord(null, 'work', 'restore', 'coord/bd-1/1').code).toBe(0);
    expect(repo.coord(null, 'work', 'restore', ann.tree.top).code).toBe(0);
    expect(pictureOf(ann.tree.top)).toEqual(before);
    expect(ann.tree.git('rev-parse', 'HEAD').trim()).toBe(head);
    expect(repo.coord(null, 'rescue', 'list').json['workTrees']).toEqual([]);
  });

  test('a second attempt has a number of its own', () => {
    const repo = start();
    const ann = begin(repo, 'ann', 'bd-1');
    went(said(repo.top, ann.env, ['--json', 'work', 'abandon', 'bd-1']));
    // Somebody has put something where it was.
    ann.tree.write('x');
    expect(begin(repo, 'bob', 'bd-1').ran.json).toMatchObject({ attempt: 2 });
    const bob = begin(repo, 'eve', 'bd-2');
    bob.tree.write('src/a', 'x\n');
    went(bob.git('commit', '-q', '-a', '-m', 'of eve'));
    went(said(repo.top, bob.env, ['--json', 'work', 'abandon', 'bd-2']));
    expect(begin(repo, 'zoe', 'bd-2').ran.json).toMatchObject({
      attempt: 2,
      branch: 'coord/bd-2/2',
    });
  });
});

test('what is kept is dropped by sweep alone, past its time, and said', () => {
  const repo = start();
  const ann = begin(repo, 'ann', 'bd-1');
  ann.tree.write('new', 'x');
  went(said(repo.top, ann.env, ['--json', 'work', 'abandon', 'bd-1']));
  expect(repo.text(null, 'sweep').stderr).not.toContain('dropped');
  const [row = ''] = repo.git('for-each-ref', 'refs/coord/quarantine').trim().split('\n');
  const [, , ref = ''] = row.split(/[ \t]/);
  const commit = repo.git('cat-file', 'commit', ref).replace(/> \d+ /g, '> 1000000000 ');
  const old = ranIn(repo.top, repo.env, 'sh', [
    '-c',
    `printf '%s' "$0" | git hash-object -t commit -w --stdin`,
    commit,
  ]);
  repo.git('update-ref', ref, old.stdout.trim());
  const swept = repo.text(null, 'sweep');
  expect(swept.stderr).toContain('dropped what was kept of');
  expect(repo.git('for-each-ref', 'refs/coord/quarantine')).toBe('');
});
