/**
 * Work lands in the step that puts it on record, or neither happens: the fence, on a server that
 * knows nothing of coord. Needs: nginx, fcgiwrap, sshd.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { clone, clones, served } from '../support/clones.ts';
import { executable, gitGate } from '../support/gate.ts';
import { events, logFaults } from '../support/log-check.ts';
import { eventually, start, type TestRepository } from '../support/repository.ts';
import { type GitServer, serve, type Transport } from '../support/servers.ts';

const transports: readonly Transport[] = ['daemon', 'http', 'ssh'];

function committed(repo: TestRepository, path: string, content = 'work\n'): string {
  repo.write(path, content);
  repo.git('add', '--', path);
  repo.git('commit', '-q', '-m', `change ${path}`);
  return repo.git('rev-parse', 'HEAD').trim();
}

async function team(
  transport: Transport = 'http',
): Promise<{
  readonly server: GitServer;
  readonly one: TestRepository;
  readonly two: TestRepository;
  readonly there: TestRepository;
}> {
  const server = await serve(transport);
  const [one, two] = clones(server, 2) as [TestRepository, TestRepository];
  one.git('push', '-q', 'origin', 'HEAD:refs/heads/main');
  two.git('fetch', '-q', 'origin');
  two.git('reset', '-q', '--hard', 'origin/main');
  return { server, one, two, there: served(server, one) };
}

const main = (repo: TestRepository): string => repo.git('rev-parse', 'refs/heads/main').trim();

describe('coord push', () => {
  test.for(transports)(
    'moves branch and log together, and cites the tokens, by %s',
    { timeout: 60_000 },
    async (transport) => {
      const { one, two, there } = await team(transport);
      const { token, id } = one.coord('alice', 'reserve', 'src/').json['leases'][0];
      const commit = committed(one, 'src/a.ts');
      const pushed = one.coord('alice', 'push');
      expect({
        code: pushed.code,
        result: pushed.json['result'],
        tokens: pushed.json['tokens'],
      }).toEqual({ code: 0, result: 'landed', tokens: [token] });
      expect(main(there)).toBe(commit);
      expect(events(there, 'landed').at(-1)).toMatchObject({
        agent: { name: 'alice' },
        branch: 'refs/heads/main',
        commit,
        tokens: [token],
        leases: [id],
      });
      expect(one.git('rev-parse', 'origin/main').trim()).toBe(commit);
      expect(one.coord('alice', 'push').json['result']).toBe('unchanged');
      expect(two.coord('bob', 'log').stdout).toMatch(/"event":"landed"/);
      expect(logFaults(there)).toEqual([]);
    },
  );

  test('of work on what another holds is refused, whoever pushes it, and neither moves', async () => {
    const { one, two, there } = await team();
    one.coord('alice', 'reserve', 'src/');
    committed(two, 'src/a.ts');
    const [before, log] = [main(there), there.git('rev-parse', 'refs/coord/log')];
    const refused = two.coord('bob', 'push');
    expect({
      code: refused.code,
      kind: refused.json['refusal'].kind,
      name: refused.json['blockers'][0].agent.name,
    }).toEqual({ code: 1, kind: 'held', name: 'alice' });
    expect(main(there)).toEqual(before);
    expect(there.git('rev-parse', 'refs/coord/log')).toEqual(log);
  });

  test("waits with --wait until it is free, and runs the user's hook once for each try", {
    timeout: 60_000,
  }, async () => {
    const { one, two, there } = await team();
    one.coord('alice', 'reserve', 'src/');
    const commit = committed(two, 'src/a.ts');
    const late = two.coord('bob', 'push', '--wait', '10ms');
    expect({ code: late.code, kind: late.json['refusal'].kind, next: late.json['next'] }).toEqual({
      code: 75,
      kind: 'timeout',
      next: 'coord push --wait 2m --agent bob',
    });
    executable(
      join(two.top, '.git/hooks/pre-push'),
      '#!/bin/sh\necho ran >> "$(git rev-parse --git-dir)/ran"\n',
    );
    const waiting = start(two.top, two.env, ['--agent', 'bob', 'push', '--wait', '60s']);
    let told = '';
    waiting.child.stderr?.on('data', (text: string) => {
      told += text;
    });
    await eventually('it waits', () => told.includes('waiting for src/** of alice'));
    expect(one.coord('alice', 'release', '--all').code).toBe(0);
    expect((await waiting.ended).code).toBe(0);
    expect(main(there)).toEqual(commit);
    expect(readFileSync(join(two.top, '.git/ran'), 'utf8')).toBe('ran\nran\n');
  });

  test('a merge that takes back what another holds is refused, though none of its commits touches it', async () => {
    const { one, two, there } = await team();
    one.coord('alice', 'reserve', 'src/');
    committed(one, 'src/a.ts');
    expect(one.coord('alice', 'push').code).toBe(0);
    committed(two, 'docs/d.md');
    two.git('fetch', '-q', 'origin');
    two.git('merge', '-q', '-s', 'ours', '-m', 'mine', 'origin/main');
    const before = main(there);
    expect(two.coord('bob', 'push').json['blockers']?.[0]?.agent.name).toBe('alice');
    expect(main(there)).toBe(before);
  });

  test('behind what is there it says what to run, and rebased it lands', async () => {
    const { one, two, there } = await team();
    committed(one, 'a.ts');
    expect(one.coord('alice', 'push').code).toBe(0);
    committed(two, 'b.ts');
    const refused = two.coord('bob', 'push');
    expect({
      code: refused.code,
      kind: refused.json['refusal'].kind,
      next: refused.json['next'],
    }).toEqual({ code: 1, kind: 'behind', next: 'git pull --rebase origin main' });
    two.git('pull', '-q', '--rebase', 'origin', 'main');
    expect(two.coord('bob', 'push').json['result']).toBe('landed');
    expect(main(there)).toBe(two.git('rev-parse', 'HEAD').trim());
  });

  test('names that are none of a branch, and no branch at all, are said', async () => {
    const { one } = await team();
    for (const name of ['--mirror', 'nowhere', 'a..b', 'x:refs/heads/y', '*', 'coord/log', 'coord'])
      expect({ name, code: one.coord('alice', 'push', '--', name).code }).toEqual({
        name,
        code: 64,
      });
    one.git('checkout', '-q', '--detach');
    expect(one.coord('alice', 'push').json['error'].hint).toBe('coord push <branch>');
    expect(one.coord('alice', 'push', 'main', '--as', '../x').code).toBe(64);
  });
});

/**
 * Alice has been judged, and her push stops at the gate; her lease goes to bob meanwhile; then she
 * goes on.
 */
async function overtaken(
  transport: Transport,
  stop: 'before' | 'unleased',
): Promise<{ readonly exit: number; readonly holder: string; readonly moved: boolean }> {
  const { one, two, there } = await team(transport);
  for (const repo of [one, two]) repo.git('config', 'coord.breakAfter', '0s');
  const { id } = one.coord('alice', 'reserve', 'src/').json['leases'][0];
  committed(one, 'src/a.ts');
  const before = main(there);
  const gate = gitGate(one, stop, false, 'push');
  const late = one.start('alice', ['push'], gate.env);
  await gate.reached();
  expect(two.coord('bob', 'break', id, '--reason', 'she sleeps').code).toBe(0);
  expect(two.coord('bob', 'reserve', 'src/a.ts').code).toBe(0);
  gate.open();
  const ran = await late.ended;
  return {
    exit: ran.code,
    holder: ran.json['blockers']?.[0]?.agent.name ?? '',
    moved: main(there) !== before,
  };
}

describe('a holder that lost its lease while its push was on the way', () => {
  test.for(transports)('does not land, by %s', { timeout: 60_000 }, async (transport) => {
    expect(await overtaken(transport, 'before')).toEqual({ exit: 1, holder: 'bob', moved: false });
  });

  test('planted bug: without the lease on the old value it lands all the same', async () => {
    expect(await overtaken('http', 'unleased')).not.toEqual({
      exit: 1,
      holder: 'bob',
      moved: false,
    });
  });

  test('that slept past its TTL, and another took it: neither its commits nor its lease come back', {
    timeout: 60_000,
  }, async () => {
    const { one, two, there } = await team();
    for (const repo of [one, two]) repo.git('config', 'coord.grace', '0s');
    expect(one.coord('alice', 'reserve', 'src/', '--ttl', '5s').code).toBe(0);
    committed(one, 'src/a.ts');
    const gate = gitGate(one, 'before', false, 'push');
    const asleep = one.start('alice', ['push'], gate.env);
    await gate.reached();
    await eventually(
      'bob takes it once its time is over',
      () => two.coord('bob', 'reserve', 'src/').code === 0,
      30_000,
    );
    gate.open();
    const ran = await asleep.ended;
    expect({ code: ran.code, name: ran.json['blockers']?.[0]?.agent.name }).toEqual({
      code: 1,
      name: 'bob',
    });
    expect(one.coord('alice', 'renew').code).toBe(1);
    expect(main(there)).not.toBe(one.git('rev-parse', 'HEAD').trim());
  });
});

describe('what is large', () => {
  test('goes up before, lands while others move the log all the time, and leaves nothing beside it', {
    timeout: 120_000,
  }, async () => {
    const { one, two, there } = await team();
    one.coord('alice', 'reserve', 'src/');
    for (let i = 0; i < 120; i += 1) one.write(`src/${i}.ts`, `${i}\n`);
    one.git('add', '.');
    one.git('commit', '-q', '-m', 'many');
    // Bob's clone moves the log whenever alice's is about to.
    let [busy, moved] = [true, 0];
    const others = (async () => {
      while (busy)
        moved +=
          (await two.start('bob', [moved % 2 === 0 ? 'reserve' : 'release', 'docs/']).ended)
            .code === 0
            ? 1
            : 0;
    })();
    const pushed = await one.start('alice', ['push']).ended;
    busy = false;
    await others;
    expect({ code: pushed.code, result: pushed.json['result'] }).toEqual({
      code: 0,
      result: 'landed',
    });
    expect(main(there)).toBe(one.git('rev-parse', 'HEAD').trim());
    expect(there.git('for-each-ref', '--format=%(refname)')).toBe(
      'refs/coord/log\nrefs/heads/main\n',
    );
    expect(logFaults(there)).toEqual([]);
  });

  test('what a killed push left there is taken along by the next', async () => {
    const { one, there } = await team();
    for (let i = 0; i < 120; i += 1) one.write(`src/${i}.ts`, `${i}\n`);
    one.git('add', '.');
    one.git('commit', '-q', '-m', 'many');
    const gate = gitGate(one, 'after', false, 'push');
    const dying = one.start('alice', ['push'], gate.env);
    await gate.reached();
    dying.child.kill('SIGKILL');
    await dying.ended;
    gate.open();
    expect(there.git('for-each-ref', '--format=%(refname)', 'refs/coord/upload')).toMatch(
      /^refs\/coord\/upload\/[0-9a-f]{16}\n$/,
    );
    expect(one.coord('alice', 'push').json['result']).toBe('landed');
    expect(there.git('for-each-ref', 'refs/coord/upload')).toBe('');
  });
});

describe("the user's own pre-push hook", () => {
  test('is run as git would, and its no is a no', async () => {
    const { server, one, there } = await team();
    const hook = join(one.top, '.git/hooks/pre-push');
    const commit = committed(one, 'a.ts');
    const before = main(there);
    executable(
      hook,
      `#!/bin/sh\necho "$@" >'${one.top}/../said'\ncat >>'${one.top}/../said'\nexit 1\n`,
    );
    const refused = one.coord('alice', 'push');
    expect(refused.code).toBe(69);
    expect(refused.json['error'].code).toBe('cannot_run');
    expect(main(there)).toEqual(before);
    const { readFileSync } = await import('node:fs');
    expect(readFileSync(join(one.top, '../said'), 'utf8')).toBe(
      `origin ${server.url}\nrefs/heads/main ${commit} refs/heads/main ${before}\n`,
    );
    writeFileSync(hook, '#!/bin/sh\nexit 0\n');
    expect(one.coord('alice', 'push').json['result']).toBe('landed');
  });

  test('is not run for the log: a slow one holds up nobody', async () => {
    const { one } = await team();
    executable(
      join(one.top, '.git/hooks/pre-push'),
      `#!/bin/sh\ntouch '${one.top}/../ran'\nexit 1\n`,
    );
    expect(one.coord('alice', 'reserve', 'src/').code).toBe(0);
    const { existsSync } = await import('node:fs');
    expect(existsSync(join(one.top, '../ran'))).toBe(false);
  });
});

test('without a remote log it says what to run instead', async () => {
  const repo = clone(await serve('http'));
  expect(repo.coord('alice', 'push').json['error']).toMatchObject({
    code: 'bad_remote',
    hint: 'git push; or coord remote set <name>',
  });
});
