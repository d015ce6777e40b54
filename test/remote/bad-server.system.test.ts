/**
 * Servers and remotes that are no use, or not what they seem: each is named, nothing is granted by
 * it, and the log here stays the truth. Needs: nginx, fcgiwrap, sshd, namespaces.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { clone, clones, served } from '../support/clones.ts';
import { forged } from '../support/forgery.ts';
import { executable } from '../support/gate.ts';
import { coordProgram, repository, type TestRepository } from '../support/repository.ts';
import {
  type GitServer,
  neverAnswering,
  redirecting,
  serve,
  speakingRubbish,
} from '../support/servers.ts';

const timeout = 120_000;

/**
 * Refused with these words, by set and by probe; the log here goes on, and no file of the
 * repository has changed.
 */
function isNoUse(repo: TestRepository, code: string | RegExp, says: RegExp, hint?: RegExp): void {
  expect(repo.coord('alice', 'reserve', 'src/a.ts').code).toBe(0);
  const config = repo.git('config', '--local', '--list');
  const refs = repo.git('for-each-ref');
  for (const args of [
    ['remote', 'set', 'origin', '--move'],
    ['remote', 'set', 'origin'],
  ]) {
    const set = repo.coord('alice', ...args);
    if (set.json['refusal']?.kind === 'live_leases') continue;
    expect(set.code === 69 || set.code === 64 || set.code === 75).toBe(true);
    expect(set.json['error']?.code).toEqual(expect.stringMatching(code));
    expect(set.json['error'].message).toMatch(says);
    if (hint !== undefined) expect(set.json['error'].hint).toMatch(hint);
  }
  expect(repo.git('config', '--local', '--list')).toEqual(config);
  expect(repo.git('for-each-ref')).toEqual(refs);
  expect(repo.coord('bob', 'reserve', 'src/a.ts').json['blockers'][0].agent.name).toBe('alice');
  expect(repo.coord('bob', 'reserve', 'src/b.ts').code).toBe(0);
  expect(repo.git('fsck', '--strict', '--no-dangling')).toBe('');
}

function at(url: string, env: GitServer['env'] = {}): TestRepository {
  return clone({ url, env } as GitServer);
}

function probed(repo: TestRepository, ...args: readonly string[]): Readonly<Record<string, any>> {
  return repo.coord(null, 'remote', 'probe', 'origin', ...args).json;
}

describe('a server that', () => {
  test('takes branches and tags only is said to, and takes the log as a branch', {
    timeout,
  }, async () => {
    const server = await serve('http');
    executable(
      join(server.folder, 'hooks/update'),
      '#!/bin/sh\ncase $1 in refs/heads/* | refs/tags/*) exit 0 ;; esac\necho "refusing to create funny ref $1" >&2\nexit 1\n',
    );
    const repo = clone(server);
    isNoUse(repo, 'arbiter_refused', /refuses it|does not take/);
    expect(probed(repo)).toMatchObject({ ok: false, result: 'unfit', customRefs: false });
    const asBranch = repo.coord(
      null,
      'remote',
      'set',
      'origin',
      '--move',
      '--ref',
      'refs/heads/coord/log',
    );
    expect(asBranch.json['result']).toBe('set');
    expect(repo.coord('carol', 'reserve', 'src/a.ts').json['blockers'][0].agent.name).toBe('alice');
    expect(probed(clone(server), '--ref', 'refs/heads/coord/log')).toMatchObject({
      ok: true,
      customRefs: true,
    });
    expect(served(server, repo).git('for-each-ref', '--format=%(refname)')).toBe(
      'refs/heads/coord/log\n',
    );
  });

  test('hides its refs of coord', { timeout }, async () => {
    const server = await serve('http');
    served(server, clone(server)).git('config', 'transfer.hideRefs', 'refs/coord');
    const repo = clone(server);
    isNoUse(repo, 'arbiter_refused', /hides the ref/, /--ref refs\/heads\/coord\/log/);
    expect(probed(repo)).toMatchObject({ ok: false, customRefs: false });
  });

  test('does not change two refs at once: the log works, and push says that it would be no fence', {
    timeout,
  }, async () => {
    const server = await serve('http');
    const [repo] = clones(server, 1) as [TestRepository];
    served(server, repo).git('config', 'receive.advertiseAtomic', 'false');
    expect(repo.coord('alice', 'reserve', 'src/').code).toBe(0);
    expect(probed(repo)).toMatchObject({ ok: false, atomic: false, customRefs: true });
    repo.write('src/a.ts', 'a\n');
    repo.git('add', '.');
    repo.git('commit', '-q', '-m', 'a');
    const pushed = repo.coord('alice', 'push');
    expect(pushed.code).toBe(69);
    expect(pushed.json['error'].code).toBe('arbiter_refused');
    expect(pushed.json['error'].message).toEqual(expect.stringMatching(/two refs at once/));
    expect(served(server, repo).git('for-each-ref', 'refs/heads')).toBe('');
  });

  test('wants credentials that are not there', { timeout }, async () => {
    const server = await serve('http');
    for (const url of [
      server.url.replace(/\/\/[^@]*@/, '//'),
      server.url.replace(/:[0-9a-f]{24}@/, ':wrong@'),
    ]) {
      const repo = at(url);
      isNoUse(repo, 'arbiter_refused', /wants credentials/, /git fetch origin/);
      // No secret of a URL is repeated.
      expect(
        JSON.stringify(repo.coord('alice', 'remote', 'set', 'origin', '--move').json),
      ).not.toMatch(/wrong@|tester:/);
    }
    const { url, env } = await serve('ssh');
    const known = (env['GIT_SSH_COMMAND'] ?? '').replace(/ -i \S+/, ' -i /nowhere/key');
    isNoUse(at(url, { GIT_SSH_COMMAND: known }), 'arbiter_refused', /wants credentials/);
  });

  test('sends elsewhere: it is not followed', { timeout }, async () => {
    const server = await serve('http');
    const other = await redirecting(server.url.replace(/\/repo\.git$/, ''));
    isNoUse(
      at(`${other.url}/repo.git`),
      'arbiter_refused',
      /sends elsewhere/,
      /git remote set-url/,
    );
  });

  test('speaks rubbish', { timeout }, async () => {
    for (const words of [
      '<html>\nPlease log in to this network.\n</html>\n',
      '001e# service=git-upload-pack\n0000zzzz',
      '\u001b[31mred\u0007\n',
    ]) {
      const rubbish = await speakingRubbish(words);
      isNoUse(
        at(`${rubbish.url}/repo.git`),
        /arbiter_refused|arbiter_unreachable/,
        /speak git|cannot be reached|no such repository/,
      );
    }
  });

  test('is not there, or has no such repository', { timeout }, async () => {
    const server = await serve('http');
    isNoUse(
      at(server.url.replace('repo.git', 'other.git')),
      'arbiter_refused',
      /no such repository/,
      /git remote get-url/,
    );
    await server.stop();
    isNoUse(at(server.url), 'arbiter_unreachable', /cannot be reached/);
  });

  test('takes the call and says nothing: it is given up in time', { timeout }, async () => {
    const mute = await neverAnswering();
    const repo = at(`${mute.url}/repo.git`);
    const set = await repo.start('alice', ['remote', 'set', 'origin']).ended;
    expect(set.code).toBe(75);
    expect(set.json['error']?.code).toBe('arbiter_unreachable');
    expect(repo.coord('alice', 'reserve', 'src/a.ts').code).toBe(0);
  });

  test('has a disk that is full: nothing is granted, and once there is room again all is as before', {
    timeout,
  }, async () => {
    const server = await serve('file');
    const [repo] = clones(server, 1) as [TestRepository];
    expect(repo.coord('alice', 'reserve', 'src/a.ts').code).toBe(0);
    // The same server on a disk of its own that has no room left, for this one command.
    const script = `mount -t tmpfs -o size=400k none '${server.folder}-full' && cp -r '${server.folder}/.' '${server.folder}-full' && (cat /dev/zero >'${server.folder}-full/filler' 2>/dev/null || true) && mount --bind '${server.folder}-full' '${server.folder}' && exec "$@"`;
    execFileSync('mkdir', [`${server.folder}-full`]);
    const full = spawnSync(
      'unshare',
      [
        '-rm',
        'sh',
        '-c',
        script,
        'sh',
        process.execPath,
        coordProgram,
        '--agent',
        'bob',
        '--json',
        'reserve',
        'src/b.ts',
      ],
      { cwd: repo.top, env: repo.env, encoding: 'utf8' },
    );
    expect({ status: full.status, error: JSON.parse(full.stdout).error }).toMatchObject({
      status: 69,
      error: { code: 'arbiter_refused', message: expect.stringMatching(/could not store it/) },
    });
    expect(repo.coord('bob', 'reserve', 'src/a.ts').json['blockers'][0].agent.name).toBe('alice');
    expect(repo.coord('bob', 'reserve', 'src/b.ts').code).toBe(0);
  });
});

describe('a remote', () => {
  test.for([
    'ext::sh -c touch% /tmp/coord-owned',
    '--upload-pack=touch /tmp/coord-owned',
    '-oProxyCommand=touch /tmp/coord-owned',
    'ssh://-oProxyCommand=touch$IFS/tmp/coord-owned/x',
    'fd::17/x',
    'https://a\nb/',
    'transport::address',
  ])('whose URL is %j runs nothing', (url) => {
    const repo = repository();
    repo.git('config', 'remote.origin.url', url);
    execFileSync('rm', ['-f', '/tmp/coord-owned']);
    isNoUse(
      repo,
      /bad_remote|arbiter_refused|arbiter_unreachable/,
      /runs a program|names no server|cannot be reached|credentials|hostname/,
    );
    expect(spawnSync('test', ['-e', '/tmp/coord-owned']).status).toBe(1);
  });

  test.for(['-x', '--all', '../x', 'a b', '', 'x'.repeat(200), 'ori\u0007gin'])(
    'by the name of %j is none',
    (name) => {
      const repo = repository();
      const set = repo.coord('alice', 'remote', 'set', '--', name);
      expect(set.code).toBe(64);
      expect(set.json['error']?.code).toEqual(expect.stringMatching(/bad_remote|usage/));
      expect(set.stdout + set.stderr).not.toMatch(/\u0007/);
    },
  );

  test('that is nowhere configured, has two URLs, or a ref that is no place for a log', async () => {
    const repo = repository();
    expect(repo.coord(null, 'remote', 'set', 'nowhere').json['error']).toMatchObject({
      code: 'bad_remote',
      hint: 'git remote -v',
    });
    repo.git('remote', 'add', 'two', '/a');
    repo.git('remote', 'set-url', '--add', 'two', '/b');
    expect(repo.coord(null, 'remote', 'set', 'two').json['error'].message).toMatch(/2 places/);
    for (const ref of ['refs/heads/main', 'log', '../log', '--all', 'refs/coord/reservations'])
      expect({ ref, code: repo.coord(null, 'remote', 'set', 'two', '--ref', ref).code }).toEqual({
        ref,
        code: 64,
      });
  });
});

describe('a log over there', () => {
  test('by another than it says is not believed', { timeout }, async () => {
    const server = await serve('http');
    const [one, two] = clones(server, 2) as [TestRepository, TestRepository];
    expect(one.coord('alice', 'reserve', 'src/a.ts').code).toBe(0);
    one.git(
      'push',
      '-q',
      'origin',
      `${forged(one, { commit: (text) => text.replace(/^author \S+/m, 'author mallory') })}:refs/coord/log`,
    );
    for (const args of [
      ['reserve', 'src/b.ts'],
      ['check', 'src/a.ts'],
      ['release', '--all'],
    ]) {
      const answer = two.coord('bob', ...args);
      expect({ code: answer.code, message: answer.json['error']?.message }).toEqual({
        code: 69,
        message: expect.stringMatching(/its author is another/),
      });
    }
    expect(two.coord(null, 'doctor', '--fix', '--remote').code).toBe(0);
    expect(two.coord('bob', 'reserve', 'src/b.ts').code).toBe(0);
  });

  test('that has been cut short, holds two who hold one thing, or text for a terminal, is judged before it is shown', {
    timeout,
  }, async () => {
    const server = await serve('http');
    const [one, two] = clones(server, 2) as [TestRepository, TestRepository];
    expect(one.coord('alice', 'reserve', 'src/a.ts', '--reason', 'x').code).toBe(0);
    const tip = served(server, one).git('rev-parse', 'refs/coord/log').trim();
    for (const content of [
      (text: string) => text.slice(0, -2),
      (text: string) => text.replace('"reservation"', '"nonsense"'),
      () => '{}\n',
      () => '[1,2\n',
    ]) {
      one.git('push', '-q', '--force', 'origin', `${forged(one, { content })}:refs/coord/log`);
      expect(two.coord('bob', 'reserve', 'src/b.ts').json['error'].code).toBe('log_malformed');
      one.git('push', '-q', '--force', 'origin', `${tip}:refs/coord/log`);
    }
    one.git(
      'push',
      '-q',
      'origin',
      `${forged(one, { content: (text) => text.replace('"reason":"x"', '"reason":"\\u001b[2J\\u202ehidden"') })}:refs/coord/log`,
    );
    const shown = two.text('bob', 'status');
    expect(shown.code).toBe(0);
    expect(shown.stdout + shown.stderr).not.toMatch(/\u001b|\u202e/);
  });
});
