/**
 * Operations signed with ssh keys: made, shown by plain git, believed, and refused where they are
 * not by whom they say. Needs: nginx, fcgiwrap, sshd.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { clone, served } from '../support/clones.ts';
import { forged } from '../support/forgery.ts';
import { run, type TestRepository, temporaryFolder } from '../support/repository.ts';
import { type GitServer, serve } from '../support/servers.ts';

interface Keys {
  readonly alice: string;
  readonly mallory: string;
  /**
   * Alice and her children may act as alice, anybody known as the person at the terminal, and coord
   * as itself.
   */
  readonly allowed: string;
}

function keys(): Keys {
  const home = temporaryFolder();
  const make = (name: string): string => {
    execFileSync('ssh-keygen', [
      '-q',
      '-t',
      'ed25519',
      '-N',
      '',
      '-C',
      name,
      '-f',
      join(home, name),
    ]);
    return join(home, name);
  };
  const [alice, mallory, allowed] = [make('alice'), make('mallory'), join(home, 'allowed')];
  const line = (principals: string, key: string): string =>
    `${principals} namespaces="git" ${readFileSync(`${key}.pub`, 'utf8').split(' ').slice(0, 2).join(' ')}\n`;
  writeFileSync(allowed, line('alice,alice/*,test-*', alice) + line('mallory', mallory));
  return { alice, mallory, allowed };
}

function signing(
  repo: TestRepository,
  key: string,
  { allowed }: Keys,
  policy = 'require',
): TestRepository {
  for (const [name, value] of [
    ['user.signingKey', `${key}.pub`],
    ['gpg.ssh.allowedSignersFile', allowed],
    ['coord.sign', policy],
  ] as const)
    repo.git('config', name, value);
  return repo;
}

async function two(
  policy = 'require',
): Promise<{
  readonly server: GitServer;
  readonly one: TestRepository;
  readonly other: TestRepository;
  readonly known: Keys;
}> {
  const server = await serve('http');
  const known = keys();
  const one = signing(clone(server), known.alice, known);
  const other = signing(clone(server), known.mallory, known, policy);
  expect(one.coord('alice', 'remote', 'set', 'origin').json['result']).toBe('set');
  return { server, one, other, known };
}

describe('coord.sign', () => {
  test('signs each operation so that git shows whose it is, and takes what others signed', async () => {
    const { server, one, other, known } = await two();
    expect(one.coord('alice', 'reserve', 'src/a.ts').code).toBe(0);
    expect(other.coord('mallory', 'remote', 'set', 'origin').json['result']).toBe('set');
    expect(other.coord('mallory', 'reserve', 'src/a.ts').json['blockers'][0].agent.name).toBe(
      'alice',
    );
    expect(other.coord('mallory', 'reserve', 'src/b.ts').code).toBe(0);
    expect(one.coord('alice', 'check', 'src/b.ts').json['result']).toBe('held');
    const shown = served(server, one)
      .git(
        '-c',
        `gpg.ssh.allowedSignersFile=${known.allowed}`,
        'log',
        '--format=%an %G? %GS',
        'refs/coord/log',
      )
      .trim()
      .split('\n');
    expect(shown[0]).toMatch(/^mallory G /);
    expect(shown.every((row) => / G /.test(row))).toBe(true);
    expect(served(server, one).git('fsck', '--strict', '--no-dangling')).toBe('');
  });

  test('a name that the key may not act under is no use to anybody who wants signatures', async () => {
    const { one, other } = await two('ssh');
    expect(one.coord('alice', 'reserve', 'src/a.ts').code).toBe(0);
    expect(other.coord('mallory', 'remote', 'set', 'origin').json['result']).toBe('set');
    const seq = one.coord(null, 'status').json['seq'] as number;
    // Mallory's clone sends in the name of alice's child.
    expect(other.coord('alice/x', 'reserve', 'src/c.ts').code).toBe(0);
    const found = one.coord('alice', 'reserve', 'src/d.ts');
    expect(found.code).toBe(69);
    expect(found.json['error'].code).toBe('log_forged');
    expect(found.json['error'].message).toMatch(
      /says that it is by alice\/x, but is not signed by a key that may act as alice\/x/,
    );
    expect(
      one.coord(null, 'status').json['error']?.code ?? one.coord(null, 'status').json['seq'],
    ).toBe('log_forged');
    expect(
      Number(
        one.git(
          'log',
          '-1',
          '--format=%(trailers:key=Seq,valueonly)',
          'refs/coord-remote/origin/log',
        ),
      ),
    ).toBe(seq);
  });

  test('nothing unsigned, nothing changed behind a signature', async () => {
    const { server, one, known } = await two();
    one.coord('alice', 'reserve', 'src/a.ts');
    const tip = served(server, one).git('rev-parse', 'refs/coord/log').trim();
    const unsigned = forged(one, { commit: (text) => text.replace(/^gpgsig .*\n(?: .*\n)*/m, '') });
    const changed = forged(one, {});
    for (const [oid, why] of [
      [unsigned, /carries no signature/],
      [changed, /is not signed by a key/],
    ] as const) {
      one.git('push', '-q', '--force', 'origin', `${oid}:refs/coord/log`);
      expect(one.coord('alice', 'reserve', 'src/b.ts').json['error']).toMatchObject({
        code: 'log_forged',
        message: expect.stringMatching(why),
      });
      served(server, one).git('update-ref', 'refs/coord/log', tip);
      expect(one.coord('alice', 'check', 'src/a.ts').json['result']).toBe('mine');
    }
    expect(known.allowed).not.toBe('');
  });

  test("under a name that one's own key may not act under nothing is sent", async () => {
    const { server, one } = await two();
    const tip = served(server, one).git('rev-parse', 'refs/coord/log');
    const answer = one.coord('typo', 'reserve', 'src/t.ts');
    expect(answer.code).toBe(69);
    expect(answer.json['error']?.code).toBe('log_forged');
    expect(served(server, one).git('rev-parse', 'refs/coord/log')).toBe(tip);
    expect(one.coord('alice', 'reserve', 'src/a.ts').code).toBe(0);
  });

  test('without a key, or without anybody whose signatures count, it says so and sends nothing', async () => {
    const server = await serve('http');
    const repo = clone(server);
    repo.git('config', 'coord.sign', 'require');
    expect(repo.coord('alice', 'remote', 'set', 'origin').json['error']).toMatchObject({
      code: 'bad_setting',
      hint: 'git config user.signingKey ~/.ssh/id_ed25519.pub',
    });
    repo.git('config', 'user.signingKey', '/nowhere/key.pub');
    expect(repo.coord('alice', 'remote', 'set', 'origin').json['error'].code).toBe('bad_setting');
    expect(served(server, repo).git('for-each-ref')).toBe('');
  });
});

describe('a guarded server that wants signatures', () => {
  test('takes an operation only by whoever may act under its name', async () => {
    const { server, one, other, known } = await two('ssh');
    for (const [name, value] of [
      ['coord.sign', 'require'],
      ['gpg.ssh.allowedSignersFile', known.allowed],
    ] as const)
      served(server, one).git('config', name, value);
    expect(run(server.folder, one.env, ['install', '--server', '--json']).code).toBe(0);
    expect(one.coord('alice', 'reserve', 'src/a.ts').code).toBe(0);
    expect(other.coord('mallory', 'remote', 'set', 'origin').json['result']).toBe('set');
    expect(other.coord('mallory', 'reserve', 'src/b.ts').code).toBe(0);
    const refused = other.coord('alice/x', 'reserve', 'src/c.ts');
    expect(refused.code).toBe(69);
    expect(refused.json['error'].code).toBe('arbiter_refused');
    expect(refused.json['error'].message).toMatch(/may act as alice\/x/);
    expect(one.coord('alice', 'reserve', 'src/d.ts').code).toBe(0);
  });
});
