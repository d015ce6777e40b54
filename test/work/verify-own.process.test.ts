/** A command on one's own work, in a folder of its own: what it finds there, and what stays. */
import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { gated, missing, story, tree } from '../support/gated.ts';
import { call, connected } from '../support/mcp-client.ts';
import { eventually, repository, temporaryFolder } from '../support/repository.ts';
import { session } from '../support/sessions.ts';

const own = ['verify', '--own', '--', 'sh', 'test.sh'];

describe('verify --own', () => {
  test("passes beside another's half-done edit, and the commit of that work passes the gate without another run", () => {
    const { repo, ann } = story();
    const bob = session(repo, 'bob');
    ann.coord('claim', 'bd-1');
    ann.edit('src/a');
    bob.coord('reserve', 'broken');
    repo.write('broken');
    expect(ann.coord('verify', '--', 'sh', 'test.sh').code).toBe(1);
    const ran = ann.coord(...own);
    expect(ran).toMatchObject({
      code: 0,
      json: { own: ['src/a'], leftOut: [{ path: 'broken', agent: { name: 'bob' } }] },
    });
    expect(ann.git('commit', '-q', '-m', 'work').code).toBe(0);
    expect(ran.json['evidence'].tree).toBe(tree(repo));
    expect(ann.coord('gate', 'HEAD')).toMatchObject({ code: 0, json: { result: 'passed' } });
    expect(ann.coord(...own).json['result']).toBe('already');
    // What bob has is another matter.
    expect(bob.coord(...own).code).toBe(1);
  });

  test('is evidence for what was run: more work since is told, work of others is nothing to it', () => {
    const { repo, ann } = story();
    const bob = session(repo, 'bob');
    bob.coord('reserve', 'src/of-bob');
    ann.edit('src/a');
    const during = (command: string): ReturnType<typeof ann.coord> =>
      ann.coord('verify', '--own', '--', 'sh', '-c', `cd '${repo.top}'; ${command}`);
    const beside = during('echo half > src/of-bob');
    expect(beside).toMatchObject({ code: 0, json: { recorded: true } });
    expect(beside.json['since']).toBeUndefined();
    const more = during('echo more >> src/a');
    expect(more).toMatchObject({ code: 0, json: { recorded: true, since: 'work' } });
    expect(more.json['evidence'].tree).toBe(beside.json['evidence'].tree);
    const moved = during('git commit -q --allow-empty -m next -- && git reset -q --soft HEAD');
    expect(moved).toMatchObject({ code: 0, json: { recorded: true } });
    bob.edit('src/of-bob');
    const committed = during(
      "unset COORD_AGENT COORD_STAGE COORD_SESSION; echo x > person; git add person && git commit -q -m 'of a person'",
    );
    expect(committed).toMatchObject({ code: 0, json: { recorded: true, since: 'head' } });
    ann.git('commit', '-q', '-a', '-m', 'all of it');
    expect(missing(ann.coord('gate'))).toContain('evidence');
  });

  test('a command that changes what is tested makes it evidence for nothing, also where it commits that', () => {
    const { repo, ann } = story();
    for (const change of [
      'echo >> src/a',
      'echo > new; git add -A; git commit -q -m x',
      'rm src/a',
    ])
      expect(ann.coord('verify', '--own', '--', 'sh', '-c', change), change).toMatchObject({
        code: 75,
        json: { recorded: false },
      });
    expect(repo.git('for-each-ref', 'refs/notes')).toBe('');
    expect(
      ann.coord('verify', '--own', '--', 'sh', '-c', 'echo more >> runs').json['recorded'],
    ).toBe(true);
  });

  test('git finds HEAD, branch, tags, files and configuration there, and whatever it does stays there', () => {
    const { repo, ann } = story();
    repo.git('tag', '-a', '-m', 'one', 'v1');
    repo.git('branch', 'other');
    repo.git('config', 'some.key', 'value');
    repo.write('.git/info/exclude', 'excluded\n');
    ann.edit('src/a');
    const asks = [
      'rev-parse HEAD',
      'describe --dirty',
      'symbolic-ref HEAD',
      'branch',
      'config some.key',
      'ls-files',
      'status --porcelain',
      'log --format=%s',
    ];
    const asked = asks.map((ask) => `git ${ask}`).join('; ');
    const text = ann.run(
      process.execPath,
      join(import.meta.dirname, '../../dist/coord.cjs'),
      'verify',
      '--own',
      '--',
      'sh',
      '-c',
      `touch excluded; env | grep -c -e ^GIT_DIR -e ^GIT_INDEX_FILE; pwd -P | sed "s,$PWD,same,"; ${asked}`,
    );
    expect({ code: text.code, stdout: text.stdout }).toEqual({
      code: 0,
      stdout: [
        '0',
        'same',
        repo.git('rev-parse', 'HEAD').trim(),
        'v1-dirty',
        'refs/heads/main',
        '* main\n  other',
        'value',
        repo.git('ls-files').trim(),
        'M  src/a',
        'base\nfirst\n',
      ].join('\n'),
    });
    repo.write('.git/mine/pre-commit', '#!/bin/sh\nexit 1\n');
    chmodSync(join(repo.top, '.git/mine/pre-commit'), 0o755);
    repo.git('config', 'core.hooksPath', join(repo.top, '.git/mine'));
    const before = [
      repo.git('for-each-ref', 'refs/heads', 'refs/tags', 'refs/stash'),
      repo.git('config', '--list'),
      repo.git('reflog'),
    ];
    const acts = [
      'config some.key changed',
      'commit -q -m inside',
      'branch -f other HEAD',
      'tag v2',
      'switch -q -c third',
      'stash -q',
      'update-ref refs/heads/main HEAD~1',
      'worktree prune',
      'reset -q --hard v1',
      'gc -q --prune=now',
    ];
    const acting = `echo >> src/a; ${acts.map((act) => `git ${act} || exit 9`).join('; ')}`;
    expect(ann.coord('verify', '--own', '--', 'sh', '-c', acting).code).not.toBe(9);
    expect([
      repo.git('for-each-ref', 'refs/heads', 'refs/tags', 'refs/stash'),
      repo.git('config', '--list'),
      repo.git('reflog'),
    ]).toEqual(before);
    expect(repo.coord(null, 'status').json['leases']).toMatchObject([]);
    expect(repo.git('fsck', '--strict', '--no-dangling')).toBe('');
  });

  test('a repository of another kind has one of that kind there', () => {
    const [separate, other] = [repository(), repository({ init: ['--object-format=sha256'] })];
    separate.git('init', '-q', '--separate-git-dir=../elsewhere');
    separate.git('config', 'core.worktree', separate.top);
    for (const repo of [separate, other]) {
      repo.write('new', 'new\n');
      expect(
        repo.coord(null, 'verify', '--own', '--', 'sh', '-c', 'git rev-parse HEAD && git status'),
      ).toMatchObject({ code: 0, json: { recorded: true, own: ['new'] } });
    }
  });

  test('node_modules is linked, and a package of the repository in it is the one that is tested', () => {
    const repo = gated();
    repo.write('packages/p/index', 'as committed\n');
    repo.write('.gitignore', 'node_modules/\n');
    repo.git('add', '.');
    repo.git('commit', '-q', '-m', 'packages');
    for (const name of ['left', '@far/right', '.bin/tool'])
      repo.write(`node_modules/${name}`, 'installed\n');
    repo.write('packages/p/node_modules/inner', 'installed\n');
    symlinkSync('../packages/p', join(repo.top, 'node_modules/p'));
    symlinkSync('../../packages/p', join(repo.top, 'node_modules/@far/p'));
    symlinkSync('../p/index', join(repo.top, 'node_modules/.bin/p'));
    symlinkSync('left', join(repo.top, 'node_modules/again'));
    repo.coord('bob', 'reserve', 'packages/');
    repo.write('packages/p/index', 'half done\n');
    const look =
      'cat node_modules/p/index node_modules/@far/p/index node_modules/.bin/p node_modules/left node_modules/again node_modules/@far/right node_modules/.bin/tool node_modules/p/node_modules/inner';
    const ran = repo.text('ann', 'verify', '--own', '--', 'sh', '-c', look);
    expect(ran).toMatchObject({
      code: 0,
      stdout: `${'as committed\n'.repeat(3)}${'installed\n'.repeat(5)}`,
      stderr: expect.stringContaining('linked node_modules, packages/p/node_modules'),
    });
  });

  test('coord.verifyLink says what is linked; nothing is from outside, or written there', () => {
    const repo = gated();
    const outside = temporaryFolder();
    repo.write('.gitignore', 'cache\nbuild\nout\nnode_modules\nkept\n.env*\n');
    repo.write('.worktreeinclude', '.env*\n!.env.not\nsrc/tracked\nnot-ignored\nlinked/*\n');
    for (const path of ['src/tracked', 'deep/tracked']) repo.write(path, 'committed\n');
    symlinkSync(outside, join(repo.top, 'linked'));
    repo.git('add', '.');
    repo.git('commit', '-q', '-m', 'links');
    for (const path of [
      'cache/a',
      'deep/build/b',
      'of-nobody/build/b',
      'node_modules/n',
      '.env',
      '.env.not',
      'not-ignored',
    ])
      repo.write(path, 'here\n');
    symlinkSync(outside, join(repo.top, 'out'));
    symlinkSync(join(outside, 'secret'), join(repo.top, '.env.link'));
    // As it is committed this leads out; somebody is making a folder of it.
    repo.coord('bob', 'reserve', 'linked/');
    rmSync(join(repo.top, 'linked'));
    for (const path of ['linked/.env', 'linked/build/b']) repo.write(path, 'here\n');
    repo.git('config', '--add', 'coord.verifyLink', '{cache,out}');
    repo.git('config', '--add', 'coord.verifyLink', '**/build kept');
    const ran = repo.coord(
      'ann',
      'verify',
      '--own',
      '--',
      'sh',
      '-c',
      'cat cache/a deep/build/b .env; ! test -e node_modules && ! test -e .env.not && ! test -e not-ignored && ! test -L .env.link && ! test -L out',
    );
    expect(ran).toMatchObject({
      code: 0,
      json: {
        linked: ['cache', 'deep/build'],
        notLinked: [
          { path: 'linked/build', why: expect.stringContaining('behind a link') },
          { path: 'out', why: expect.stringContaining('out of the repository') },
        ],
        copied: ['.env'],
        recorded: true,
      },
    });
    expect(readdirSync(outside)).toEqual([]);
    const link = (path: string): number =>
      repo.coord('ann', 'verify', '--own', '--force', '--link', path, '--', 'true').code;
    expect(['node_modules', 'out', 'linked', 'none', '../x', '/etc', '.'].map(link)).toEqual([
      0, 64, 64, 64, 64, 64, 64,
    ]);
    expect(repo.coord('ann', 'verify', '--own', '--at', 'HEAD', '--', 'true').code).toBe(64);
    expect(repo.coord('ann', 'doctor').code).toBe(0);
  });

  test(
    'the folder goes with the run, and after a kill with the next one',
    { timeout: 60_000 },
    async () => {
      const repo = gated();
      const temporary = temporaryFolder();
      const places = (): readonly string[] =>
        readdirSync(temporary).filter((name) => name.startsWith('coord-verify-'));
      const run = (...command: string[]): ReturnType<typeof repo.start> =>
        repo.start('ann', ['verify', '--own', '--force', '--', ...command], { TMPDIR: temporary });
      expect((await run('sh', '-c', 'exit 42').ended).code).toBe(42);
      expect((await run('no-such-program').ended).code).toBe(127);
      expect(places()).toEqual([]);
      const pid = join(repo.top, '.git/pid');
      const killed = run('sh', '-c', `echo $$ > '${pid}'; exec sleep 1000`);
      await eventually('it runs', () => existsSync(pid) && readFileSync(pid, 'utf8') !== '');
      killed.child.kill('SIGKILL');
      await killed.ended;
      process.kill(Number(readFileSync(pid, 'utf8')), 'SIGTERM');
      expect(places()).toHaveLength(1);
      // One that runs is left alone.
      rmSync(pid);
      const living = repo.start(
        'bob',
        ['verify', '--own', '--lock', 'b', '--', 'sh', '-c', `echo $$ > '${pid}'; exec sleep 1000`],
        { TMPDIR: temporary },
      );
      await eventually('it runs', () => existsSync(pid) && readFileSync(pid, 'utf8') !== '');
      expect(places()).toHaveLength(1);
      expect((await run('true').ended).code).toBe(0);
      expect(places()).toHaveLength(1);
      living.child.kill('SIGTERM');
      expect((await living.ended).code).toBe(143);
      expect(places()).toEqual([]);
    },
  );

  test('a client has it too', async () => {
    const repo = gated();
    const ann = await connected(repo, { COORD_AGENT: 'ann' });
    repo.coord('bob', 'reserve', 'broken');
    repo.write('broken');
    expect(await call(ann, 'verify', { command: ['sh', 'test.sh'], own: true })).toMatchObject({
      isError: false,
      said: { exit: 0, recorded: true, leftOut: [{ path: 'broken' }] },
    });
  });
});
