/**
 * Remotes and logs over there that are not what they seem: each is named, and nothing is granted
 * by it. Needs: nginx, fcgiwrap, sshd, namespaces.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { clones, served } from '../support/clones.ts';
import { forged } from '../support/forgery.ts';
import { repository, type TestRepository } from '../support/repository.ts';
import { serve } from '../support/servers.ts';
import { isNoUse, timeout } from './no-use.ts';

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

  test.for([
    '-x',
    '--all',
    '../x',
    'a b',
    '',
    'x'.repeat(200),
    'ori\u0007gin',
  ])('by the name of %j is none', (name) => {
    const repo = repository();
    const set = repo.coord('alice', 'remote', 'set', '--', name);
    expect(set.code).toBe(64);
    expect(set.json['error']?.code).toEqual(expect.stringMatching(/bad_remote|usage/));
    expect(set.stdout + set.stderr).not.toMatch(/\u0007/);
  });

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

  test(
    'that has been cut short, holds two who hold one thing, or text for a terminal, is judged before it is shown',
    { timeout },
    async () => {
      const server = await serve('http');
      const [one, two] = clones(server, 2) as [TestRepository, TestRepository];
      expect(one.coord('alice', 'reserve', 'src/a.ts', '--reason', 'x').code).toBe(0);
      const tip = served(server, one).git('rev-parse', 'refs/coord/log').trim();
      for (const content of [
        (text: string) => text.slice(0, -2),
        (text: string) => text.replace('"patterns"', '"nonsense"'),
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
    },
  );
});
