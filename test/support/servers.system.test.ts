/**
 * The servers that other tests stand on: git works with each, many at once, and nothing is left of
 * them. Needs: nginx, fcgiwrap, sshd.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { executable } from './gate.ts';
import {
  at,
  eventually,
  hermetic,
  type Ran,
  runAsync,
  type TestRepository,
  temporaryFolder,
} from './repository.ts';
import { alive, withDescendants } from './server-process.ts';
import { type GitServer, serve, type Transport } from './servers.ts';
import { neverAnswering, redirecting, speakingRubbish } from './useless-server.ts';

const timeout = 60_000;
const transports: readonly Transport[] = ['daemon', 'http', 'ssh', 'file'];
const threeMegabytes = '0123456789'.repeat(300_000);

interface Client extends TestRepository {
  attempt(...args: string[]): Promise<Ran>;
}

/** An empty clone with one commit that nobody has yet. */
async function cloneOf({ url, env }: Pick<GitServer, 'url' | 'env'>): Promise<Client> {
  const home = temporaryFolder();
  const clientEnv = hermetic(home, { ...env, GIT_TERMINAL_PROMPT: '0' });
  writeFileSync(join(home, 'gitconfig'), '[init]\n\tdefaultBranch = main\n');
  const cloned = await runAsync(['git', 'clone', '-q', url, join(home, 'clone')], home, clientEnv);
  expect(cloned).toMatchObject({ code: 0 });
  const clone = at(join(home, 'clone'), clientEnv);
  clone.git('commit', '-q', '--allow-empty', '-m', 'first');
  return { ...clone, attempt: (...args) => runAsync(['git', ...args], clone.top, clientEnv) };
}

const push = (client: Client, name: string): Promise<Ran> =>
  client.attempt(
    'push',
    '--porcelain',
    '--atomic',
    `--force-with-lease=${name}:`,
    'origin',
    `HEAD:${name}`,
  );
const list = (client: Client, ...args: string[]): Promise<Ran> =>
  client.attempt('ls-remote', 'origin', ...args);

function started(): readonly number[] {
  return withDescendants([process.pid]).filter((pid) => pid !== process.pid);
}

describe.for(transports)('by %s', (transport) => {
  test(
    'git clones, pushes with a lease and lists; a second push with the same lease is rejected',
    { timeout },
    async () => {
      const client = await cloneOf(await serve(transport));
      const commit = client.git('rev-parse', 'HEAD').trim();
      const pushed = await push(client, 'refs/coord/x');
      expect({ code: pushed.code, stdout: pushed.stdout }).toEqual({
        code: 0,
        stdout: expect.stringContaining('*\tHEAD:refs/coord/x\t[new reference]'),
      });
      expect((await list(client, 'refs/coord/*')).stdout).toBe(`${commit}\trefs/coord/x\n`);
      client.git('commit', '-q', '--allow-empty', '-m', 'second');
      const late = await push(client, 'refs/coord/x');
      expect({ code: late.code, stdout: late.stdout }).toEqual({
        code: 1,
        stdout: expect.stringContaining('[rejected] (stale info)'),
      });
    },
  );

  test('many push different refs at once, and all of them arrive', { timeout }, async () => {
    const server = await serve(transport);
    const client = await cloneOf(server);
    const names = Array.from({ length: 12 }, (_, i) => `refs/coord/${i}`);
    const pushes = await Promise.all(names.map((name) => push(client, name)));
    expect(pushes.filter(({ code }) => code !== 0)).toEqual([]);
    expect((await list(client, 'refs/coord/*')).stdout.trim().split('\n')).toHaveLength(12);
    expect(readdirSync(join(server.folder, 'refs/coord'))).toHaveLength(12);
  });

  test('a large commit arrives, and comes back', { timeout }, async () => {
    const server = await serve(transport);
    const [client, other] = [await cloneOf(server), await cloneOf(server)];
    client.git('config', 'core.compression', '0');
    client.write('large', threeMegabytes);
    client.git('add', '.');
    client.git('commit', '-q', '-m', 'large');
    expect(await push(client, 'refs/coord/large')).toMatchObject({ code: 0 });
    expect(await other.attempt('fetch', '-q', 'origin', 'refs/coord/large')).toMatchObject({
      code: 0,
    });
    expect(other.git('cat-file', '-s', 'FETCH_HEAD:large').trim()).toBe(
      String(threeMegabytes.length),
    );
  });

  test('hooks run, in the environment that was asked for', { timeout }, async () => {
    const server = await serve(transport, { env: { FOR_HOOKS: 'yes' } });
    const client = await cloneOf({
      ...server,
      env: transport === 'file' ? { FOR_HOOKS: 'yes' } : server.env,
    });
    executable(join(server.folder, 'hooks', 'post-receive'), '#!/bin/sh\necho "$FOR_HOOKS" >ran\n');
    expect(await push(client, 'refs/coord/x')).toMatchObject({ code: 0 });
    expect(readFileSync(join(server.folder, 'ran'), 'utf8')).toBe('yes\n');
  });

  test(
    'once stopped it is away with all its processes, and started again it is where it was',
    { timeout },
    async () => {
      const server = await serve(transport);
      const client = await cloneOf(server);
      await push(client, 'refs/coord/x');
      const processes = started();
      expect(processes.length > 0).toBe(transport !== 'file');
      for (const round of [1, 2]) {
        await server.stop();
        expect(alive(processes)).toEqual([]);
        expect(started()).toEqual([]);
        expect((await list(client)).code, `stopped ${round}`).toBe(128);
        await server.start();
        expect((await list(client, 'refs/coord/x')).stdout, `started ${round}`).toContain(
          'refs/coord/x',
        );
      }
    },
  );
});

describe.for([
  'daemon',
  'http',
  'ssh',
] as const)('stopped by %s in the middle of a push', (transport) => {
  test('nothing of it lives on, the hook neither, and nothing is locked', { timeout }, async () => {
    const server = await serve(transport);
    const client = await cloneOf(server);
    executable(
      join(server.folder, 'hooks', 'update'),
      '#!/bin/sh\necho $$ >draft\nmv draft here\nsleep 1000 & wait\n',
    );
    const pushed = push(client, 'refs/coord/x');
    await eventually('the hook runs', () => existsSync(join(server.folder, 'here')));
    const hook = Number(readFileSync(join(server.folder, 'here'), 'utf8'));
    const processes = withDescendants([hook, process.pid]).filter((pid) => pid !== process.pid);
    expect(processes).toContain(hook);
    await server.stop();
    expect((await pushed).code).not.toBe(0);
    expect(alive(processes)).toEqual([]);
    expect(started()).toEqual([]);
    expect(
      readdirSync(server.folder, { recursive: true })
        .map(String)
        .filter((name) => name.endsWith('.lock')),
    ).toEqual([]);
    expect(existsSync(join(server.folder, 'refs/coord/x'))).toBe(false);
    await server.start();
    executable(join(server.folder, 'hooks', 'update'), '#!/bin/sh\n');
    expect(await push(client, 'refs/coord/x')).toMatchObject({ code: 0 });
  });
});

describe('what was asked of it', () => {
  test.for(['daemon', 'http'] as const)(
    'is on record by %s, across a restart',
    { timeout },
    async (transport) => {
      const server = await serve(transport);
      const client = await cloneOf(server);
      const seen = (): readonly string[] =>
        server.requests().filter((line) => line.includes('receive-pack'));
      const before = seen().length;
      await server.stop();
      await server.start();
      await push(client, 'refs/coord/x');
      await eventually('the push is on record', () => seen().length > before);
    },
  );

  test('http lets nobody in without the password', { timeout }, async () => {
    const server = await serve('http');
    const client = await cloneOf(server);
    client.git('remote', 'set-url', 'origin', server.url.replace(/\/\/.*@/, '//'));
    expect(await list(client)).toMatchObject({ code: 128 });
    client.git('remote', 'set-url', 'origin', server.url.replace(/:\w*@/, ':wrong@'));
    expect((await list(client)).stderr).toContain('Authentication failed');
  });

  test(
    'http takes a request that is packed, and one that comes in pieces',
    { timeout },
    async () => {
      const server = await serve('http');
      const [client, other] = [await cloneOf(server), await cloneOf(server)];
      const traced = async (...args: string[]): Promise<string> => {
        const trace = join(client.top, '..', `trace-${args[0]}`);
        expect(
          await runAsync(['git', '-c', 'core.compression=0', ...args], client.top, {
            ...client.env,
            GIT_TRACE_CURL: trace,
          }),
        ).toMatchObject({ code: 0 });
        return readFileSync(trace, 'utf8');
      };
      other.git(
        'commit',
        '-q',
        '--allow-empty',
        '-m',
        'not in the client, even if both began in the same second',
      );
      expect(await push(other, 'refs/coord/x')).toMatchObject({ code: 0 });
      for (let i = 0; i < 40; i += 1)
        client.git('commit', '-q', '--allow-empty', '-m', `what the client has ${i}`);
      expect(await traced('fetch', 'origin', 'refs/coord/x')).toMatch(
        /POST .*git-upload-pack[^]*Content-Encoding: gzip/,
      );
      client.write('large', threeMegabytes);
      client.git('add', '.');
      client.git('commit', '-q', '-m', 'large');
      expect(await traced('push', 'origin', 'HEAD:refs/coord/large')).toMatch(
        /POST .*git-receive-pack[^]*Send header: Transfer-Encoding: chunked/,
      );
    },
  );
});

describe('a server that is no use', () => {
  test('sends git on, and git follows', { timeout }, async () => {
    const server = await serve('http');
    const client = await cloneOf(server);
    await push(client, 'refs/coord/x');
    const { url, stop } = await redirecting(server.url);
    client.git('remote', 'set-url', 'origin', url);
    expect((await list(client)).stdout).toContain('refs/coord/x');
    expect(
      (await client.attempt('-c', 'http.followRedirects=false', 'ls-remote', 'origin')).code,
    ).toBe(128);
    await stop();
    expect((await list(client)).code).toBe(128);
  });

  test('speaks rubbish, and git says so unless it is a single line', { timeout }, async () => {
    const listed = async ({ url }: { readonly url: string }): Promise<Ran> =>
      runAsync(['git', 'ls-remote', url], temporaryFolder(), hermetic(temporaryFolder()));
    const page = await listed(await speakingRubbish());
    expect({ code: page.code, stderr: page.stderr }).toEqual({
      code: 128,
      stderr: expect.stringContaining('not valid'),
    });
    expect(await listed(await speakingRubbish('no'))).toMatchObject({
      code: 0,
      stdout: '',
      stderr: '',
    });
  });

  test('never answers, and git waits until it is gone', { timeout }, async () => {
    const { url, stop } = await neverAnswering();
    let over = false;
    const ran = runAsync(
      ['git', 'ls-remote', url],
      temporaryFolder(),
      hermetic(temporaryFolder()),
    ).finally(() => {
      over = true;
    });
    const trickling = await runAsync(
      ['git', '-c', 'http.lowSpeedLimit=1', '-c', 'http.lowSpeedTime=1', 'ls-remote', url],
      temporaryFolder(),
      hermetic(temporaryFolder()),
    );
    expect({ code: trickling.code, over }).toEqual({ code: 128, over: false });
    await stop();
    expect((await ran).code).toBe(128);
  });
});
