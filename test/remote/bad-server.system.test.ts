/**
 * Servers and remotes that are no use, or not what they seem: each is named, nothing is granted by
 * it, and the log here stays the truth. Needs: nginx, fcgiwrap, sshd, namespaces.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { clone, clones, served } from '../support/clones.ts';
import { executable } from '../support/gate.ts';
import { coordProgram, type TestRepository } from '../support/repository.ts';
import { type GitServer, serve } from '../support/servers.ts';
import { neverAnswering, redirecting, speakingRubbish } from '../support/useless-server.ts';
import { isNoUse, timeout } from './no-use.ts';

function at(url: string, env: GitServer['env'] = {}): TestRepository {
  return clone({ url, env } as GitServer);
}

function probed(repo: TestRepository, ...args: readonly string[]): Readonly<Record<string, any>> {
  return repo.coord(null, 'remote', 'probe', 'origin', ...args).json;
}

describe('a server that', () => {
  test(
    'takes branches and tags only is said to, and takes the log as a branch',
    { timeout },
    async () => {
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
      expect(repo.coord('carol', 'reserve', 'src/a.ts').json['blockers'][0].agent.name).toBe(
        'alice',
      );
      expect(probed(clone(server), '--ref', 'refs/heads/coord/log')).toMatchObject({
        ok: true,
        customRefs: true,
      });
      expect(served(server, repo).git('for-each-ref', '--format=%(refname)')).toBe(
        'refs/heads/coord/log\n',
      );
    },
  );

  test('hides its refs of coord', { timeout }, async () => {
    const server = await serve('http');
    served(server, clone(server)).git('config', 'transfer.hideRefs', 'refs/coord');
    const repo = clone(server);
    isNoUse(repo, 'arbiter_refused', /hides the ref/, /--ref refs\/heads\/coord\/log/);
    expect(probed(repo)).toMatchObject({ ok: false, customRefs: false });
  });

  test(
    'does not change two refs at once: the log works, and push says that it would be no fence',
    { timeout },
    async () => {
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
    },
  );

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

  test(
    'has a disk that is full: nothing is granted, and once there is room again all is as before',
    { timeout },
    async () => {
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
    },
  );
});
