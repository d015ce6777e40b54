/** A server with coord's hook holds branches to the leases. Needs: nginx, fcgiwrap, sshd. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { barePath } from '../support/bare-path.ts';
import { clone, clones } from '../support/clones.ts';
import { repository, run, type TestRepository } from '../support/repository.ts';
import { serve } from '../support/servers.ts';
import { guarded, refusedPush } from './guarded-server.ts';

describe('branches on a guarded server', () => {
  test('a push with plain git and no hooks does not land on what somebody holds; its holder may', async () => {
    const { one, two } = await guarded();
    one.coord('alice', 'reserve', 'src/a.ts');
    two.write('src/a.ts', 'two\n');
    two.git('add', '.');
    two.git('commit', '-q', '-m', 'on a held path');
    expect(refusedPush(two, '-q', '--no-verify', 'origin', 'HEAD:refs/heads/main')).toMatch(
      /src\/a\.ts is held by alice/,
    );
    expect(refusedPush(two, '-q', '--no-verify', 'origin', 'HEAD:refs/heads/other')).toMatch(
      /src\/a\.ts is held by alice/,
    );
    one.write('src/a.ts', 'one\n');
    one.git('add', '.');
    one.git('commit', '-q', '-m', 'on its own path');
    expect(one.coord('alice', 'push', '--as', 'main').json['result']).toBe('landed');
    one.coord('alice', 'release', '--all');
    expect(refusedPush(two, '-q', '--no-verify', 'origin', 'HEAD:refs/heads/other')).toBe('');
  });

  test('nor by way of a branch that has the work already, a merge, a rewind, or a second log', async () => {
    const { one, two } = await guarded();
    two.git('checkout', '-q', '-b', 'feat');
    two.write('src/a.ts', 'early\n');
    two.git('add', '.');
    two.git('commit', '-q', '-m', 'early');
    expect(refusedPush(two, '-q', '--no-verify', 'origin', 'feat')).toBe('');
    one.coord('alice', 'reserve', 'src/');
    expect(refusedPush(two, '-q', '--no-verify', 'origin', 'feat:main')).toMatch(
      /src\/\*\* is held by alice/,
    );
    expect(refusedPush(two, '-q', '--no-verify', '--force', 'origin', 'feat~1:feat')).toMatch(
      /src\/\*\* is held by alice/,
    );
    const rogue = repository();
    rogue.coord('bob', 'reserve', 'zzz');
    two.git('fetch', '-q', rogue.top, 'refs/coord/log');
    expect(
      refusedPush(
        two,
        '-q',
        '--no-verify',
        'origin',
        'FETCH_HEAD:refs/heads/coord/log',
        'feat:main',
      ),
    ).toMatch(/one server has one/);
    expect(
      refusedPush(two, '-q', '--no-verify', 'origin', 'FETCH_HEAD:refs/heads/coord/log'),
    ).toMatch(/one server has one/);
  });

  test('with the hook update alone it holds as well, and leaves one note at most', async () => {
    const server = await serve('http');
    expect(
      run(server.folder, clone(server).env, ['install', '--server', '--hook', 'update', '--json'])
        .json['hooks'],
    ).toEqual([{ event: 'update', action: 'create' }]);
    const [one, two] = clones(server, 2) as [TestRepository, TestRepository];
    one.git('push', '-q', 'origin', 'HEAD:refs/heads/main');
    one.coord('alice', 'reserve', 'src/a.ts');
    for (let i = 0; i < 4; i += 1) expect(two.coord('bob', 'claim', `bd-${i}`).code).toBe(0);
    two.write('src/a.ts', 'two\n');
    two.git('add', '.');
    two.git('commit', '-q', '-m', 'on a held path');
    expect(refusedPush(two, '-q', '--no-verify', 'origin', 'HEAD:refs/heads/other')).toMatch(
      /src\/a\.ts is held by alice/,
    );
    one.write('src/a.ts', 'one\n');
    one.git('add', '.');
    one.git('commit', '-q', '-m', 'on its own path');
    expect(one.coord('alice', 'push', '--as', 'main').json['result']).toBe('landed');
    expect(
      readdirSync(`${server.folder}/coord`).filter((name) => name.startsWith('receiving')).length,
    ).toBeLessThanOrEqual(1);
  });

  test('install --server keeps a hook that is there, says where it cannot be, and uninstall gives it back', async () => {
    const server = await serve('file');
    const { env, top } = clone(server);
    expect(run(top, env, ['install', '--server', '--json']).json['error'].code).toBe('usage');
    expect(run(server.folder, env, ['install', '--json']).json['error'].code).toBe(
      'bare_repository',
    );
    expect(
      run(server.folder, env, ['install', '--server', '--dry-run', '--json']).json['result'],
    ).toBe('would-install');
    expect(run(server.folder, env, ['install', '--server', '--json']).json['hooks']).toEqual([
      { event: 'pre-receive', action: 'create' },
    ]);
    expect(
      run(server.folder, env, ['install', '--server', '--hook', 'update', '--json']).json['hooks'],
    ).toEqual([
      { event: 'update', action: 'create' },
      { event: 'pre-receive', action: 'remove' },
    ]);
    expect(
      readdirSync(join(server.folder, 'hooks')).filter((name) => !name.endsWith('.sample')),
    ).toEqual(['update']);
    expect(run(server.folder, env, ['uninstall', '--json']).json['error'].hint).toMatch(
      /uninstall --server/,
    );
    expect(run(server.folder, env, ['uninstall', '--server', '--json']).json['result']).toBe(
      'uninstalled',
    );
  });

  test('without node the push is refused with the reason', async () => {
    const { server, one } = await guarded();
    const hook = `${server.folder}/hooks/pre-receive`;
    writeFileSync(
      hook,
      readFileSync(hook, 'utf8').replace(
        /COORD_NODE='[^']*'/,
        `COORD_NODE='/nowhere/node' PATH='${barePath()}'`,
      ),
    );
    const refused = one.coord('alice', 'reserve', 'src/a.ts');
    expect(refused.code).toBe(69);
    expect(refused.json['error'].code).toBe('arbiter_refused');
    expect(refused.json['error'].message).toMatch(/hook/);
  });
});
